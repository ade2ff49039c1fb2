#pragma once

// Standard output: buffered, and with its errors noticed.
//
//   standard_output().print("{} vertices\n", n);
//   standard_output().finish();                     // at the end; throws Error for a full disk
//
// When nobody reads any more (a closed pipe, as in `grappa … | head`), the rest is dropped without
// a word: that is what the reader wanted. One thread at a time.

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace grappa::cli {

class StandardOutput {
 public:
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= kFlushBytes) flush();
  }
  void write(std::string_view text);

  /// Hands over what is buffered, so that a person sees it before a long computation.
  void flush();
  void finish() { flush(); }

 private:
  static constexpr std::size_t kFlushBytes = std::size_t{1} << 16;

  void write_out(std::string_view text);

  std::string buffer_;
  bool closed_ = false;
};

StandardOutput& standard_output();

}  // namespace grappa::cli
