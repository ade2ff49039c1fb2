#include "grappa/query/io/parquet/schema.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "grappa/query/io/parquet/damage.hpp"

namespace grappa::query::parquet {
namespace {

/// The type, or a refusal.
void choose_type(FileColumn& column) {
  const SchemaElement& element = column.element;
  const Stored stored = *element.stored;
  const bool is_bytes = stored == Stored::kBytes || stored == Stored::kFixedBytes;
  const bool is_integer = stored == Stored::kInt32 || stored == Stored::kInt64;
  const auto refuse = [&] {
    column.refusal = "has a type that is not supported";
    return Type{};
  };
  const auto integer = [&](int bits, bool is_signed) {
    if (!is_integer) return refuse();
    switch (bits) {
      case 8:
        return Type{is_signed ? TypeId::kInt8 : TypeId::kInt16};
      case 16:
        return Type{is_signed ? TypeId::kInt16 : TypeId::kInt32};
      case 32:
        return is_signed ? kInt32 : kInt64;
      case 64:
        return is_signed ? kInt64 : Type::decimal(20, 0);
      default:
        return refuse();
    }
  };
  const auto bare = [&] {
    switch (stored) {
      case Stored::kBoolean:
        return kBoolean;
      case Stored::kInt32:
        return kInt32;
      case Stored::kInt64:
        return kInt64;
      case Stored::kInt96:
        return kTimestamp;
      case Stored::kFloat:
        return Type{TypeId::kFloat};
      case Stored::kDouble:
        return kDouble;
      case Stored::kBytes:
      case Stored::kFixedBytes:
        return kText;
    }
    __builtin_unreachable();
  };
  constexpr std::int64_t kHalfBytes = 2;
  constexpr std::int64_t kIntervalBytes = 12;
  constexpr std::int64_t kUuidBytes = 16;
  const auto fixed = [&](std::int64_t length, Type type) {
    return stored == Stored::kFixedBytes && element.length == length ? type : refuse();
  };
  const auto decimal = [&] {
    if (element.precision < 1 || element.precision > Type::kMostDigits ||
        element.scale > element.precision) {
      column.refusal = fmt::format("is a decimal({},{}); up to {} digits are supported",
                                   element.precision, element.scale, Type::kMostDigits);
      return Type{};
    }
    return is_integer || is_bytes ? Type::decimal(element.precision, element.scale) : refuse();
  };
  const auto type = [&] {
    switch (element.meaning) {
      case Meaning::kNone:
      case Meaning::kNull:
        return bare();
      case Meaning::kText:
        return is_bytes ? kText : refuse();
      case Meaning::kInteger:
        // No width that is stored in fewer bits is one of more.
        return element.bits == 64 && stored == Stored::kInt32
                   ? refuse()
                   : integer(element.bits, element.is_signed);
      case Meaning::kDecimal:
        return decimal();
      case Meaning::kDate:
        return stored == Stored::kInt32 ? kDate : refuse();
      case Meaning::kTime:
        return is_integer ? Type{TypeId::kTime} : refuse();
      case Meaning::kTimestamp:
        return stored == Stored::kInt64 ? kTimestamp : refuse();
      case Meaning::kInterval:
        return fixed(kIntervalBytes, Type{TypeId::kInterval});
      case Meaning::kUuid:
        return fixed(kUuidBytes, kText);
      case Meaning::kHalf:
        return fixed(kHalfBytes, Type{TypeId::kFloat});
      case Meaning::kOther:
        return refuse();
    }
    __builtin_unreachable();
  };
  if (stored == Stored::kFixedBytes && element.length == 0)
    column.refusal = "has values without bytes";
  else
    column.type = type();
}

class SchemaReader {
 public:
  explicit SchemaReader(const std::vector<SchemaElement>& schema) : schema_(schema) {}

  std::vector<FileColumn> read() {
    if (schema_.empty() || schema_[0].stored) throw Damage("its schema has no root");
    next_ = 1;
    for (std::int64_t i = 0; i < schema_[0].children; ++i) {
      const SchemaElement& element = take();
      FileColumn& column = columns_.emplace_back();
      column.name = element.name;
      column.element = element;
      column.leaf = leaves_;
      if (!element.stored) {
        column.refusal = "is nested: " + kind_of(element);
        skip_children(element, 0);
        continue;
      }
      ++leaves_;
      if (element.repetition == Repetition::kRepeated)
        column.refusal = "is nested: a list";
      else
        choose_type(column);
    }
    if (next_ != schema_.size()) throw Damage("its schema has elements that belong to no other");
    return std::move(columns_);
  }

 private:
  static constexpr int kMostLevels = 100;

  const SchemaElement& take() {
    if (next_ == schema_.size()) throw Damage("its schema is cut off");
    return schema_[next_++];
  }
  void skip_children(const SchemaElement& of, int level) {
    if (level > kMostLevels) throw Damage("its schema is nested too deep");
    for (std::int64_t i = 0; i < of.children; ++i) {
      const SchemaElement& child = take();
      if (child.stored)
        ++leaves_;
      else
        skip_children(child, level + 1);
    }
  }
  /// A list and a map have a group that repeats.
  std::string kind_of(const SchemaElement& element) const {
    const bool repeats = element.children == 1 && next_ < schema_.size() &&
                         (schema_[next_].repetition == Repetition::kRepeated);
    if (!repeats) return "a struct";
    return schema_[next_].children == 2 ? "a map, or a list of structs" : "a list";
  }

  const std::vector<SchemaElement>& schema_;
  std::size_t next_ = 0;
  std::size_t leaves_ = 0;
  std::vector<FileColumn> columns_;
};

}  // namespace

std::vector<FileColumn> columns_of(const Metadata& metadata) {
  std::vector<FileColumn> columns = SchemaReader(metadata.schema).read();
  std::size_t leaves = 0;
  for (const SchemaElement& element : metadata.schema) leaves += element.stored ? 1 : 0;
  for (const RowGroup& group : metadata.groups) {
    if (group.chunks.size() != leaves)
      throw Damage(
          fmt::format("a row group has {} columns, the schema {}", group.chunks.size(), leaves));
    for (FileColumn& column : columns) {
      if (!column.refusal.empty()) continue;
      const Chunk& chunk = group.chunks[column.leaf];
      if (!chunk.refusal.empty()) {
        column.refusal = "cannot be read: " + chunk.refusal;
        continue;
      }
      if (chunk.stored != column.element.stored)
        throw Damage(fmt::format("column {} has another type than the schema says", column.name));
      if (chunk.values != group.rows)
        throw Damage(fmt::format("column {} has {} values for {} rows", column.name, chunk.values,
                                 group.rows));
    }
  }
  return columns;
}

}  // namespace grappa::query::parquet
