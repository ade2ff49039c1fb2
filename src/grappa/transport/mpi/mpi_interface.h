/* What a plug-in offers: the few functions of MPI that Grappa needs, for one MPI library.
 *
 * The program itself links no MPI, because the libraries differ in their binary interface. Each
 * plug-in is mpi_plugin.cpp compiled with one library's headers; it exports
 *
 *   const struct GrappaMpi* grappa_mpi(void);
 *
 * A run uses *slots* for what is under way: slot i of the sends, slot i of the receives. A slot is
 * taken by send() or receive() and is free again when finished_sends() or finished_receives() has
 * named it.
 *
 * Thread safety: one thread at a time (MPI_THREAD_SERIALIZED). Errors of MPI itself end the job, as
 * MPI does by default. Sizes are bytes.
 */
#ifndef GRAPPA_TRANSPORT_MPI_MPI_INTERFACE_H
#define GRAPPA_TRANSPORT_MPI_MPI_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever something below does; a plug-in of another version is refused. */
#define GRAPPA_MPI_VERSION 1

struct GrappaMpiArrival {
  int slot;
  int source;
  size_t bytes;
};

struct GrappaMpi {
  unsigned version;

  /* The library and its version, in a few words. */
  const char* (*library)(void);

  /* Starts MPI, unless the program has done so, and takes a communicator of its own. 0, or an
   * explanation in `why`. */
  int (*start)(char* why, size_t why_bytes);

  /* Gives back what start() took. MPI ends here if it began there. */
  void (*finish)(void);

  /* Ends the job everywhere. */
  void (*abort)(int status);

  int (*rank)(void);
  int (*size)(void);
  int (*node_rank)(void); /* among the ranks of this machine */
  int (*node_size)(void);

  /* Collective; every rank calls them in the same order. They wait, with little load on the
   * processor. */
  void (*broadcast)(void* data, size_t bytes);                        /* from rank 0 */
  void (*all_gather)(const void* mine, void* all, size_t bytes);      /* `bytes` of each rank */
  void (*node_all_gather)(const void* mine, void* all, size_t bytes); /* of each on this machine */
  void (*all_to_all)(const void* given, void* taken, size_t bytes);   /* `bytes` for each rank */

  /* Packets. A source of -1 is any. */
  void (*open_slots)(int sends, int receives);
  void (*close_slots)(void); /* withdraws the receives that wait */
  void (*send)(int slot, const void* data, size_t bytes, int destination, int tag);
  void (*receive)(int slot, void* data, size_t capacity, int source, int tag);
  int (*finished_sends)(int* slots);                           /* how many; room for all slots */
  int (*finished_receives)(struct GrappaMpiArrival* arrivals); /* how many; room for all slots */
};

const struct GrappaMpi* grappa_mpi(void);

#ifdef __cplusplus
}
#endif

#endif
