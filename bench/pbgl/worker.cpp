// One process of the baseline `pbgl` of `grappa bench kernels`. A launcher of MPI starts them:
//
//   mpirun -n 2 pbgl_worker OFFSETS TARGETS WEIGHTS RESULT
//
// The arguments are the paths of the graph's arrays and of the file for what comes back; requests
// and answers are those of bench/baselines/worker.py. The first process reads the requests and
// tells the others, and answers when all are done; each writes the values of its own vertices. Who
// waits for a request sleeps: Grappa runs on the same processors meanwhile. A process that fails
// answers with its error, and ends them all.

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "bench/pbgl/pbgl_system.hpp"

namespace grappa::bench {
namespace {

constexpr std::chrono::milliseconds kNap{1};

/// What all processes of the job say to each other apart from the library.
class Job {
 public:
  Job() {
    MPI_Comm_dup(MPI_COMM_WORLD, &requests_);
    MPI_Comm_rank(requests_, &rank_);
    MPI_Comm_size(requests_, &size_);
  }

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_first() const { return rank_ == 0; }

  /// The next request, the same in all processes; empty when there are no more.
  std::string next_request() const {
    std::string request;
    if (is_first()) {
      std::getline(std::cin, request);
      for (int other = 1; other < size_; ++other)
        MPI_Send(request.data(), static_cast<int>(request.size()), MPI_CHAR, other, 0, requests_);
      return request;
    }
    MPI_Status status;
    for (int is_there = 0;;) {
      MPI_Iprobe(0, 0, requests_, &is_there, &status);
      if (is_there != 0) break;
      std::this_thread::sleep_for(kNap);
    }
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    request.resize(static_cast<std::size_t>(length));
    MPI_Recv(request.data(), length, MPI_CHAR, 0, 0, requests_, MPI_STATUS_IGNORE);
    return request;
  }

  double longest(double seconds) const {
    double longest = 0;
    MPI_Allreduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, requests_);
    return longest;
  }

 private:
  MPI_Comm requests_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

/// Each process of the job on a processor of its own, if there are enough.
void pin(const Job& job) {
  cpu_set_t usable;
  if (::sched_getaffinity(0, sizeof usable, &usable) != 0 || CPU_COUNT(&usable) < job.size())
    return;
  int place = job.rank();
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &usable) || place-- > 0) continue;
    cpu_set_t mine;
    CPU_ZERO(&mine);
    CPU_SET(cpu, &mine);
    ::sched_setaffinity(0, sizeof mine, &mine);
    return;
  }
}

void say(const nlohmann::json& answer) {
  std::cout << answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n'
            << std::flush;
}

class Worker {
 public:
  Worker(const Job& job, PbglFiles files, std::string result)
      : job_(job), files_(std::move(files)), result_(std::move(result)) {}

  nlohmann::json answer(const std::string& request) {
    std::istringstream words(request);
    std::string word;
    std::string kernel;
    words >> word;
    nlohmann::json answer = nlohmann::json::object();
    if (word == "load") {
      PbglShape shape;
      words >> shape.vertices >> shape.arcs >> shape.weight_type;
      vertices_ = shape.vertices;
      system_ = std::make_unique<PbglSystem>(files_, shape);
    } else if (word == "prepare") {
      double delta = 0;
      words >> kernel >> delta;
      system_->prepare(kernel, delta);
    } else if (word == "run") {
      std::int64_t source = 0;
      words >> kernel >> source;
      const double seconds = system_->run(kernel, source);
      write_values();
      answer = {{"seconds", job_.longest(seconds)}, {"values", vertices_}};
    } else if (word != "forget") {  // nothing is kept for one kernel
      throw std::runtime_error("no request " + word);
    }
    if (!words) throw std::runtime_error("not a whole request: " + request);
    return answer;
  }

 private:
  void write_values() const {
    const auto bytes = std::as_bytes(system_->values());
    const auto offset = static_cast<off_t>(system_->first_vertex() * sizeof(double));
    const int file = ::open(result_.c_str(), O_WRONLY | O_CLOEXEC);
    std::size_t done = 0;
    while (file >= 0 && done < bytes.size()) {
      const ssize_t count = ::pwrite(file, bytes.data() + done, bytes.size() - done,
                                     offset + static_cast<off_t>(done));
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    ::close(file);
    if (done < bytes.size()) throw std::runtime_error("cannot write " + result_);
  }

  const Job& job_;
  PbglFiles files_;
  std::string result_;
  std::int64_t vertices_ = 0;
  std::unique_ptr<PbglSystem> system_;
};

std::string name_of_all(const Job& job) {
  std::string library(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  MPI_Get_library_version(library.data(), &length);
  library.resize(static_cast<std::size_t>(length));
  library.resize(std::min(library.find(','), library.size()));
  return PbglSystem::name() + ", " + library + ", " + std::to_string(job.size()) + " processes";
}

/// Until there are no more requests.
void work(const Job& job, char** arguments) {
  Worker worker(job, {.offsets = arguments[1], .targets = arguments[2], .weights = arguments[3]},
                arguments[4]);
  if (job.is_first()) {
    say({{"system", name_of_all(job)}, {"lacks", {{"triangles", "no triangle counting"}}}});
  }
  for (;;) {
    const std::string request = job.next_request();
    if (request.empty()) return;
    const nlohmann::json answer = worker.answer(request);
    // The last values may have been written after those of the first process.
    job.longest(0);
    if (job.is_first()) say(answer);
  }
}

}  // namespace
}  // namespace grappa::bench

int main(int count, char** arguments) {
  using namespace grappa::bench;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (count != 5) {
    std::fputs("usage: pbgl_worker OFFSETS TARGETS WEIGHTS RESULT\n", stderr);
    return 2;
  }
  MPI_Init(&count, &arguments);
  try {
    const Job job;
    pin(job);
    work(job, arguments);
  } catch (const std::exception& error) {
    say({{"error", error.what()}});
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
