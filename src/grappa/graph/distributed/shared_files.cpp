#include "grappa/graph/distributed/shared_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "grappa/base/error.hpp"
#include "grappa/graph/distributed/bytes.hpp"
#include "grappa/graph/io/file_identity.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa::graph {
namespace {

std::string this_host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

/// What this locale sees of the files that all must see alike.
std::vector<std::byte> look_at_files(const std::vector<std::string>& files) {
  ByteWriter out;
  out.put_text(this_host());
  for (const std::string& file : files) out.put(io::identify_file(file));
  return {out.bytes().begin(), out.bytes().end()};
}

void check_file(const std::string& file, const io::FileIdentity& here,
                const io::FileIdentity& there, int locale, const std::string& host) {
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

void check_same_files(const std::vector<std::string>& files, const Exchange& exchange) {
  ByteWriter names;
  names.put(files.size());
  for (const std::string& file : files) names.put_text(file);
  exchange.broadcast(names.bytes());
  on_all_locales([exchange] {
    const std::vector<std::byte> bytes = exchange.take<std::byte>(0);
    ByteReader in(bytes);
    std::vector<std::string> wanted(in.get<std::size_t>());
    for (std::string& file : wanted) file = in.get_text();
    exchange.send(0, look_at_files(wanted));
  });
  std::vector<io::FileIdentity> here(files.size());
  for (int locale = 0; locale < locale_count(); ++locale) {
    const std::vector<std::byte> bytes = exchange.take<std::byte>(locale);
    ByteReader in(bytes);
    const std::string host = in.get_text();
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto there = in.get<io::FileIdentity>();
      if (locale == 0) here[i] = there;
      check_file(files[i], here[i], there, locale, host);
    }
  }
}

}  // namespace grappa::graph
