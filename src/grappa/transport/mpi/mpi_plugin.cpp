// One MPI library behind the interface of mpi_interface.h. Compiled once for each library, and
// linked with nothing of Grappa.

#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "grappa/transport/mpi/mpi_interface.h"

namespace {

constexpr long kMinSleepNs = 20'000;
constexpr long kMaxSleepNs = 1'000'000;

// Up to this size libraries copy a message at once, and it is worth asking whether it has left.
constexpr size_t kEagerBytes = 4096;

struct Session {
  MPI_Comm everyone = MPI_COMM_NULL;
  MPI_Comm bulk = MPI_COMM_NULL;  // the same ranks: large packets are no match for the ring
  MPI_Comm node = MPI_COMM_NULL;
  bool started_mpi = false;
  void (*failed)(void* argument, const char* what) = nullptr;
  void* failed_argument = nullptr;
  std::vector<MPI_Request> sends;
  std::vector<MPI_Request> ring;
  std::vector<MPI_Request> bulk_receives;
  std::vector<int> indices;
  std::vector<MPI_Status> statuses;
};

// MPI is one for the whole process, and so is this.
Session session;

int rank_in(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

int size_of(MPI_Comm communicator) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  return size;
}

// Others may come much later than we do, and may need this processor until then.
void wait_gently(MPI_Request request) {
  long sleep_ns = kMinSleepNs;
  for (;;) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    const timespec pause{0, sleep_ns};
    nanosleep(&pause, nullptr);
    sleep_ns = std::min(sleep_ns * 2, kMaxSleepNs);
  }
}

const char* library() {
  static const std::string name = [] {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string whole(text, static_cast<std::size_t>(length));
    return whole.substr(0, whole.find_first_of(",\n"));
  }();
  return name.c_str();
}

void on_failure(void (*call)(void*, const char*), void* argument) {
  session.failed = call;
  session.failed_argument = argument;
}

void fail(MPI_Comm*, int* error, ...) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(*error, text, &length);
  const std::string what = "MPI has failed: " + std::string(text, static_cast<size_t>(length));
  if (session.failed != nullptr) session.failed(session.failed_argument, what.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int start(char* why, size_t why_bytes) {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (finalized != 0) {
    std::snprintf(why, why_bytes, "MPI_Finalize has been called already");
    return 1;
  }
  int provided = MPI_THREAD_SINGLE;
  if (initialized != 0) {
    MPI_Query_thread(&provided);
  } else {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    session.started_mpi = true;
  }
  if (provided < MPI_THREAD_SERIALIZED) {
    std::snprintf(why, why_bytes,
                  "MPI was started without MPI_THREAD_SERIALIZED; ask for it in MPI_Init_thread");
    return 1;
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &session.everyone);
  MPI_Comm_dup(MPI_COMM_WORLD, &session.bulk);
  MPI_Comm_split_type(session.everyone, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &session.node);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(&fail, &handler);
  for (const MPI_Comm communicator : {session.everyone, session.bulk, session.node})
    MPI_Comm_set_errhandler(communicator, handler);
  MPI_Errhandler_free(&handler);
  return 0;
}

// MPICH 4.0.2 over UCX's TCP never leaves MPI_Finalize in a process that has seen another one close
// its connection before. So nobody begins while others may still make progress in MPI: between
// meet() and finish() the watch of the job finds out that all have returned from the former.
//
// Nor does it leave with a connection that only one side has ever used. So every two have a word
// first; in a large job that would be too many, and the watch's patience has to do.
void have_a_word() {
#ifdef MPICH
  constexpr int kMaxConnected = 256;
  const int count = size_of(MPI_COMM_WORLD);
  std::vector<MPI_Request> words(2 * static_cast<std::size_t>(count), MPI_REQUEST_NULL);
  for (int rank = 0; rank < count && count <= kMaxConnected; ++rank) {
    MPI_Request* both = &words[2 * static_cast<std::size_t>(rank)];
    MPI_Irecv(nullptr, 0, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(nullptr, 0, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &both[1]);
  }
  MPI_Waitall(static_cast<int>(words.size()), words.data(), MPI_STATUSES_IGNORE);
#endif
}

void meet() {
  MPI_Request all_here = MPI_REQUEST_NULL;
  // Not among everyone: a process that begins one run more has a broadcast under way there, and is
  // to learn from the watch, and not from a mismatch, that the others leave.
  MPI_Ibarrier(session.bulk, &all_here);
  wait_gently(all_here);
  if (session.started_mpi) have_a_word();
}

void finish() {
  MPI_Comm_free(&session.node);
  MPI_Comm_free(&session.bulk);
  MPI_Comm_free(&session.everyone);
  if (session.started_mpi) MPI_Finalize();
}

void abort_job(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

int rank() { return rank_in(session.everyone); }
int size() { return size_of(session.everyone); }
int node_rank() { return rank_in(session.node); }
int node_size() { return size_of(session.node); }

void broadcast(void* data, size_t bytes) {
  MPI_Request request;
  MPI_Ibcast(data, static_cast<int>(bytes), MPI_BYTE, 0, session.everyone, &request);
  wait_gently(request);
}

void all_gather_in(MPI_Comm communicator, const void* mine, void* all, size_t bytes) {
  MPI_Request request;
  MPI_Iallgather(mine, static_cast<int>(bytes), MPI_BYTE, all, static_cast<int>(bytes), MPI_BYTE,
                 communicator, &request);
  wait_gently(request);
}
void all_gather(const void* mine, void* all, size_t bytes) {
  all_gather_in(session.everyone, mine, all, bytes);
}
void node_all_gather(const void* mine, void* all, size_t bytes) {
  all_gather_in(session.node, mine, all, bytes);
}

void all_to_all(const void* given, void* taken, size_t bytes) {
  MPI_Request request;
  MPI_Ialltoall(given, static_cast<int>(bytes), MPI_BYTE, taken, static_cast<int>(bytes), MPI_BYTE,
                session.everyone, &request);
  wait_gently(request);
}

void open_slots(int sends, int ring_receives, int bulk_receives) {
  session.sends.assign(static_cast<std::size_t>(sends), MPI_REQUEST_NULL);
  session.ring.assign(static_cast<std::size_t>(ring_receives), MPI_REQUEST_NULL);
  session.bulk_receives.assign(static_cast<std::size_t>(bulk_receives), MPI_REQUEST_NULL);
  session.indices.resize(session.bulk_receives.size());
  session.statuses.resize(session.bulk_receives.size());
}

void close_slots() {
  for (std::vector<MPI_Request>* receives : {&session.ring, &session.bulk_receives}) {
    for (MPI_Request& request : *receives) {
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    receives->clear();
  }
  session.sends.clear();
}

int send(int slot, const void* data, size_t bytes, int destination, int tag) {
  MPI_Request& request = session.sends[static_cast<std::size_t>(slot)];
  MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, destination, tag, session.everyone, &request);
  int left = 0;
  if (bytes <= kEagerBytes) MPI_Test(&request, &left, MPI_STATUS_IGNORE);
  return left;
}

void receive(int slot, void* data, size_t capacity) {
  MPI_Irecv(data, static_cast<int>(capacity), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
            session.everyone, &session.ring[static_cast<std::size_t>(slot)]);
}

GrappaMpiArrival arrival_of(int slot, const MPI_Status& status) {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  return {slot, status.MPI_SOURCE, status.MPI_TAG, static_cast<size_t>(bytes)};
}

int finished_receive(int slot, GrappaMpiArrival* arrival) {
  int finished = 0;
  MPI_Status status;
  MPI_Test(&session.ring[static_cast<std::size_t>(slot)], &finished, &status);
  if (finished != 0) *arrival = arrival_of(slot, status);
  return finished;
}

void send_bulk(int slot, const void* data, size_t bytes, int destination, int tag) {
  MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, destination, tag, session.bulk,
            &session.sends[static_cast<std::size_t>(slot)]);
}

void receive_bulk(int slot, void* data, size_t bytes, int source, int tag) {
  MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, source, tag, session.bulk,
            &session.bulk_receives[static_cast<std::size_t>(slot)]);
}

int finished_sends(int* slots) {
  int count = 0;
  MPI_Testsome(static_cast<int>(session.sends.size()), session.sends.data(), &count, slots,
               MPI_STATUSES_IGNORE);
  return count == MPI_UNDEFINED ? 0 : count;
}

int finished_bulk_receives(GrappaMpiArrival* arrivals) {
  int count = 0;
  MPI_Testsome(static_cast<int>(session.bulk_receives.size()), session.bulk_receives.data(), &count,
               session.indices.data(), session.statuses.data());
  if (count == MPI_UNDEFINED) return 0;
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    arrivals[i] = arrival_of(session.indices[at], session.statuses[at]);
  }
  return count;
}

constexpr GrappaMpi kInterface{GRAPPA_MPI_VERSION,
                               &library,
                               &start,
                               &on_failure,
                               &meet,
                               &finish,
                               &abort_job,
                               &rank,
                               &size,
                               &node_rank,
                               &node_size,
                               &broadcast,
                               &all_gather,
                               &node_all_gather,
                               &all_to_all,
                               &open_slots,
                               &close_slots,
                               &send,
                               &receive,
                               &finished_receive,
                               &send_bulk,
                               &receive_bulk,
                               &finished_sends,
                               &finished_bulk_receives};

}  // namespace

const GrappaMpi* grappa_mpi() { return &kInterface; }
