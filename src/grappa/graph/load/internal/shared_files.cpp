#include "grappa/graph/load/internal/shared_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "grappa/base/error.hpp"

namespace grappa::graph {
namespace {

std::string this_host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

void check_file(const std::string& file, const io::FileIdentity& here,
                const io::FileIdentity& there, std::size_t locale, const std::string& host) {
  const std::string place = fmt::format("locale {} (host {})", locale, host);
  if (there.error == EMFILE || there.error == ENFILE)  // not the fault of the file
    throw Error(fmt::format("{}: {} cannot open it: {}", file, place, std::strerror(there.error)));
  if (there.error != 0) {
    throw InputError(file, 0,
                     fmt::format("{} cannot open it: {}; every locale reads its part of the file, "
                                 "so each must have it under this path",
                                 place, std::strerror(there.error)));
  }
  if (here.bytes != there.bytes) {
    throw InputError(file, 0,
                     fmt::format("{} bytes at locale 0, but {} at {}: not the same file",
                                 here.bytes, there.bytes, place));
  }
  if (here != there) {
    throw InputError(file, 0, fmt::format("at {} this is another file than at locale 0", place));
  }
}

}  // namespace

SeenFiles see_files(const std::vector<const io::ExaminedFile*>& files) {
  SeenFiles seen{this_host(), {}};
  for (const io::ExaminedFile* file : files) seen.files.push_back(file->identity());
  return seen;
}

void check_same_files(const std::vector<const io::ExaminedFile*>& files,
                      const std::vector<SeenFiles>& seen) {
  if (seen.size() < 2) return;
  const SeenFiles here = see_files(files);
  for (std::size_t locale = 0; locale < seen.size(); ++locale) {
    const SeenFiles& there = locale == 0 ? here : seen[locale];
    for (std::size_t i = 0; i < files.size(); ++i)
      check_file(files[i]->path(), here.files[i], there.files[i], locale, there.host);
  }
}

}  // namespace grappa::graph
