#include "grappa/query/io/parquet/value_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "grappa/query/io/parquet/bit_reader.hpp"

namespace grappa::query::parquet {
namespace {

[[noreturn]] void refuse_values() { throw Damage("a page has fewer values than it says"); }

template <class P>
bool has_encoding(Encoding encoding, bool is_fixed) {
  constexpr bool kIsInteger = std::is_same_v<P, std::int32_t> || std::is_same_v<P, std::int64_t>;
  constexpr bool kIsBytes = std::is_same_v<P, std::string_view>;
  switch (encoding) {
    case Encoding::kPlain:
      return true;
    case Encoding::kRuns:
      return std::is_same_v<P, std::uint8_t>;
    case Encoding::kDeltaPacked:
      return kIsInteger;
    case Encoding::kDeltaLengths:
      return kIsBytes && !is_fixed;
    case Encoding::kDeltaBytes:
      return kIsBytes;
    case Encoding::kByteStreamSplit:
      return kIsInteger || std::is_floating_point_v<P> || (kIsBytes && is_fixed);
    case Encoding::kBitPacked:
    case Encoding::kPlainDictionary:
    case Encoding::kDictionary:
      return false;
  }
  return false;
}

}  // namespace

template <class P>
void ValueReader<P>::begin(Encoding encoding, std::string_view bytes, std::size_t count,
                           std::size_t length) {
  if (!has_encoding<P>(encoding, length > 0))
    throw Damage(fmt::format("a page has encoding {}, which its type does not have",
                             static_cast<int>(encoding)));
  encoding_ = encoding;
  bytes_ = bytes;
  count_ = count;
  given_ = 0;
  length_ = length;
  switch (encoding) {
    case Encoding::kRuns: {
      const auto size = load<std::uint32_t>(take(sizeof(std::uint32_t)).data());
      runs_ = RunReader(take(size), 1);
      return;
    }
    case Encoding::kDeltaPacked:
      deltas_ = DeltaReader(bytes);
      return;
    case Encoding::kDeltaLengths:
    case Encoding::kDeltaBytes: {
      // All lengths come before all bytes.
      const auto all_of = [&](std::vector<std::int32_t>& to) {
        deltas_ = DeltaReader(bytes_);
        if (deltas_.count() > count) throw Damage("a page has more lengths than values");
        to.resize(deltas_.count());
        deltas_.read(to.data(), to.size());
        bytes_ = deltas_.rest();
      };
      last_.clear();
      if (encoding == Encoding::kDeltaBytes) all_of(prefixes_);
      all_of(lengths_);
      if (encoding == Encoding::kDeltaBytes && prefixes_.size() != lengths_.size())
        throw Damage("a page has more beginnings of texts than texts");
      return;
    }
    case Encoding::kByteStreamSplit: {
      std::size_t width = length_;
      if constexpr (!kIsBytes) width = sizeof(P);
      count_ = bytes.size() / width;
      return;
    }
    default:
      return;
  }
}

template <class P>
std::string_view ValueReader<P>::take(std::size_t bytes) {
  if (bytes > bytes_.size()) refuse_values();
  const std::string_view taken = bytes_.substr(0, bytes);
  bytes_.remove_prefix(bytes);
  return taken;
}

template <class P>
void ValueReader<P>::read(P* out, std::size_t count) {
  switch (encoding_) {
    case Encoding::kRuns:
      if constexpr (std::is_same_v<P, std::uint8_t>) {
        constexpr std::size_t kSome = 256;
        std::uint32_t values[kSome];
        while (count > 0) {
          const std::size_t n = std::min(count, kSome);
          runs_.read(values, n);
          std::copy_n(values, n, out);
          out += n;
          count -= n;
        }
      }
      return;
    case Encoding::kDeltaPacked:
      if constexpr (std::is_same_v<P, std::int32_t> || std::is_same_v<P, std::int64_t>)
        deltas_.read(out, count);
      return;
    case Encoding::kDeltaLengths:
      return read_lengths(out, count);
    case Encoding::kDeltaBytes:
      return read_prefixes(out, count);
    case Encoding::kByteStreamSplit:
      return read_split(out, count);
    default:
      return read_plain(out, count);
  }
}

template <class P>
void ValueReader<P>::read_plain(P* out, std::size_t count) {
  if constexpr (std::is_same_v<P, std::uint8_t>) {
    if (given_ + count > bytes_.size() * 8) refuse_values();
    for (std::size_t i = 0; i < count; ++i, ++given_)
      out[i] = static_cast<unsigned char>(bytes_[given_ / 8]) >> given_ % 8 & 1;
  } else if constexpr (kIsBytes) {
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t size = length_;
      if (size == 0) size = load<std::uint32_t>(take(sizeof(std::uint32_t)).data());
      out[i] = take(size);
    }
  } else {
    if (count > bytes_.size() / sizeof(P)) refuse_values();
    std::memcpy(out, take(count * sizeof(P)).data(), count * sizeof(P));
  }
}

template <class P>
void ValueReader<P>::read_split(P* out, std::size_t count) {
  if (count > count_ - given_) refuse_values();
  const auto gather = [&](std::size_t width, char* to) {
    for (std::size_t b = 0; b < width; ++b) {
      const char* const from = bytes_.data() + b * count_ + given_;
      for (std::size_t i = 0; i < count; ++i) to[i * width + b] = from[i];
    }
  };
  if constexpr (kIsBytes) {
    made_.resize(count * length_);
    gather(length_, made_.data());
    for (std::size_t i = 0; i < count; ++i) out[i] = {made_.data() + i * length_, length_};
  } else {
    gather(sizeof(P), reinterpret_cast<char*>(out));
  }
  given_ += count;
}

template <class P>
void ValueReader<P>::read_lengths(P* out, std::size_t count) {
  if constexpr (kIsBytes) {
    if (count > lengths_.size() - given_) refuse_values();
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t length = lengths_[given_++];
      if (length < 0) throw Damage("a text has a negative length");
      out[i] = take(static_cast<std::size_t>(length));
    }
  }
}

template <class P>
void ValueReader<P>::read_prefixes(P* out, std::size_t count) {
  if constexpr (kIsBytes) {
    if (count > lengths_.size() - given_) refuse_values();
    made_.clear();
    ends_.clear();
    for (std::size_t i = 0; i < count; ++i, ++given_) {
      const std::int32_t prefix = prefixes_[given_];
      const std::int32_t length = lengths_[given_];
      if (prefix < 0 || length < 0 || static_cast<std::size_t>(prefix) > last_.size())
        throw Damage("a text has a length that does not go with the one before");
      last_.resize(static_cast<std::size_t>(prefix));
      last_ += take(static_cast<std::size_t>(length));
      made_.insert(made_.end(), last_.begin(), last_.end());
      ends_.push_back(made_.size());
    }
    std::size_t begin = 0;
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = {made_.data() + begin, ends_[i] - begin};
      if (length_ > 0 && out[i].size() != length_)
        throw Damage("a value has another length than its type");
      begin = ends_[i];
    }
  }
}

template class ValueReader<std::uint8_t>;
template class ValueReader<std::int32_t>;
template class ValueReader<std::int64_t>;
template class ValueReader<Int96>;
template class ValueReader<float>;
template class ValueReader<double>;
template class ValueReader<std::string_view>;

}  // namespace grappa::query::parquet
