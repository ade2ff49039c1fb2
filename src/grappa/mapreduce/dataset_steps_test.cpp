// The steps and terminals that are made of others, and the sources beside read_lines.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "grappa/mapreduce/csv.hpp"
#include "grappa/mapreduce/dataset.hpp"
#include "grappa/mapreduce/map_reduce.hpp"
#include "grappa/parallel/test_machines.hpp"
#include "tests/support/files.hpp"

namespace grappa::mapreduce {
namespace {

using testing::ElementsAre;

class DatasetSteps : public test::OnMachines {};

TEST_P(DatasetSteps, GroupsByKey) {
  run(config(), [] {
    const auto groups =
        generate(60, [](std::int64_t i) { return std::pair(std::to_string(i % 7), i); })
            .group_by_key()
            .to_map();
    ASSERT_EQ(groups.size(), 7u);
    const std::vector<std::int64_t>& third = groups.at("3");
    EXPECT_EQ(std::set(third.begin(), third.end()),
              (std::set<std::int64_t>{3, 10, 17, 24, 31, 38, 45, 52, 59}));
  });
}

TEST_P(DatasetSteps, JoinsWhatHasTheSameKey) {
  run(config(), [] {
    const auto left = generate(20, [](std::int64_t i) { return std::pair(i % 10, i); });
    const auto right =
        generate(6, [](std::int64_t i) { return std::pair(2 * i, std::to_string(i)); });
    std::set<std::tuple<std::int64_t, std::int64_t, std::string>> found;
    for (const auto& [key, values] : left.join(right).collect())
      found.emplace(key, values.first, values.second);
    std::set<std::tuple<std::int64_t, std::int64_t, std::string>> expected;
    for (std::int64_t i = 0; i < 20; ++i) {
      if (i % 2 == 0) expected.emplace(i % 10, i, std::to_string(i % 10 / 2));
    }
    EXPECT_EQ(found, expected);
  });
}

TEST_P(DatasetSteps, KeepsEachValueOnce) {
  run(config(), [] {
    std::vector<std::string> values =
        generate(100, [](std::int64_t i) { return std::to_string(i % 4); }).distinct().collect();
    std::ranges::sort(values);
    EXPECT_THAT(values, ElementsAre("0", "1", "2", "3"));
  });
}

TEST_P(DatasetSteps, SamplesTheSameEverywhere) {
  const auto sampled = [] {
    return generate(10'000, [](std::int64_t i) { return i; }).sample(0.1, 3).collect();
  };
  std::vector<std::int64_t> alone;
  run(test::threads(1), [&] { alone = sampled(); });
  EXPECT_NEAR(static_cast<double>(alone.size()), 1000, 150);
  run(config(), [&] { EXPECT_EQ(sampled(), alone); });
}

TEST_P(DatasetSteps, ReducesToAnArray) {
  run(config(), [] {
    const auto pairs = generate(1000, [](std::int64_t i) { return std::pair(i % 4, i); });
    EXPECT_THAT(pairs.reduce_to_index(4, std::int64_t{0}, std::plus<>()),
                ElementsAre(124'500, 124'750, 125'000, 125'250));
    io::expect_input_error([&] { pairs.reduce_to_index(3, std::int64_t{0}, std::plus<>()); }, 4,
                           "index 3 is not below 3");
  });
}

TEST_P(DatasetSteps, ReadsColumns) {
  const io::TemporaryFolder folder;
  const std::string first = folder.write("a.csv", "name,age\n\"Lee, Ann\",31\n\nBob, 40\n");
  const std::string second = folder.write("b.csv", "name,age\nCarl,7\nDora,x\n");
  run(config(), [&] {
    const auto rows = read_csv({first, second}, {.header = true});
    EXPECT_EQ(rows.count(), 4);
    EXPECT_EQ(rows.collect().front(), (std::vector<std::string>{"Lee, Ann", "31"}));
    const auto ages = [](const CsvRow& row) { return number_at(row, 1); };
    io::expect_input_error([&] { rows.map(ages).reduce(0.0, std::plus<>()); }, 3, "found 'x'");
    io::expect_input_error([&] { rows.for_each([](const CsvRow& row) { text_at(row, 2); }); }, 2,
                           "no column 3");
    const auto three = read_csv({first, second}, {.header = true, .skip_bad_records = 1});
    EXPECT_EQ(three.map(ages).reduce(0.0, std::plus<>()), 78);
    EXPECT_EQ(three.skipped(), 1);
  });
}

struct Sample {
  std::uint32_t number;
  char letter;
};

TEST_P(DatasetSteps, ReadsRecordsOfFiles) {
  const io::TemporaryFolder folder;
  const auto write = [&folder](const std::string& name, std::uint32_t begin, std::uint32_t end) {
    std::vector<Sample> samples;
    for (std::uint32_t i = begin; i < end; ++i)
      samples.push_back({i, static_cast<char>('a' + i % 7)});
    return folder.write(
        name, {reinterpret_cast<const char*>(samples.data()), samples.size() * sizeof(Sample)});
  };
  const std::string first = write("first.bin", 0, 1000);
  const std::string none = write("none.bin", 0, 0);
  const std::string second = write("second.bin", 1000, 1777);
  const std::string cut = folder.write("cut.bin", "123456789");
  run(config(), [&] {
    const auto samples = read_binary<Sample>({first, none, second});
    const auto numbers = samples.map([](const Sample& sample) { return sample.number; }).collect();
    ASSERT_THAT(numbers, testing::SizeIs(1777));
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i);
    EXPECT_EQ(samples.filter([](const Sample& sample) { return sample.letter == 'c'; }).count(),
              254);
    const auto refusing = samples.map([](const Sample& sample) {
      if (sample.number >= 1002) throw BadRecord("is too large");
      return sample.number;
    });
    io::expect_input_error([&] { refusing.count(); }, 3, "second.bin:3: is too large");
    using testing::HasSubstr;
    EXPECT_THAT([&] { read_binary<Sample>({first, cut}); },
                testing::ThrowsMessage<Error>(
                    HasSubstr("cut.bin: 9 bytes are no whole number of records of 8 bytes")));
    EXPECT_THAT([&] { read_binary<Sample>({folder.path("nowhere.bin")}); },
                testing::ThrowsMessage<Error>(HasSubstr("nowhere.bin")));
  });
}

TEST_P(DatasetSteps, ErrorsNameTheCoreThatKeepsARecord) {
  run(config(), [] {
    const auto kept = generate(100, [](std::int64_t i) { return i; }).cache();
    const auto refusing = [](const auto& values) {
      return values.map([](std::int64_t i) {
        if (i == 99) throw BadRecord("is not for us");
        return i;
      });
    };
    // The last value is the last one of the last core.
    const auto [begin, end] = internal::slice_of(0, 100, core_count() - 1, core_count(), 1);
    const std::string name = "record of core " + std::to_string(core_count() - 1);
    io::expect_input_error([&] { refusing(kept).count(); }, end - begin,
                           name + ":" + std::to_string(end - begin) + ": is not for us");
    // What is found by a key has no number.
    const auto keys = kept.distinct();
    io::expect_input_error([&] { refusing(keys).count(); }, 0, ": is not for us");
  });
}

TEST_P(DatasetSteps, WritesLinesInOrder) {
  const io::TemporaryFolder folder;
  std::string expected;
  for (int i = 0; i < 5000; ++i) expected += std::to_string(i) + '\n';
  const std::string path = folder.write("in", expected);
  run(config(), [&] {
    io::OutputFile out(folder.path("out"));
    read_lines({path}).write_lines(out,
                                   [](std::string& text, std::string_view line) { text += line; });
    out.commit();
  });
  EXPECT_EQ(io::file_content(folder.path("out")), expected);
}

TEST_P(DatasetSteps, MapsAndReducesAnArray) {
  run(config(), [] {
    const Owned<GlobalArray<std::int64_t>> numbers = GlobalArray<std::int64_t>::create(1000);
    numbers->forall([](std::int64_t i, std::int64_t& x) { x = i; });
    using Pair = std::pair<std::int64_t, std::int64_t>;
    const auto sums =
        map_reduce<Pair>(
            *numbers, [](std::int64_t x, auto emit) { emit(Pair(x % 3, x)); }, std::plus<>(),
            [](const auto& pair) { return std::pair(pair.first, 2 * pair.second); })
            .to_map();
    EXPECT_EQ(sums, (std::map<std::int64_t, std::int64_t>{{0, 333666}, {1, 332334}, {2, 333000}}));
  });
}

GRAPPA_ON_MACHINES(DatasetSteps);

}  // namespace
}  // namespace grappa::mapreduce
