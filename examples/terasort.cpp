// Records of 100 bytes in the order of their first ten, as in the benchmark TeraSort.

#include <grappa/mapreduce.hpp>

#include <array>
#include <cstdio>
#include <cstring>

using namespace grappa;
using namespace grappa::mapreduce;

struct Record {
  std::array<unsigned char, 10> key;
  std::array<char, 90> payload;
};

int main() {
  bool right = true;
  run([&] {
    constexpr std::int64_t kRecords = 100'000;
    const auto sorted = generate(kRecords, [](std::int64_t i) {
                          Record record{};
                          const std::uint64_t random = hash_number(static_cast<std::uint64_t>(i));
                          std::memcpy(record.key.data(), &random, sizeof random);
                          return record;
                        }).sort([](const Record& a, const Record& b) { return a.key < b.key; });
    const auto records = sorted.collect();
    for (std::size_t i = 1; i < records.size(); ++i)
      right = right && records[i - 1].key <= records[i].key;
    right = right && records.size() == kRecords;
    std::printf("%zu records in order: %s\n", records.size(), right ? "yes" : "no");
  });
  return right ? 0 : 1;
}
