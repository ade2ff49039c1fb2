// The `grappa` of a package, which is for any x86-64 processor: becomes the tool that was compiled
// for this one.
//
// The tools are ../lib/…/grappa/LEVEL/grappa, seen from this program, one for each level of the
// processor supplement of the x86-64 ABI. GRAPPA_PROCESSOR=LEVEL chooses one by name: the processes
// of a job must run the same one, whatever machines they are on.

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Level {
  const char* name;
  bool runs_here;
};

constexpr int kBadUsage = 2;

int refuse(const std::string& message) {
  std::fprintf(stderr, "grappa: %s\n", message.c_str());
  return kBadUsage;
}

std::string folder_of_this_program() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string whole(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  return whole.substr(0, whole.rfind('/') + 1);
}

}  // namespace

int main(int, char** argv) {
  __builtin_cpu_init();
  const Level levels[] = {{"x86-64-v4", __builtin_cpu_supports("x86-64-v4") != 0},
                          {"x86-64-v3", __builtin_cpu_supports("x86-64-v3") != 0},
                          {"x86-64-v2", __builtin_cpu_supports("x86-64-v2") != 0}};
  const char* wanted = std::getenv("GRAPPA_PROCESSOR");
  const Level* chosen = nullptr;
  for (const Level& level : levels) {
    if (wanted == nullptr ? level.runs_here : std::strcmp(level.name, wanted) == 0) {
      chosen = &level;
      break;
    }
  }
  if (wanted != nullptr && chosen == nullptr) {
    return refuse("GRAPPA_PROCESSOR: \"" + std::string(wanted) +
                  "\" is not allowed; give x86-64-v2, x86-64-v3 or x86-64-v4");
  }
  if (chosen == nullptr) return refuse("this processor is older than x86-64-v2");
  if (!chosen->runs_here) {
    return refuse("GRAPPA_PROCESSOR: this processor is not " + std::string(chosen->name));
  }
  const std::string tool =
      folder_of_this_program() + GRAPPA_LEVELS_FROM_TOOL + "/" + chosen->name + "/grappa";
  execv(tool.c_str(), argv);
  return refuse("cannot run " + tool + ": " + std::strerror(errno));
}
