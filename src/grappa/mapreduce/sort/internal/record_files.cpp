#include "grappa/mapreduce/sort/internal/record_files.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"
#include "grappa/base/serialize.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::mapreduce::detail {
namespace {

io::Input open(const std::string& path) {
  io::ExaminedFile file(path, io::Empty::kAllowed);
  // What is not on disk is there for the first locale only, which reads it for all.
  if (!file.is_on_disk() && locale_count() > 1)
    throw InputError(path, 0, "is no file on disk; records on several locales are read from those");
  io::Input input = io::Input::open(file);
  input.read_all();
  const std::size_t bytes = input.whole()->size();
  if (bytes % kRecordBytes != 0) {
    throw InputError(
        path, 0,
        fmt::format("{} bytes are no whole number of records of {} bytes", bytes, kRecordBytes));
  }
  return input;
}

void take_part(std::string_view bytes, bool reverse, Bulk<TextRecord>& records) {
  const auto cores = static_cast<std::size_t>(core_count());
  const auto core = static_cast<std::size_t>(this_core());
  const std::size_t count = bytes.size() / kRecordBytes;
  const std::size_t end = count * (core + 1) / cores;
  records.reserve(records.size() + count / cores + 1);
  for (std::size_t i = count * core / cores; i < end; ++i)
    records.push_back(text_record(bytes.substr(i * kRecordBytes, kRecordBytes), reverse));
}

}  // namespace

Owned<RecordFiles> read_record_files(const std::vector<std::string>& paths, bool reverse,
                                     const CoreState<Bulk<TextRecord>>& records) {
  const Owned<Exchange> exchange = Exchange::create();
  exchange->broadcast(to_bytes(paths));
  Owned<RecordFiles> files = RecordFiles::create([exchange = *exchange] {
    std::vector<io::Input> inputs;
    for (const auto& path : from_bytes<std::vector<std::string>>(exchange.take<std::byte>(0)))
      inputs.push_back(open(path));
    return inputs;
  });
  on_all_cores([files = *files, records, reverse] {
    for (const io::Input& input : *files) take_part(*input.whole(), reverse, records.mine());
  });
  return files;
}

}  // namespace grappa::mapreduce::detail
