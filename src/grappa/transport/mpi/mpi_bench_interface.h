/* What a plug-in offers to benchmarks besides: MPI as a program uses it that knows nothing of
 * Grappa, to compare with. Exported as
 *
 *   const struct GrappaMpiBench* grappa_mpi_bench(void);
 *
 * Everything uses communicators of its own. Ranks are the locales; `int` counts are of elements.
 *
 * Thread safety: one thread at a time, also not beside those of mpi_interface.h
 * (MPI_THREAD_SERIALIZED). Errors of MPI end the job.
 */
#ifndef GRAPPA_TRANSPORT_MPI_MPI_BENCH_INTERFACE_H
#define GRAPPA_TRANSPORT_MPI_MPI_BENCH_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever something below does; a plug-in of another version is refused. */
#define GRAPPA_MPI_BENCH_VERSION 1

struct GrappaMpiBench {
  unsigned version;

  /* Whether all ranks have come to this meeting. The first call says that this one has; it is
   * called again until it returns 1, which ends the meeting. Never waits. */
  int (*all_present)(void);

  /* Collective; they wait as MPI does, without giving the processor away. */
  void (*barrier)(void);
  void (*all_to_all)(const int* given, int* taken); /* one for each rank */
  void (*all_to_all_v)(const uint32_t* given, const int* given_counts, const int* given_offsets,
                       uint32_t* taken, const int* taken_counts, const int* taken_offsets);

  /* One message. */
  void (*send)(const void* data, size_t bytes, int destination);
  void (*receive)(void* data, size_t bytes, int source);
  /* `count` messages, one behind the other in memory: all are started, then all waited for. */
  void (*send_many)(const void* data, size_t bytes, int count, int destination);
  void (*receive_many)(void* data, size_t bytes, int count, int source);

  /* One-sided, on a window of 64-bit words, of which there is at most one at a time. What is said
   * to be done by these is done when a flush has returned; until then what pointers name stays. */
  int64_t* (*open_window)(size_t words); /* collective; the words of this rank, all 0 */
  void (*close_window)(void);            /* collective */
  int64_t* (*window)(void);              /* the words of this rank, as others have left them */
  void (*add)(const int64_t* by, int rank, size_t word); /* MPI_Accumulate */
  void (*fetch_add)(const int64_t* by, int64_t* before, int rank, size_t word); /* _Fetch_and_op */
  void (*get)(int64_t* value, int rank, size_t word);
  void (*put)(const int64_t* value, int rank, size_t word);
  void (*flush)(int rank);
  void (*flush_all)(void);
};

const struct GrappaMpiBench* grappa_mpi_bench(void);

#ifdef __cplusplus
}
#endif

#endif
