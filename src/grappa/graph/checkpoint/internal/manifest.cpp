#include "grappa/graph/checkpoint/internal/manifest.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "grappa/base/error.hpp"
#include "grappa/base/serialize.hpp"
#include "grappa/graph/checkpoint/internal/content_hash.hpp"
#include "grappa/graph/checkpoint/internal/durable_file.hpp"

namespace grappa::graph {
namespace {

constexpr std::array<char, 8> kMagic = {'G', 'R', 'A', 'P', 'P', 'A', 'C', 'P'};
constexpr std::uint64_t kVersion = 1;
constexpr const char* kName = "manifest";
constexpr const char* kTemporaryName = "manifest.tmp";

static_assert(std::endian::native == std::endian::little);

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  ContentHash hash;
  hash.add(bytes);
  return hash.value();
}

}  // namespace

std::string manifest_path(const std::string& folder) { return folder + "/" + kName; }

bool has_manifest(const std::string& folder) {
  std::error_code error;
  return std::filesystem::exists(manifest_path(folder), error);
}

Manifest read_manifest(const std::string& folder) {
  const std::string path = manifest_path(folder);
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw InputError(folder, 0,
                     fmt::format("no checkpoint is there: manifest: {}", std::strerror(errno)));
  }
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const std::span<const std::byte> bytes = std::as_bytes(std::span(content));
  constexpr std::size_t kHeadBytes = sizeof(kMagic) + 2 * sizeof(std::uint64_t);
  if (bytes.size() < kHeadBytes + sizeof(std::uint64_t) ||
      std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    throw InputError(path, 0, "damaged: this is not the manifest of a checkpoint");
  }
  ByteReader in(bytes.subspan(kMagic.size()));
  const auto version = in.get<std::uint64_t>();
  const auto length = in.get<std::uint64_t>();
  std::uint64_t hash = 0;
  std::memcpy(&hash, bytes.data() + bytes.size() - sizeof hash, sizeof hash);
  if (length != bytes.size() || hash_of(bytes.first(bytes.size() - sizeof hash)) != hash) {
    throw InputError(path, 0, "damaged: its content does not match its checksum");
  }
  if (version != kVersion) {
    throw InputError(
        path, 0,
        fmt::format("a checkpoint of version {}, this program reads {}", version, kVersion));
  }
  try {
    return from_bytes<Manifest>(bytes.subspan(kHeadBytes, bytes.size() - kHeadBytes - sizeof hash));
  } catch (const Error& error) {
    throw InputError(path, 0, fmt::format("damaged: {}", error.what()));
  }
}

void write_manifest(const std::string& folder, const Manifest& manifest) {
  const std::vector<std::byte> contents = to_bytes(manifest);
  ByteWriter out;
  out.put(kMagic);
  out.put(kVersion);
  out.put(std::uint64_t{kMagic.size() + 3 * sizeof(std::uint64_t) + contents.size()});
  out.put_span(std::span(contents));
  out.put(hash_of(out.bytes()));
  // What a run that was killed has left.
  ::unlink((folder + "/" + kTemporaryName).c_str());
  DurableFile file(folder + "/" + kTemporaryName);
  file.write(out.bytes());
  file.finish();
  replace_file(folder, kTemporaryName, kName);
}

}  // namespace grappa::graph
