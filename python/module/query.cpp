#include "python/module/query.hpp"

#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/query/database.hpp"
#include "grappa/query/value_text.hpp"
#include "python/module/arrays.hpp"
#include "python/module/session.hpp"

namespace grappa::python {
namespace {

// ---- tables

/// What a column of texts refers to.
struct Texts {
  std::vector<std::int64_t> offsets = {0};
  std::string bytes;
  std::vector<std::uint8_t> valid;

  explicit Texts(const nb::list& values) {
    for (const nb::handle value : values) {
      valid.push_back(value.is_none() ? 0 : 1);
      if (!value.is_none()) {
        Py_ssize_t size = 0;
        const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
        if (text == nullptr) throw nb::python_error();
        bytes.append(text, static_cast<std::size_t>(size));
      }
      offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    }
  }
};

struct InputTable {
  std::string name;
  std::int64_t rows = 0;
  std::vector<query::MemoryColumn> columns;
};

/// The tables, and what keeps their memory until the query has ended.
struct Input {
  std::vector<InputTable> tables;
  std::vector<AnyArray> arrays;
  std::deque<Texts> texts;  // which stay in their places
};

const void* kept(Input& input, const nb::handle& array, std::int64_t rows, std::size_t bytes,
                 const std::string& name) {
  input.arrays.push_back(nb::cast<AnyArray>(array));
  const AnyArray& of = input.arrays.back();
  if (static_cast<std::int64_t>(of.shape(0)) != rows || of.itemsize() != bytes)
    throw UsageError(
        fmt::format("column {}: {} values of {} bytes were expected", name, rows, bytes));
  return of.data();
}

query::MemoryColumn column_of(Input& input, const nb::tuple& given, std::int64_t rows) {
  query::MemoryColumn column;
  column.name = nb::cast<std::string>(given[0]);
  const auto type = query::type_named(nb::cast<std::string>(given[1]));
  if (!type) throw UsageError(fmt::format("column {}: it has no type of SQL", column.name));
  column.type = *type;
  if (type->is_text()) {
    const Texts& texts = input.texts.emplace_back(nb::cast<nb::list>(given[2]));
    if (std::ssize(texts.valid) != rows)
      throw UsageError(fmt::format("column {}: {} texts were expected", column.name, rows));
    column.values = texts.offsets.data();
    column.text_bytes = texts.bytes.data();
    column.valid = texts.valid.data();
    return column;
  }
  column.values = kept(input, given[2], rows, query::size_of(type->physical()), column.name);
  if (!given[3].is_none())
    column.valid = static_cast<const std::uint8_t*>(kept(input, given[3], rows, 1, column.name));
  return column;
}

void take_tables(const nb::list& tables, Input& input) {
  for (const nb::handle of : tables) {
    const auto given = nb::cast<nb::tuple>(of);
    InputTable table{.name = nb::cast<std::string>(given[0]),
                     .rows = nb::cast<std::int64_t>(given[1]),
                     .columns = {}};
    for (const nb::handle column : nb::cast<nb::list>(given[2]))
      table.columns.push_back(column_of(input, nb::cast<nb::tuple>(column), table.rows));
    input.tables.push_back(std::move(table));
  }
}

// ---- answers

/// A column of an answer: numbers, or texts where a type has no numbers in Python.
class OutputColumn {
 public:
  OutputColumn(std::string name, query::Type type) : name_(std::move(name)), type_(type) {
    if (is_text()) return;
    query::with_physical(type.physical(), [&]<class T>() {
      if constexpr (std::is_arithmetic_v<T>) values_.emplace<std::vector<T>>();
    });
  }

  void append(const query::Vector& vector, const query::Batch& batch) {
    query::with_physical(type_.physical(), [&]<class T>() {
      batch.for_each([&](std::size_t row) {
        const bool is_valid = vector.is_valid(row);
        valid_.push_back(is_valid ? 1 : 0);
        has_nulls_ |= !is_valid;
        if constexpr (std::is_arithmetic_v<T>) {
          if (!is_text())
            return std::get<std::vector<T>>(values_).push_back(is_valid ? vector.at<T>(row) : T{});
        }
        if (is_valid) query::append_text(bytes_, vector.at<T>(row), type_);
        ends_.push_back(bytes_.size());
      });
    });
  }

  nb::tuple to_python() {
    nb::object values = is_text()
                            ? nb::object(texts())
                            : std::visit([](auto& of) { return to_numpy(std::move(of)); }, values_);
    nb::object valid = nb::none();
    if (has_nulls_) valid = to_numpy(std::move(valid_));
    return nb::make_tuple(name_.c_str(), query::name_of(type_).c_str(), values, valid);
  }

 private:
  bool is_text() const {
    return type_.is_text() || type_.id == query::TypeId::kDecimal ||
           type_.id == query::TypeId::kInterval;
  }
  nb::list texts() const {
    nb::list all;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      if (valid_[i] == 0) {
        all.append(nb::none());
      } else {
        all.append(nb::steal(PyUnicode_DecodeUTF8(
            bytes_.data() + begin, static_cast<Py_ssize_t>(ends_[i] - begin), "surrogateescape")));
      }
      begin = ends_[i];
    }
    return all;
  }

  std::string name_;
  query::Type type_;
  std::variant<std::vector<std::uint8_t>, std::vector<std::int8_t>, std::vector<std::int16_t>,
               std::vector<std::int32_t>, std::vector<std::int64_t>, std::vector<float>,
               std::vector<double>>
      values_;
  std::string bytes_;              // texts, one behind the other
  std::vector<std::size_t> ends_;  // of each of them
  std::vector<std::uint8_t> valid_;
  bool has_nulls_ = false;
};

nb::list run_query(const std::shared_ptr<PySession>& session, const std::string& text,
                   const nb::list& tables) {
  Input input;
  take_tables(tables, input);
  std::vector<OutputColumn> columns = session->call([&] {
    query::Database database;
    for (const InputTable& table : input.tables)
      database.add_table(table.name, table.columns, table.rows);
    std::vector<OutputColumn> last;
    database.execute(text, [&last](query::Answer& answer) {
      last.clear();
      for (std::size_t i = 0; i < answer.names.size(); ++i)
        last.emplace_back(answer.names[i], answer.types[i]);
      answer.for_each_batch([&last](const query::Batch& batch) {
        for (std::size_t i = 0; i < last.size(); ++i) last[i].append(batch.columns[i], batch);
      });
    });
    return last;
  });
  nb::list made;
  for (OutputColumn& column : columns) made.append(column.to_python());
  return made;
}

}  // namespace

void add_query(nb::module_& module) { module.def("run_query", &run_query); }

}  // namespace grappa::python
