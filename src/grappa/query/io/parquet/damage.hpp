#pragma once

// What is wrong with a Parquet file, before it is said where.
//
//   if (bytes.size() < 4) throw Damage("the length of a text was expected");

#include "grappa/base/error.hpp"

namespace grappa::query::parquet {

/// Who knows the file, the column and the rows makes an InputError of it.
class Damage : public Error {
 public:
  using Error::Error;
};

}  // namespace grappa::query::parquet
