#include "grappa/mapreduce/kmeans/internal/point_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "grappa/base/each_slice.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/serialize.hpp"
#include "grappa/io/input.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::mapreduce::detail {
namespace {

/// Where the numbers of a file are, and what they are.
struct Layout {
  std::string type = "f8";  // as NumPy calls it, little-endian
  std::size_t begin = 0;    // bytes
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool by_columns = false;  // one column after the other

  std::size_t width() const { return static_cast<std::size_t>(type[1] - '0'); }
};

/// The text behind `key` in the header of a .npy file.
std::string_view value_of(std::string_view header, std::string_view key, const std::string& file) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos)
    throw InputError(file, 0, fmt::format("the header has no '{}'", key));
  std::string_view value = header.substr(at + key.size() + 3);
  while (value.starts_with(' ')) value.remove_prefix(1);
  return value;
}

std::int64_t take_number(std::string_view& text, const std::string& file) {
  while (text.starts_with(' ') || text.starts_with(',') || text.starts_with('('))
    text.remove_prefix(1);
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0)
    throw InputError(file, 0, "expected an array of two dimensions");
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// The format: numpy.lib.format, versions 1 to 3.
Layout numpy_layout(std::string_view bytes, const std::string& file) {
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY"))
    throw InputError(file, 0, "is no .npy file");
  const bool wide = bytes[6] != 1;  // the length of the header has four bytes
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, wide ? 4 : 2);
  Layout layout;
  layout.begin = (wide ? 12u : 10u) + length;
  if (layout.begin > bytes.size()) throw InputError(file, 0, "ends within its header");
  const std::string_view header = bytes.substr(10, layout.begin - 10);
  const std::string_view type = value_of(header, "descr", file).substr(1, 3);
  if (type != "<f8" && type != "<f4" && type != "<i8" && type != "<i4") {
    throw InputError(file, 0,
                     fmt::format("has values of type '{}'; float64, float32, int64 and int32, "
                                 "little-endian, can be read",
                                 type));
  }
  layout.type = type.substr(1);
  layout.by_columns = value_of(header, "fortran_order", file).starts_with("True");
  std::string_view shape = value_of(header, "shape", file);
  layout.rows = take_number(shape, file);
  layout.columns = take_number(shape, file);
  while (shape.starts_with(',') || shape.starts_with(' ')) shape.remove_prefix(1);
  if (!shape.starts_with(')') || layout.columns == 0)
    throw InputError(file, 0, "expected an array of two dimensions");
  return layout;
}

Layout layout_of(std::string_view bytes, bool numpy, int columns, const std::string& file) {
  if (numpy) {
    const Layout layout = numpy_layout(bytes, file);
    const auto wanted = static_cast<std::uint64_t>(layout.rows) *
                        static_cast<std::uint64_t>(layout.columns) * layout.width();
    if (bytes.size() - layout.begin != wanted) {
      throw InputError(
          file, 0,
          fmt::format("has {} bytes of values, {} expected for {} x {}",
                      bytes.size() - layout.begin, wanted, layout.rows, layout.columns));
    }
    return layout;
  }
  if (columns < 1)
    throw UsageError(
        fmt::format("{}: the number of columns is not in the file; give --columns N", file));
  const std::size_t row = static_cast<std::size_t>(columns) * sizeof(double);
  if (bytes.size() % row != 0) {
    throw InputError(
        file, 0,
        fmt::format("{} bytes are no whole number of points of {} doubles", bytes.size(), columns));
  }
  return {.rows = static_cast<std::int64_t>(bytes.size() / row), .columns = columns};
}

double number_at(const char* at, std::string_view type) {
  const auto load = [at]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  };
  if (type == "f8") return load(double{});
  if (type == "f4") return load(float{});
  return type == "i8" ? load(std::int64_t{}) : load(std::int32_t{});
}

/// Appends rows [begin, end) of the file.
void take_rows(std::string_view bytes, const Layout& layout, const std::string& file,
               std::int64_t begin, std::int64_t end, PointBlocks& blocks) {
  std::vector<double> point(static_cast<std::size_t>(layout.columns));
  for (std::int64_t row = begin; row < end; ++row) {
    for (std::int64_t column = 0; column < layout.columns; ++column) {
      const std::int64_t place =
          layout.by_columns ? column * layout.rows + row : row * layout.columns + column;
      const double value =
          number_at(bytes.data() + layout.begin + static_cast<std::size_t>(place) * layout.width(),
                    layout.type);
      if (!std::isfinite(value)) {
        throw InputError(file, 0,
                         fmt::format("row {}, column {} is not finite", row + 1, column + 1));
      }
      point[static_cast<std::size_t>(column)] = value;
    }
    blocks.add(point.data());
  }
}

/// What all cores of a locale read.
struct Mapped {
  std::string path;
  io::Input input;
  Layout layout;
};

std::vector<Mapped> map_files(const std::vector<std::string>& paths, bool numpy, int columns) {
  std::vector<Mapped> files;
  for (const std::string& path : paths) {
    io::Input input = io::Input::open(path);
    input.read_all();
    const Layout layout = layout_of(*input.whole(), numpy, columns, path);
    files.push_back({path, std::move(input), layout});
    if (layout.columns != files.front().layout.columns) {
      throw InputError(path, 0,
                       fmt::format("has {} columns, {} expected as in {}", layout.columns,
                                   files.front().layout.columns, files.front().path));
    }
  }
  return files;
}

/// Those of the calling core, of all rows one below the other.
PointBlocks rows_of_core(const std::vector<Mapped>& files) {
  std::int64_t rows = 0;
  for (const Mapped& file : files) rows += file.layout.rows;
  const auto [begin, end] = grappa::internal::slice_of(0, rows, this_core(), core_count(), 1);
  PointBlocks blocks(static_cast<int>(files.front().layout.columns));
  grappa::internal::each_slice(
      files.size(), begin, end, [&](std::size_t i) { return files[i].layout.rows; },
      [&](std::size_t i, std::int64_t /*before*/, std::int64_t from, std::int64_t to) {
        const Mapped& file = files[i];
        take_rows(*file.input.whole(), file.layout, file.path, from, to, blocks);
      });
  blocks.fill_up();
  return blocks;
}

}  // namespace

void read_point_files(const std::vector<std::string>& paths, bool numpy,
                      const CoreState<PointBlocks>& blocks, int& dimensions) {
  const Owned<Exchange> exchange = Exchange::create();
  exchange->broadcast(to_bytes(paths));
  using Files = LocaleState<std::vector<Mapped>>;
  const Owned<Files> files = Files::create([exchange = *exchange, numpy, columns = dimensions] {
    return map_files(from_bytes<std::vector<std::string>>(exchange.take<std::byte>(0)), numpy,
                     columns);
  });
  dimensions = static_cast<int>((*files)->front().layout.columns);
  on_all_cores([files = *files, blocks] { blocks.mine() = rows_of_core(*files); });
}

}  // namespace grappa::mapreduce::detail
