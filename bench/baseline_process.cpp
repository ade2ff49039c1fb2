#include "bench/baseline_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"

namespace grappa::bench {
namespace {

constexpr int kEndingTicks = 2000;
constexpr std::chrono::milliseconds kEndingTick{1};
constexpr std::size_t kMaxComplaint = 4096;  // bytes of standard error that are looked at

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

cpu_set_t set_of(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(static_cast<std::size_t>(processor), &set);
  return set;
}

}  // namespace

BaselineProcess::Pipe::Pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(fmt::format("bench: cannot make a pipe: {}", std::strerror(errno)));
  read = ends[0];
  write = ends[1];
}

BaselineProcess::Pipe::~Pipe() {
  close(read);
  close(write);
}

void BaselineProcess::Pipe::close(int& end) {
  if (end >= 0) ::close(end);
  end = -1;
}

BaselineProcess::BaselineProcess(BaselineProgram program, const std::vector<std::string>& files,
                                 int limit_seconds)
    : name_(std::move(program.name)), limit_seconds_(limit_seconds) {
  start(program, files);
  try {
    const auto greeting = nlohmann::json::parse(receive("start"));
    if (greeting.contains("missing"))
      throw UsageError(fmt::format(
          "{}: {} has not its packages ({}): {} installs them", program.wanted_by,
          program.words.front(), greeting.at("missing").get<std::string>(), program.installed_by));
    system_ = greeting.at("system").get<std::string>();
    for (const auto& [kernel, reason] : greeting.at("lacks").items())
      lacks_.emplace_back(kernel, reason.get<std::string>());
  } catch (const nlohmann::json::exception& error) {
    end();
    fail(fmt::format("does not greet as it should ({})", error.what()));
  } catch (...) {
    end();
    throw;
  }
}

BaselineProcess::~BaselineProcess() { end(); }

void BaselineProcess::start(BaselineProgram& program, const std::vector<std::string>& files) {
  program.words.insert(program.words.end(), files.begin(), files.end());
  program.words.push_back(result_.path());
  const std::vector<char*> arguments = pointers_to(program.words);
  const std::vector<char*> environment = pointers_to(program.environment);
  const cpu_set_t processors = set_of(program.processors);

  process_ = ::fork();
  if (process_ < 0) fail(fmt::format("cannot be started ({})", std::strerror(errno)));
  if (process_ == 0) {
    // Only what is safe after a fork of a process with threads.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::setpgid(0, 0);  // an interrupt of the terminal is for us, who end it
    ::sched_setaffinity(0, sizeof processors, &processors);
    if (::dup2(requests_.read, STDIN_FILENO) < 0 || ::dup2(answers_.write, STDOUT_FILENO) < 0 ||
        ::dup2(complaints_.descriptor(), STDERR_FILENO) < 0)
      ::_exit(127);
    ::execve(arguments[0], arguments.data(), environment.data());
    ::_exit(127);
  }
  Pipe::close(requests_.read);
  Pipe::close(answers_.write);
}

std::optional<std::string> BaselineProcess::lacks(std::string_view kernel) const {
  for (const auto& [name, reason] : lacks_) {
    if (name == kernel) return reason;
  }
  return std::nullopt;
}

nlohmann::json BaselineProcess::ask(const std::string& request) {
  send(request);
  const std::string line = receive(request);
  auto answer = nlohmann::json::parse(line, nullptr, false);
  if (!answer.is_object()) fail(fmt::format("answers '{}' with '{}'", request, line));
  if (answer.contains("error"))
    fail(fmt::format("answers '{}' with {}", request, answer.at("error").get<std::string>()));
  return answer;
}

std::vector<double> BaselineProcess::values(std::size_t count) const {
  std::vector<double> values(count);
  const std::size_t bytes = result_.read(std::as_writable_bytes(std::span(values)));
  values.resize(bytes / sizeof(double));
  return values;
}

std::string BaselineProcess::text(std::size_t bytes) const {
  std::string text(bytes, '\0');
  text.resize(result_.read(std::as_writable_bytes(std::span(text))));
  return text;
}

void BaselineProcess::send(const std::string& request) {
  const std::string line = request + '\n';
  // Short enough to go in one piece: the process has read all before.
  const auto length = static_cast<ssize_t>(line.size());
  if (::write(requests_.write, line.data(), line.size()) != length) fail_as_ended(request);
}

std::string BaselineProcess::receive(const std::string& request) {
  const std::uint64_t deadline =
      internal::now_ns() + static_cast<std::uint64_t>(limit_seconds_) * 1'000'000'000;
  for (;;) {
    if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    const std::uint64_t now = internal::now_ns();
    pollfd waiting = {.fd = answers_.read, .events = POLLIN, .revents = 0};
    const int milliseconds =
        now >= deadline ? 0 : static_cast<int>((deadline - now) / 1'000'000) + 1;
    const int ready = ::poll(&waiting, 1, milliseconds);
    if (ready == 0) {
      end();
      fail(fmt::format("has not answered '{}' within {} s: --limit allows more", request,
                       limit_seconds_));
    }
    if (ready < 0) {
      if (errno == EINTR) continue;
      fail(fmt::format("cannot be waited for ({})", std::strerror(errno)));
    }
    std::array<char, 4096> buffer{};
    const ssize_t count = ::read(answers_.read, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail_as_ended(request);
    received_.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

void BaselineProcess::fail_as_ended(const std::string& request) {
  const int status = wait_for_end();
  const std::string how = WIFSIGNALED(status)
                              ? fmt::format("was ended by signal {}", WTERMSIG(status))
                              : fmt::format("ended with status {}", WEXITSTATUS(status));
  const std::string complaint = last_complaint();
  fail(fmt::format("{} at '{}'{}{}", how, request, complaint.empty() ? "" : ": ", complaint));
}

void BaselineProcess::fail(const std::string& what) const {
  throw Error(fmt::format("bench: baseline {} {}", name_, what));
}

std::optional<int> BaselineProcess::has_ended() {
  int status = 0;
  for (int i = 0; i < kEndingTicks; ++i) {
    if (::waitpid(process_, &status, WNOHANG) == process_) {
      process_ = -1;
      return status;
    }
    std::this_thread::sleep_for(kEndingTick);
  }
  return std::nullopt;
}

int BaselineProcess::wait_for_end() {
  // It has closed its output, so it ought to be ending.
  if (const auto status = has_ended()) return *status;
  end();
  return SIGTERM;
}

void BaselineProcess::end() {
  if (process_ < 0) return;
  // A launcher of MPI ends its processes, and takes its files away.
  ::kill(process_, SIGTERM);
  if (has_ended()) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

std::string BaselineProcess::last_complaint() const {
  const std::size_t size = complaints_.size();
  std::string text(std::min(size, kMaxComplaint), '\0');
  text.resize(complaints_.read(std::as_writable_bytes(std::span(text)),
                               static_cast<std::int64_t>(size - text.size())));
  // Open MPI puts what it says between lines of dashes.
  text.resize(text.find_last_not_of("-\n") + 1);
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace grappa::bench
