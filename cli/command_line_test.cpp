#include "cli/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/standard_output.hpp"
#include "grappa/base/error.hpp"

namespace grappa::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A command with an option of every kind.
class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() : line_("try", "GRAPH", "A command.") {
    line_.add_positional("GRAPH", graph_, "a graph");
    line_.add_text("Own", "-o", "FILE", file_, "a file");
    line_.add_switch("Own", "--verify", verify_, "check");
    line_.add_count("Own", "--trials", "N", trials_, 1, 9, "times");
    line_.add_counts("Own", "--counts", counts_, 1, 9, "several");
    line_.add_number("Own", "--damping", "D", damping_, 0, 1, "damping");
  }

  void expect_refusal(const Arguments& arguments, const std::string& one,
                      const std::string& two = {}) {
    try {
      line_.parse(arguments);
      ADD_FAILURE() << "not refused";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(one), HasSubstr(two)));
    }
  }

  CommandLine line_;
  std::string graph_;
  std::string file_;
  bool verify_ = false;
  std::int64_t trials_ = 3;
  std::vector<std::int64_t> counts_;
  double damping_ = 0.85;
};

TEST_F(CommandLineTest, DefaultsStay) {
  EXPECT_TRUE(line_.parse({"g.txt"}));
  EXPECT_EQ(graph_, "g.txt");
  EXPECT_EQ(file_, "");
  EXPECT_FALSE(verify_);
  EXPECT_EQ(trials_, 3);
  EXPECT_EQ(damping_, 0.85);
}

TEST_F(CommandLineTest, OptionsAreSet) {
  EXPECT_TRUE(line_.parse({"--trials", "5", "-o", "-", "--damping=0.5", "--verify=on", "-",
                           "--latency", "7us", "--counts", "9", "1"}));
  EXPECT_EQ(graph_, "-");
  EXPECT_EQ(file_, "-");
  EXPECT_TRUE(verify_);
  EXPECT_EQ(trials_, 5);
  EXPECT_EQ(counts_, (std::vector<std::int64_t>{9, 1}));
  EXPECT_EQ(damping_, 0.5);
  EXPECT_EQ(line_.config().simulation.latency_ns, 7000u);
}

TEST_F(CommandLineTest, OptionsMayBeRepeatedButNotContradictThemselves) {
  EXPECT_TRUE(line_.parse({"g", "--trials", "5", "--trials=5", "--counts", "1", "--counts", "2",
                           "--verify", "--verify", "--stats", "--stats"}));
  EXPECT_EQ(trials_, 5);
  EXPECT_EQ(counts_, (std::vector<std::int64_t>{1, 2}));
}

TEST(CommandLineFiles, StandardInputIsReadOnce) {
  CommandLine line("try", "FILE...", "A command.");
  std::vector<std::string> files;
  line.add_positionals("FILE", files, "texts");
  try {
    line.parse({"-", "a", "-"});
    ADD_FAILURE() << "not refused";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("try: -: standard input can be read only once"));
  }
}

TEST_F(CommandLineTest, SwitchesOfTheRuntimeMayStandAlone) {
  EXPECT_TRUE(line_.parse({"--stats", "g.txt", "--pin", "off", "--simulated=on"}));
  EXPECT_EQ(graph_, "g.txt");
  EXPECT_TRUE(line_.config().stats);
  EXPECT_FALSE(line_.config().pin);
  EXPECT_TRUE(line_.config().simulated);
}

TEST_F(CommandLineTest, ASwitchDoesNotSwallowTheGraph) {
  EXPECT_TRUE(line_.parse({"--simulated", "on.txt"}));
  EXPECT_EQ(graph_, "on.txt");
}

TEST_F(CommandLineTest, NegativeNumbersAreValues) {
  EXPECT_TRUE(line_.parse({"g", "--lose-locale", "-1"}));
  EXPECT_EQ(line_.config().simulation.lose_locale, -1);
}

TEST_F(CommandLineTest, BehindTwoDashesEverythingIsAnArgument) {
  EXPECT_TRUE(line_.parse({"--", "--trials"}));
  EXPECT_EQ(graph_, "--trials");
}

TEST_F(CommandLineTest, HelpNamesFlagsValuesAndDefaults) {
  testing::internal::CaptureStdout();
  EXPECT_FALSE(line_.parse({"--help"}));
  standard_output().flush();
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_THAT(text, HasSubstr("\nArguments:\n  GRAPH "));
  EXPECT_THAT(text, HasSubstr("\n  --trials N "));
  EXPECT_THAT(text, HasSubstr("times [3]\n"));
}

struct Refusal {
  const char* name;
  Arguments arguments;
  std::string one;
  std::string two;
};

// ---- options that have no effect

class CommandLineUnused : public CommandLineTest {
 protected:
  CommandLineUnused() {
    line_.add_switch("Own", "-q,--quiet", quiet_, "be quiet");
    line_.unused_when("--trials", [this] { return verify_ ? "it is verified" : ""; });
  }

  std::string said(const Arguments& arguments) {
    testing::internal::CaptureStderr();
    const bool parsed = line_.parse(arguments);
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(parsed);
    return text;
  }

  bool quiet_ = false;
};

TEST_F(CommandLineUnused, AreNamedOnOneLineWithTheReason) {
  EXPECT_EQ(said({"g", "--latency", "1us", "--verify", "--trials", "2", "--route", "flat"}),
            "grappa: --trials has no effect: it is verified; --latency has no effect: there is one "
            "locale; --route has no effect: there is one locale\n");
}

TEST_F(CommandLineUnused, AreNotNamedWhereTheyHaveAnEffect) {
  EXPECT_EQ(said({"g", "--latency", "1us", "--locales", "2", "--trials", "2"}), "");
}

TEST_F(CommandLineUnused, AreNotNamedWhenNobodyGaveThem) { EXPECT_EQ(said({"g", "--verify"}), ""); }

TEST_F(CommandLineUnused, SlowSimulationsAreNamedWithQuietToo) {
  EXPECT_THAT(said({"g", "-q", "--locales", "65536", "--cores", "1"}), HasSubstr("about 5 days"));
}

TEST_F(CommandLineUnused, AreNotNamedWithQuiet) {
  EXPECT_EQ(said({"g", "-q", "--latency", "1us"}), "");
}

class CommandLineRefusal : public CommandLineTest, public testing::WithParamInterface<Refusal> {};

TEST_P(CommandLineRefusal, NamesWhatIsWrongAndWhatIsAllowed) {
  expect_refusal(GetParam().arguments, GetParam().one, GetParam().two);
}

INSTANTIATE_TEST_SUITE_P(
    All, CommandLineRefusal,
    testing::Values(
        Refusal{"UnknownFlag", {"g", "--trails", "5"}, "--trails", "--trials"},
        Refusal{"UnknownRuntimeFlag", {"g", "--locale=5"}, "--locale:", "--locales"},
        Refusal{"AbbreviatedFlag", {"g", "--damp", "1"}, "--damp:", "the nearest is --damping ("},
        Refusal{"NothingButDashes", {"g", "---"}, "---: no such option (grappa help", ""},
        Refusal{"AFileLikeAFlag",
                {"g", "-.e"},
                "-.e: no such option; a file of that name is ./-.e (grappa help",
                ""},
        Refusal{"OneDashForTwo", {"g", "-trails=3"}, "-trails: no such option", "--trials"},
        Refusal{"UnknownShortFlag", {"g", "-x"}, "-x: no such option (grappa help", ""},
        Refusal{"MissingArgument", {}, "GRAPH", ""},
        Refusal{"MissingValue", {"g", "--trials"}, "--trials", ""},
        Refusal{"TooManyArguments", {"g", "h.txt"}, "h.txt", ""},
        Refusal{"TooMany", {"g", "--trials", "10"}, "--trials: \"10\"", "from 1 to 9"},
        Refusal{"Negative", {"g", "--trials", "-1"}, "--trials: \"-1\"", "from 1 to 9"},
        Refusal{
            "SwitchWithAWord", {"g", "--verify=maybe"}, "--verify=maybe: a switch", "on or off"},
        Refusal{"CountTooLong",
                {"g", "--counts", "1", "99999999999999999999"},
                "--counts: \"99999999999999999999\"",
                "from 1 to 9"},
        Refusal{"Twice",
                {"g", "--trials", "5", "--trials=6"},
                "try: --trials: 5 is given, and 6; one is taken",
                ""},
        Refusal{"TwiceOfTheRuntime", {"g", "--locales=2", "--locales", "3"}, "--locales: 2", "3"},
        Refusal{"OnAndOff", {"g", "--pin", "--pin", "off"}, "--pin: on", "off"},
        Refusal{"NotWhole", {"g", "--trials", "2.5"}, "--trials: \"2.5\"", ""},
        Refusal{"TooLarge", {"g", "--damping", "1.01"}, "--damping: \"1.01\"", "from 0 to 1"},
        Refusal{"NotANumber", {"g", "--damping", "nan"}, "--damping: \"nan\"", ""},
        Refusal{"NoSuchWord", {"g", "--stacks", "none"}, "--stacks", "guarded"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace grappa::cli
