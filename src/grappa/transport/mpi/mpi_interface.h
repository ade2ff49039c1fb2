/* What a plug-in offers: the few functions of MPI that Grappa needs, for one MPI library.
 *
 * The program itself links no MPI, because the libraries differ in their binary interface. Each
 * plug-in is mpi_plugin.cpp compiled with one library's headers; it exports
 *
 *   const struct GrappaMpi* grappa_mpi(void);
 *
 * A run uses *slots* for what is under way: slot i of the sends, of the ring of receives, of the
 * bulk receives. The slot of a send is free again when send() says that it has left already, or
 * finished_sends() names it. Receives of the ring are posted and finish in cyclic order.
 *
 * Thread safety: one thread at a time (MPI_THREAD_SERIALIZED). Errors of MPI itself are told to
 * whom on_failure() names, and end the process when that returns. Sizes are bytes.
 */
#ifndef GRAPPA_TRANSPORT_MPI_MPI_INTERFACE_H
#define GRAPPA_TRANSPORT_MPI_MPI_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever something below does; a plug-in of another version is refused. */
#define GRAPPA_MPI_VERSION 3

struct GrappaMpiArrival {
  int slot;
  int source;
  int tag;
  size_t bytes;
};

struct GrappaMpi {
  unsigned version;

  /* The library and its version, in a few words. */
  const char* (*library)(void);

  /* Starts MPI, unless the program has done so, and takes a communicator of its own. 0, or an
   * explanation in `why`. */
  int (*start)(char* why, size_t why_bytes);

  /* Whom to call when MPI says that one of its functions has failed, with its text. */
  void (*on_failure)(void (*call)(void* argument, const char* what), void* argument);

  /* Waits until all processes are here and every two have a connection. Makes the end possible:
   * between the two nobody may be in MPI (see mpi_plugin.cpp). */
  void (*meet)(void);

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

  void (*open_slots)(int sends, int ring_receives, int bulk_receives);
  void (*close_slots)(void); /* withdraws the receives that wait */

  /* Packets: into the ring of the destination. send() returns 1 when the packet has left already.
   * finished_receive() returns 1 when the receive of that slot, the oldest of the ring, has. */
  int (*send)(int slot, const void* data, size_t bytes, int destination, int tag);
  void (*receive)(int slot, void* data, size_t capacity);
  int (*finished_receive)(int slot, struct GrappaMpiArrival* arrival);

  /* Bulk: to a receive for just this source and tag. */
  void (*send_bulk)(int slot, const void* data, size_t bytes, int destination, int tag);
  void (*receive_bulk)(int slot, void* data, size_t bytes, int source, int tag);

  int (*finished_sends)(int* slots);                                /* how many */
  int (*finished_bulk_receives)(struct GrappaMpiArrival* arrivals); /* how many */
};

const struct GrappaMpi* grappa_mpi(void);

#ifdef __cplusplus
}
#endif

#endif
