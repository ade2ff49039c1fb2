#include "grappa/query/io/parquet/conversion.hpp"

#include <cmath>
#include <cstring>
#include <string>

#include "grappa/io/text/text_line.hpp"
#include "grappa/query/io/ascii.hpp"
#include "grappa/query/io/parquet/bit_reader.hpp"
#include "grappa/query/io/parquet/damage.hpp"

namespace grappa::query::parquet {

void refuse_value(std::string_view what) { throw Damage(std::string(what)); }

TextRef text_of(std::string_view bytes) {
  if (!is_ascii(bytes) && !io::is_valid_utf8(bytes)) refuse_value("a text is not valid UTF-8");
  return TextRef(bytes);
}

Int128 big_endian_number(std::string_view bytes) {
  if (bytes.size() > sizeof(Int128)) refuse_value("a decimal has more than 16 bytes");
  Int128 value = !bytes.empty() && static_cast<signed char>(bytes[0]) < 0 ? -1 : 0;
  for (const char byte : bytes) value = value * 256 + static_cast<unsigned char>(byte);
  return value;
}

TextRef uuid_text(std::string_view bytes, TextArena& arena) {
  constexpr std::size_t kLength = 36;
  constexpr std::string_view kDigits = "0123456789abcdef";
  char* const room = arena.reserve(kLength);
  std::size_t at = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) room[at++] = '-';
    const auto byte = static_cast<unsigned char>(bytes[i]);
    room[at++] = kDigits[byte >> 4];
    room[at++] = kDigits[byte & 0x0f];
  }
  return arena.use(room, at);
}

float half_value(std::string_view bytes) {
  const auto bits = load<std::uint16_t>(bytes.data());
  const int exponent = bits >> 10 & 0x1f;
  const int fraction = bits & 0x3ff;
  float value = 0;
  if (exponent == 0x1f)
    value = fraction == 0 ? std::numeric_limits<float>::infinity()
                          : std::numeric_limits<float>::quiet_NaN();
  else if (exponent == 0)
    value = std::ldexp(static_cast<float>(fraction), -24);
  else
    value = std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

Interval interval_value(std::string_view bytes) {
  const auto months = load<std::uint32_t>(bytes.data());
  const auto days = load<std::uint32_t>(bytes.data() + 4);
  const auto millis = load<std::uint32_t>(bytes.data() + 8);
  return {.months = static_cast<std::int32_t>(months),
          .days = static_cast<std::int32_t>(days),
          .microseconds = std::int64_t{millis} * 1000};
}

std::int64_t timestamp_of(const Int96& value) {
  constexpr std::int64_t kJulianDayOf1970 = 2'440'588;
  const std::int64_t day = std::int64_t{value.day} - kJulianDayOf1970;
  const Int128 micros = Int128{day} * kMicrosOfDay + Int128{value.nanoseconds / 1000};
  if (micros > std::numeric_limits<std::int64_t>::max() ||
      micros < std::numeric_limits<std::int64_t>::min())
    refuse_value("a timestamp is beyond those of 64 bits");
  return static_cast<std::int64_t>(micros);
}

}  // namespace grappa::query::parquet
