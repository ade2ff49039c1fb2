#pragma once

// Lines that are rows, but no CSV: JSON objects, and triples of RDF.
//
//   const auto fields = line_fields(LineKind::kJson);
//   fields->cut(line, [&](std::string_view key, const TextField& field) { use(key, field); });
//   fields->clear();                                     // what fields refer to may go
//
// JSON: strings are fields in quotes, as are objects and arrays, which are their JSON text; numbers
// and booleans are as they are written, null is blank. Objects that are elements of one array have
// lines of their own, too. N-Triples: subject, predicate and object as they are written.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "grappa/query/io/text_field.hpp"

namespace grappa::query {

enum class LineKind : std::uint8_t { kCsv, kJson, kTriples };

/// For one core.
class LineFields {
 public:
  LineFields() = default;
  LineFields(const LineFields&) = delete;
  LineFields& operator=(const LineFields&) = delete;
  virtual ~LineFields() = default;

  enum Outcome : std::uint8_t { kRow, kBlank, kProblem };
  using Take = std::function<void(std::string_view key, const TextField& field)>;
  /// io::kPadding bytes behind the line may be read.
  virtual Outcome cut(std::string_view line, const Take& take) = 0;
  virtual void clear() {}
  /// What the last line should have been.
  const std::string& problem() const { return problem_; }

 protected:
  Outcome fail(std::string message) {
    problem_ = std::move(message);
    return kProblem;
  }

 private:
  std::string problem_;
};

std::unique_ptr<LineFields> json_fields();
std::unique_ptr<LineFields> triple_fields();
/// Nothing for CSV.
std::unique_ptr<LineFields> line_fields(LineKind kind);

}  // namespace grappa::query
