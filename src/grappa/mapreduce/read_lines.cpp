#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "grappa/base/serialize.hpp"
#include "grappa/mapreduce/dataset.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::mapreduce {
namespace detail {

LocaleState<TextFiles> open_text_files(const std::vector<std::string>& paths,
                                       const TextOptions& options,
                                       std::function<void(double)> progress) {
  const Owned<Exchange> exchange = Exchange::create();
  exchange->broadcast(to_bytes(paths));
  const auto files = LocaleState<TextFiles>::create([exchange = *exchange, options] {
    return TextFiles(from_bytes<std::vector<std::string>>(exchange.take<std::byte>(0)), options);
  });
  files->report_to(std::move(progress));
  return files;
}

}  // namespace detail

Dataset<std::string_view, detail::TextSource> read_text(const std::vector<std::string>& paths,
                                                        DatasetOptions options) {
  detail::Resources resources(options.skip_bad_records);
  const auto files = resources.own(detail::open_text_files(paths, {}, std::move(options.progress)));
  return {{resources.errors(), files}, resources};
}

Dataset<std::string_view, detail::LinesSource> read_lines(const std::vector<std::string>& paths,
                                                          DatasetOptions options) {
  detail::Resources resources(options.skip_bad_records);
  const auto files = resources.own(detail::open_text_files(paths, {}, std::move(options.progress)));
  return {{resources.errors(), files}, resources};
}

}  // namespace grappa::mapreduce
