#include "python/module/query.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cli/edge_tables.hpp"
#include "grappa/base/error.hpp"
#include "grappa/query/database.hpp"
#include "grappa/query/value_text.hpp"
#include "python/module/arrays.hpp"
#include "python/module/input_tables.hpp"
#include "python/module/session.hpp"

namespace grappa::python {
namespace {

// ---- tables

/// Texts and None as offsets and bytes.
nb::tuple text_buffers(const nb::list& values) {
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::uint8_t> bytes;
  for (const nb::handle value : values) {
    if (!value.is_none()) {
      Py_ssize_t size = 0;
      const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
      if (text == nullptr) throw nb::python_error();
      bytes.insert(bytes.end(), text, text + size);
    }
    offsets.push_back(std::ssize(bytes));
  }
  return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(bytes)));
}

/// And back; None where `valid` has 0.
nb::list texts_of(const AnyArray& offsets, const AnyArray& bytes,
                  const std::optional<AnyArray>& valid) {
  const auto* offset = static_cast<const std::int64_t*>(offsets.data());
  const auto* text = static_cast<const char*>(bytes.data());
  const auto* is_valid = valid ? static_cast<const std::uint8_t*>(valid->data()) : nullptr;
  nb::list all;
  for (std::size_t i = 0; i + 1 < offsets.shape(0); ++i) {
    if (is_valid != nullptr && is_valid[i] == 0) {
      all.append(nb::none());
    } else {
      all.append(nb::steal(PyUnicode_DecodeUTF8(text + offset[i],
                                                static_cast<Py_ssize_t>(offset[i + 1] - offset[i]),
                                                "surrogateescape")));
    }
  }
  return all;
}

// ---- answers

/// A column of an answer: numbers, or texts where a type has no numbers in NumPy.
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
        if (is_valid) {
          text_.clear();
          query::append_text(text_, vector.at<T>(row), type_);
          bytes_.insert(bytes_.end(), text_.begin(), text_.end());
        }
        ends_.push_back(std::ssize(bytes_));
      });
    });
  }

  nb::tuple to_python() {
    nb::object values =
        is_text()
            ? nb::object(nb::make_tuple(to_numpy(std::move(ends_)), to_numpy(std::move(bytes_))))
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

  std::string name_;
  query::Type type_;
  std::variant<std::vector<std::uint8_t>, std::vector<std::int8_t>, std::vector<std::int16_t>,
               std::vector<std::int32_t>, std::vector<std::int64_t>, std::vector<float>,
               std::vector<double>>
      values_;
  std::string text_;                      // of one value, for a moment
  std::vector<std::uint8_t> bytes_;       // texts, one behind the other
  std::vector<std::int64_t> ends_ = {0};  // where each of them ends
  std::vector<std::uint8_t> valid_;
  bool has_nulls_ = false;
};

/// `memory`: bytes that tables and the query may use; 0: no bound.
nb::list run_query(const std::shared_ptr<PySession>& session, const std::string& text,
                   const nb::list& tables, std::size_t memory) {
  const InputTables input = take_tables(tables);
  std::vector<OutputColumn> columns = session->call([&] {
    query::Database database;
    cli::read_graphs(database, true);
    if (memory > 0) database.limit_memory({.bytes = memory});
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

void add_query(nb::module_& module) {
  module.def("run_query", &run_query);
  module.def("text_buffers", &text_buffers);
  module.def("texts_of", &texts_of, nb::arg("offsets"), nb::arg("bytes"), nb::arg("valid").none());
}

}  // namespace grappa::python
