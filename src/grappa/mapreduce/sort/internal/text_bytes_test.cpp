#include "grappa/mapreduce/sort/internal/text_bytes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "grappa/parallel/test_machines.hpp"

namespace grappa::mapreduce::detail {
namespace {

constexpr std::string_view kText = "first line\nsecond line";

// Locale 1 is on this machine, and locale 2 on another one.
void open(const LocaleState<SharedTexts>& texts, const std::vector<std::string_view>& files) {
  texts->open(files, {"here", "here", "elsewhere"});
}

TEST(TextBytesTest, OnlyThePlaceGoesToTheSameMachine) {
  run(test::cluster(3), [] {
    const Owned texts = LocaleState<SharedTexts>::create();
    // As another process has it: at another address.
    const std::string copy(kText);
    open(*texts, {"", kText});
    const TextRecord record = text_record(kText.substr(11), false);
    ByteWriter near;
    TextBytes{*texts}.put(near, record, 1);
    ByteWriter far;
    TextBytes{*texts}.put(far, record, 2);
    EXPECT_EQ(far.bytes().size(), near.bytes().size() + record.size);

    *(*texts) = SharedTexts();
    open(*texts, {"", copy});
    ByteReader in(near.bytes());
    const TextRecord found = TextBytes{*texts}.get(in);
    EXPECT_TRUE(in.rest().empty());
    EXPECT_EQ(found.data, copy.data() + 11);
    EXPECT_EQ(found.text(), record.text());
    EXPECT_EQ(found.key, record.key);
    ByteReader from_far(far.bytes());
    EXPECT_EQ(TextBytes{*texts}.get(from_far).text(), "second line");
    EXPECT_TRUE(from_far.rest().empty());
  });
}

TEST(TextBytesTest, WhatIsInNoFileHasNoPlace) {
  run(test::cluster(3), [] {
    const std::string_view whole = kText;
    const Owned texts = LocaleState<SharedTexts>::create();
    open(*texts, {whole.substr(0, 5), whole.substr(12)});
    const auto is_found = [&](std::size_t at) {
      const std::uint64_t place = (*texts)->place_of(whole.data() + at, 1);
      if (place == SharedTexts::kNowhere) return false;
      EXPECT_EQ((*texts)->at(place), whole.data() + at);
      return true;
    };
    EXPECT_TRUE(is_found(0));
    EXPECT_TRUE(is_found(4));
    EXPECT_FALSE(is_found(5));
    EXPECT_TRUE(is_found(12));
    EXPECT_FALSE(is_found(whole.size()));
    EXPECT_EQ((*texts)->place_of(whole.data(), 2), SharedTexts::kNowhere);
    // Where it is not known where files are from, nobody has the same ones.
    *(*texts) = SharedTexts();
    (*texts)->open({whole}, {"", "", ""});
    EXPECT_FALSE(is_found(0));
  });
}

}  // namespace
}  // namespace grappa::mapreduce::detail
