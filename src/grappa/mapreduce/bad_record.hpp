#pragma once

// What a function of a dataset throws for a record that is not as it should be.
//
//   read_lines({"ages.txt"}).map([](std::string_view line) {
//     if (line.empty()) throw BadRecord("an age is missing");  // "ages.txt:17: an age is missing"
//     return line.size();
//   });
//
// Other exceptions do as well; of those the message has their type, too.

#include <stdexcept>

namespace grappa::mapreduce {

class BadRecord : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace grappa::mapreduce
