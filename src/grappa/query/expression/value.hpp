#pragma once

// A single value, as constants and answers of one row have it.
//
//   Value price = Value::counted(Type::decimal(15, 2), 1250);   // 12.50
//   Value none = Value::null(kText);

#include <cstring>
#include <string>
#include <utility>

#include "grappa/query/type.hpp"
#include "grappa/query/vector.hpp"

namespace grappa::query {

class Value {
 public:
  Value() = default;
  static Value null(Type type = {}) { return Value(type, true); }
  static Value boolean(bool value) { return counted(kBoolean, value ? 1 : 0); }
  /// Of a type whose values are integers in memory, boolean included.
  static Value counted(Type type, Int128 value) {
    Value made(type, false);
    made.integer_ = value;
    return made;
  }
  static Value real(double value, Type type = kDouble) {
    Value made(type, false);
    made.real_ = value;
    return made;
  }
  static Value text(std::string value) {
    Value made(kText, false);
    made.text_ = std::move(value);
    return made;
  }
  static Value interval(Interval value) {
    Value made({TypeId::kInterval}, false);
    made.interval_ = value;
    return made;
  }

  const Type& type() const { return type_; }
  bool is_null() const { return is_null_; }
  bool is_true() const { return !is_null_ && integer_ != 0; }
  Int128 integer() const { return integer_; }
  double real() const { return real_; }
  const std::string& text() const { return text_; }
  const Interval& interval() const { return interval_; }

  /// As it lies in memory; a text refers to this value.
  template <class T>
  T stored() const {
    if constexpr (std::is_same_v<T, TextRef>) {
      return TextRef(text_);
    } else if constexpr (std::is_same_v<T, Interval>) {
      return interval_;
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(real_);
    } else {
      return static_cast<T>(integer_);
    }
  }
  template <class T>
  static Value of_stored(const Type& type, const T& value) {
    if constexpr (std::is_same_v<T, TextRef>) {
      return text(std::string(value.view()));
    } else if constexpr (std::is_same_v<T, Interval>) {
      return interval(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      return real(value, type);
    } else {
      return counted(type, value);
    }
  }
  /// Of a row.
  static Value of(const Vector& vector, std::size_t row) {
    if (!vector.is_valid(row)) return null(vector.type);
    return with_physical(vector.type.physical(),
                         [&]<class T>() { return of_stored<T>(vector.type, vector.at<T>(row)); });
  }

  friend bool operator==(const Value&, const Value&) = default;

 private:
  Value(Type type, bool is_null) : type_(type), is_null_(is_null) {}

  Type type_;
  bool is_null_ = true;
  Int128 integer_ = 0;
  double real_ = 0;
  Interval interval_;
  std::string text_;
};

}  // namespace grappa::query
