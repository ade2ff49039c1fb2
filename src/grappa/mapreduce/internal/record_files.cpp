#include "grappa/mapreduce/internal/record_files.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"
#include "grappa/base/serialize.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::mapreduce::detail {
namespace {

io::Input whole_input(io::ExaminedFile& file) {
  // What is no file is there for the first locale only.
  if (file.descriptor() < 0 && locale_count() > 1) {
    file.check();
    throw InputError(file.name(), 0,
                     "is no file on disk; records on several locales are read from those");
  }
  io::Input input = io::Input::open(file);
  input.read_all();
  return input;
}

}  // namespace

RecordFiles::File::File(const std::string& path)
    : examined(path, io::Empty::kAllowed), input(whole_input(examined)) {}

RecordFiles::RecordFiles(const std::vector<std::string>& paths, std::size_t record_bytes)
    : record_bytes_(record_bytes) {
  for (const std::string& path : paths) {
    const File& file = files_.emplace_back(path);
    const std::size_t bytes = file.bytes().size();
    if (bytes % record_bytes != 0) {
      throw InputError(
          file.examined.name(), 0,
          fmt::format("{} bytes are no whole number of records of {} bytes", bytes, record_bytes));
    }
    size_ += static_cast<std::int64_t>(bytes / record_bytes);
  }
}

std::vector<std::string_view> RecordFiles::shared() const {
  std::vector<std::string_view> texts;
  for (const File& file : files_) texts.push_back(file.bytes());
  return texts;
}

std::string RecordFiles::numbers() const {
  std::string all;
  for (const File& file : files_) all += file.examined.number() + ' ';
  return all;
}

void RecordFiles::check_unchanged() const {
  for (const File& file : files_) file.examined.check_unchanged();
}

LocaleState<RecordFiles> open_record_files(const std::vector<std::string>& paths,
                                           std::size_t record_bytes) {
  const Owned<Exchange> exchange = Exchange::create();
  exchange->broadcast(to_bytes(paths));
  return LocaleState<RecordFiles>::create([exchange = *exchange, record_bytes] {
    return RecordFiles(from_bytes<std::vector<std::string>>(exchange.take<std::byte>(0)),
                       record_bytes);
  });
}

}  // namespace grappa::mapreduce::detail
