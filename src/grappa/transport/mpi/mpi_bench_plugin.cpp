// One MPI library behind the interface of mpi_bench_interface.h: a part of its plug-in.

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "grappa/transport/mpi/mpi_bench_interface.h"

namespace {

constexpr int kTag = 1;
constexpr size_t kWordsOfPage = 4096 / sizeof(int64_t);

struct Session {
  MPI_Comm everyone = MPI_COMM_NULL;  // lives until MPI ends
  int ranks = 0;
  MPI_Request meeting = MPI_REQUEST_NULL;
  bool in_meeting = false;
  MPI_Win window = MPI_WIN_NULL;
  int64_t* words = nullptr;
  std::vector<MPI_Request> requests;
};

// MPI is one for the whole process, and so is this.
Session session;

bool is_finished(MPI_Request& request) {
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

int all_present() {
  // The first meeting makes the communicator, which nobody has before all have come.
  if (!session.in_meeting) {
    session.in_meeting = true;
    if (session.everyone == MPI_COMM_NULL) {
      MPI_Comm_idup(MPI_COMM_WORLD, &session.everyone, &session.meeting);
    } else {
      MPI_Ibarrier(session.everyone, &session.meeting);
    }
  }
  if (!is_finished(session.meeting)) return 0;
  session.in_meeting = false;
  MPI_Comm_size(session.everyone, &session.ranks);
  return 1;
}

void barrier() { MPI_Barrier(session.everyone); }

void all_to_all(const int* given, int* taken) {
  MPI_Alltoall(given, 1, MPI_INT, taken, 1, MPI_INT, session.everyone);
}

void all_to_all_v(const uint32_t* given, const int* given_counts, const int* given_offsets,
                  uint32_t* taken, const int* taken_counts, const int* taken_offsets) {
  MPI_Alltoallv(given, given_counts, given_offsets, MPI_UINT32_T, taken, taken_counts,
                taken_offsets, MPI_UINT32_T, session.everyone);
}

void send(const void* data, size_t bytes, int destination) {
  MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, destination, kTag, session.everyone);
}

void receive(void* data, size_t bytes, int source) {
  MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, source, kTag, session.everyone,
           MPI_STATUS_IGNORE);
}

void wait_for_requests() {
  MPI_Waitall(static_cast<int>(session.requests.size()), session.requests.data(),
              MPI_STATUSES_IGNORE);
}

void send_many(const void* data, size_t bytes, int count, int destination) {
  session.requests.resize(static_cast<size_t>(count));
  const auto* at = static_cast<const char*>(data);
  for (MPI_Request& request : session.requests) {
    MPI_Isend(at, static_cast<int>(bytes), MPI_BYTE, destination, kTag, session.everyone, &request);
    at += bytes;
  }
  wait_for_requests();
}

void receive_many(void* data, size_t bytes, int count, int source) {
  session.requests.resize(static_cast<size_t>(count));
  auto* at = static_cast<char*>(data);
  for (MPI_Request& request : session.requests) {
    MPI_Irecv(at, static_cast<int>(bytes), MPI_BYTE, source, kTag, session.everyone, &request);
    at += bytes;
  }
  wait_for_requests();
}

int64_t* open_window(size_t words) {
  // What an expert promises the library, so that it can be fast: sums only, in any order, of words.
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "accumulate_ordering", "none");
  MPI_Info_set(info, "accumulate_ops", "same_op_no_op");
  MPI_Info_set(info, "same_size", "true");
  MPI_Info_set(info, "same_disp_unit", "true");
  // Whole pages: where the length is odd, MPICH 4.0.2 adds to the last word of another rank.
  const size_t room = (words + kWordsOfPage - 1) / kWordsOfPage * kWordsOfPage;
  MPI_Win_allocate(static_cast<MPI_Aint>(room * sizeof(int64_t)), sizeof(int64_t), info,
                   session.everyone, static_cast<void*>(&session.words), &session.window);
  MPI_Info_free(&info);
  std::fill_n(session.words, words, 0);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, session.window);
  MPI_Win_sync(session.window);
  barrier();
  return session.words;
}

void close_window() {
  MPI_Win_unlock_all(session.window);
  MPI_Win_free(&session.window);
  session.words = nullptr;
}

int64_t* window() {
  MPI_Win_sync(session.window);
  return session.words;
}

void add(const int64_t* by, int rank, size_t word) {
  MPI_Accumulate(by, 1, MPI_INT64_T, rank, static_cast<MPI_Aint>(word), 1, MPI_INT64_T, MPI_SUM,
                 session.window);
}

void fetch_add(const int64_t* by, int64_t* before, int rank, size_t word) {
  MPI_Fetch_and_op(by, before, MPI_INT64_T, rank, static_cast<MPI_Aint>(word), MPI_SUM,
                   session.window);
}

void get(int64_t* value, int rank, size_t word) {
  MPI_Get(value, 1, MPI_INT64_T, rank, static_cast<MPI_Aint>(word), 1, MPI_INT64_T, session.window);
}

void put(const int64_t* value, int rank, size_t word) {
  MPI_Put(value, 1, MPI_INT64_T, rank, static_cast<MPI_Aint>(word), 1, MPI_INT64_T, session.window);
}

void flush(int rank) { MPI_Win_flush(rank, session.window); }
// Not MPI_Win_flush_all: that of MPICH 4.0.2 returns before MPI_Get has brought its values.
void flush_all() {
  for (int rank = 0; rank < session.ranks; ++rank) flush(rank);
}

constexpr GrappaMpiBench kInterface{GRAPPA_MPI_BENCH_VERSION,
                                    &all_present,
                                    &barrier,
                                    &all_to_all,
                                    &all_to_all_v,
                                    &send,
                                    &receive,
                                    &send_many,
                                    &receive_many,
                                    &open_window,
                                    &close_window,
                                    &window,
                                    &add,
                                    &fetch_add,
                                    &get,
                                    &put,
                                    &flush,
                                    &flush_all};

}  // namespace

const GrappaMpiBench* grappa_mpi_bench() { return &kInterface; }
