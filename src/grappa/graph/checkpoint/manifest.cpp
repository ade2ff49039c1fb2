#include "grappa/graph/checkpoint/manifest.hpp"

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
#include "grappa/graph/checkpoint/content_hash.hpp"
#include "grappa/graph/checkpoint/durable_file.hpp"
#include "grappa/graph/distributed/bytes.hpp"

namespace grappa::graph {
namespace {

constexpr std::array<char, 8> kMagic = {'G', 'R', 'A', 'P', 'P', 'A', 'C', 'P'};
constexpr std::uint64_t kVersion = 1;
constexpr const char* kName = "manifest";
constexpr const char* kTemporaryName = "manifest.tmp";
constexpr std::uint64_t kMaxItems = std::uint64_t{1} << 20;

static_assert(std::endian::native == std::endian::little);

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  ContentHash hash;
  hash.add(bytes);
  return hash.value();
}

ByteWriter encode(const Manifest& manifest) {
  ByteWriter out;
  out.put_text(manifest.kernel);
  out.put_text(manifest.options);
  out.put(manifest.graph);
  out.put(manifest.iteration);
  out.put(std::uint64_t{manifest.scalars.size()});
  for (const Manifest::Scalar& scalar : manifest.scalars) {
    out.put_text(scalar.name);
    out.put(scalar.bits);
  }
  out.put(std::uint64_t{manifest.arrays.size()});
  for (const Manifest::Array& array : manifest.arrays) {
    out.put_text(array.name);
    out.put(array.element_bytes);
  }
  out.put(std::uint64_t{manifest.parts.size()});
  for (const Manifest::Part& part : manifest.parts) {
    out.put_text(part.file);
    out.put(part.begin);
    out.put(part.end);
    out.put(part.bytes);
    out.put(part.hash);
  }
  return out;
}

std::uint64_t get_count(ByteReader& in) {
  const auto count = in.get<std::uint64_t>();
  if (count > kMaxItems) throw Error("too many items");
  return count;
}

Manifest decode(ByteReader& in) {
  Manifest manifest;
  manifest.kernel = in.get_text();
  manifest.options = in.get_text();
  manifest.graph = in.get<GraphFingerprint>();
  manifest.iteration = in.get<std::int64_t>();
  manifest.scalars.resize(get_count(in));
  for (Manifest::Scalar& scalar : manifest.scalars) {
    scalar.name = in.get_text();
    scalar.bits = in.get<std::uint64_t>();
  }
  manifest.arrays.resize(get_count(in));
  for (Manifest::Array& array : manifest.arrays) {
    array.name = in.get_text();
    array.element_bytes = in.get<std::int64_t>();
  }
  manifest.parts.resize(get_count(in));
  for (Manifest::Part& part : manifest.parts) {
    part.file = in.get_text();
    part.begin = in.get<std::int64_t>();
    part.end = in.get<std::int64_t>();
    part.bytes = in.get<std::uint64_t>();
    part.hash = in.get<std::uint64_t>();
  }
  if (!in.at_end()) throw Error("too long");
  return manifest;
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
    ByteReader contents(bytes.subspan(kHeadBytes, bytes.size() - kHeadBytes - sizeof hash));
    return decode(contents);
  } catch (const Error& error) {
    throw InputError(path, 0, fmt::format("damaged: {}", error.what()));
  }
}

void write_manifest(const std::string& folder, const Manifest& manifest) {
  const ByteWriter contents = encode(manifest);
  ByteWriter out;
  out.put(kMagic);
  out.put(kVersion);
  out.put(std::uint64_t{kMagic.size() + 3 * sizeof(std::uint64_t) + contents.bytes().size()});
  out.put_span(contents.bytes());
  out.put(hash_of(out.bytes()));
  // What a run that was killed has left.
  ::unlink((folder + "/" + kTemporaryName).c_str());
  DurableFile file(folder + "/" + kTemporaryName);
  file.write(out.bytes());
  file.finish();
  replace_file(folder, kTemporaryName, kName);
}

}  // namespace grappa::graph
