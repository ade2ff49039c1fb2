#include "grappa/base/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <ostream>
#include <set>
#include <string>

#include "grappa/base/config_options.hpp"
#include "grappa/base/error.hpp"

namespace grappa {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Sets a variable of the environment for the life of the object.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

template <class F>
std::string refusal_of(F&& f) {
  try {
    f();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "not refused";
}

std::string refusal_of_option(std::string_view name, std::string_view value) {
  return refusal_of([&] {
    Config config;
    set_option(config, name, value);
  });
}

std::string refusal_of_config(const Config& config, int usable_cpus = 2) {
  return refusal_of([&] { validate(config, usable_cpus); });
}

TEST(Config, IsValidAsItIs) {
  EXPECT_NO_THROW(validate(Config()));
  EXPECT_NO_THROW(validate(Config(), 1));
}

TEST(Config, IsSimulatedWhenAskedOrNeeded) {
  Config config;
  EXPECT_FALSE(config.is_simulated());
  config.locales = 2;
  EXPECT_TRUE(config.is_simulated());
  config = Config();
  config.simulated = true;
  EXPECT_TRUE(config.is_simulated());
  config = Config();
  config.simulation.mode = SimulationMode::kDeterministic;
  EXPECT_TRUE(config.is_simulated());
}

TEST(Config, ScansPayloadsInDebugBuildsAndInSimulationUnlessTold) {
  Config config;
  EXPECT_EQ(config.scans_payloads(), is_debug_build());
  config.locales = 2;
  EXPECT_TRUE(config.scans_payloads());
  config.scan_payloads = false;
  EXPECT_FALSE(config.scans_payloads());
}

TEST(ConfigOptions, HaveUniqueNamesAndMatchingVariables) {
  std::set<std::string_view> names;
  for (const OptionInfo& option : config_options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_FALSE(option.help.empty()) << option.name;
    std::string expected = "GRAPPA_" + std::string(option.name);
    for (char& c : expected) c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
    EXPECT_EQ(option.environment, expected);
  }
}

// The help prints these texts: setting an option to the one that is printed must change nothing.
TEST(ConfigOptions, TellTheTrueDefaults) {
  const std::set<std::string_view> in_words = {"cores", "shuffle", "scan-payloads", "trace"};
  for (const OptionInfo& option : config_options()) {
    if (in_words.contains(option.name)) continue;
#if defined(__SANITIZE_ADDRESS__)
    if (option.name == "stack-size") continue;  // larger than the help says
#endif
    Config config;
    set_option(config, option.name, option.default_value);
    EXPECT_EQ(config, Config()) << option.name;
  }
}

TEST(SetOption, ReachesEveryField) {
  Config config;
  set_option(config, "cores", "4");
  set_option(config, "locales", "8");
  set_option(config, "simulated", "on");
  set_option(config, "simulation-mode", "deterministic");
  set_option(config, "latency", "5us");
  set_option(config, "bandwidth", "1GiB");
  set_option(config, "reorder", "0.25");
  set_option(config, "simulation-seed", "99");
  set_option(config, "lose-locale", "3");
  set_option(config, "lose-at", "2ms");
  set_option(config, "mpi", "mpich");
  set_option(config, "lost-after", "7s");
  set_option(config, "pin", "off");
  set_option(config, "stack-size", "128KiB");
  set_option(config, "large-stack-size", "4MiB");
  set_option(config, "coroutine-memory", "32MiB");
  set_option(config, "stacks", "huge");
  set_option(config, "max-forall-workers", "7");
  set_option(config, "prefetch-distance", "0");
  set_option(config, "batch-prefetch", "8");
  set_option(config, "spin", "0");
  set_option(config, "stall", "1s");
  set_option(config, "chunk-size", "16KiB");
  set_option(config, "flush", "500us");
  set_option(config, "in-flight", "1MiB");
  set_option(config, "route", "two-hop");
  set_option(config, "comm-core", "on");
  set_option(config, "heap-block", "128");
  set_option(config, "bin-size", "1GiB");
  set_option(config, "shuffle", "1");
  set_option(config, "combining", "off");
  set_option(config, "scan-payloads", "false");
  set_option(config, "stats", "true");
  set_option(config, "stats-every", "100ms");
  set_option(config, "trace", "run.json");
  set_option(config, "trace-memory", "1MiB");

  Config expected;
  expected.cores = 4;
  expected.locales = 8;
  expected.simulated = true;
  expected.simulation = {.mode = SimulationMode::kDeterministic,
                         .latency_ns = 5'000,
                         .bandwidth_bytes_per_s = 1u << 30,
                         .reorder = 0.25,
                         .seed = 99,
                         .lose_locale = 3,
                         .lose_at_ns = 2'000'000};
  expected.mpi = MpiChoice::kMpich;
  expected.lost_after_ns = 7'000'000'000;
  expected.pin = false;
  expected.stack_bytes = 128 * 1024;
  expected.large_stack_bytes = 4 << 20;
  expected.coroutine_bytes = 32 << 20;
  expected.stacks = StackMode::kHuge;
  expected.max_forall_workers = 7;
  expected.prefetch_distance = 0;
  expected.batch_prefetch = 8;
  expected.spin_ns = 0;
  expected.stall_ns = 1'000'000'000;
  expected.chunk_bytes = 16 * 1024;
  expected.flush_ns = 500'000;
  expected.in_flight_bytes = 1u << 20;
  expected.route = RoutePolicy::kTwoHop;
  expected.comm_core = true;
  expected.heap_block_bytes = 128;
  expected.bin_bytes = 1u << 30;
  expected.shuffle = true;
  expected.combining = false;
  expected.scan_payloads = false;
  expected.stats = true;
  expected.stats_every_ns = 100'000'000;
  std::strcpy(expected.trace.text.data(), "run.json");
  expected.trace_bytes = 1u << 20;
  EXPECT_EQ(config, expected);
  EXPECT_EQ(config_options().size(), 36u) << "a new option belongs into this test, too";
}

TEST(SetOption, RefusalsNameOptionValueAndWhatIsAllowed) {
  EXPECT_EQ(refusal_of_option("cores", "two"),
            "--cores: \"two\" is not allowed; give a whole number from 0 to 65536");
  EXPECT_THAT(refusal_of_option("cores", "-1"), HasSubstr("from 0 to 65536"));
  EXPECT_THAT(refusal_of_option("cores", "99999999999999999999"), HasSubstr("from 0 to 65536"));
  EXPECT_THAT(refusal_of_option("locales", "0"), HasSubstr("from 1 to 65536"));
  EXPECT_THAT(refusal_of_option("stack-size", "64KB"),
              AllOf(HasSubstr("--stack-size"), HasSubstr("\"64KB\""), HasSubstr("64KiB")));
  EXPECT_THAT(refusal_of_option("flush", "5"), AllOf(HasSubstr("\"5\""), HasSubstr("1.5ms")));
  EXPECT_THAT(refusal_of_option("pin", "maybe"), HasSubstr("on or off"));
  EXPECT_THAT(refusal_of_option("reorder", "1.5"), HasSubstr("from 0 to 1"));
  EXPECT_THAT(refusal_of_option("reorder", "nan"), HasSubstr("from 0 to 1"));
  EXPECT_THAT(refusal_of_option("simulation-seed", "-1"), HasSubstr("whole number"));
  EXPECT_THAT(refusal_of_option("stacks", "big"), HasSubstr("guarded, huge or canary"));
  EXPECT_THAT(refusal_of_option("simulation-mode", "slow"), HasSubstr("timed or deterministic"));
  EXPECT_THAT(refusal_of_option("trace", std::string(1024, 'x')), HasSubstr("1024 bytes"));
  EXPECT_THAT(refusal_of_option("trace", "-"), HasSubstr("the name of a file"));
  EXPECT_THAT(refusal_of_option("cores", ""), HasSubstr("--cores: \"\" is not allowed"));
}

TEST(SetOption, NamesTheNearestOption) {
  EXPECT_EQ(refusal_of_option("coers", "2"), "--coers: no such option; the nearest is --cores");
}

TEST(SetOption, ChangesNothingWhenItRefuses) {
  Config config;
  config.cores = 3;
  EXPECT_THROW(set_option(config, "cores", "x"), UsageError);
  EXPECT_EQ(config.cores, 3);
}

TEST(Environment, IsStrongerThanCodeAndWeakerThanFlags) {
  const Variable cores("GRAPPA_CORES", "2");
  const Variable spin("GRAPPA_SPIN", "7us");
  Config config;
  config.cores = 1;
  config.chunk_bytes = 4096;
  config = config.with_environment();
  EXPECT_EQ(config.cores, 2);
  EXPECT_EQ(config.spin_ns, 7'000u);
  EXPECT_EQ(config.chunk_bytes, 4096u) << "the environment does not mention it";
  set_option(config, "cores", "4");
  EXPECT_EQ(config.cores, 4);
}

TEST(Environment, LeavesTheOriginalAsItWas) {
  const Variable cores("GRAPPA_CORES", "2");
  const Config config;
  EXPECT_EQ(config.with_environment().cores, 2);
  EXPECT_EQ(config.cores, 0);
}

TEST(Environment, RefusalsNameTheVariable) {
  const Variable cores("GRAPPA_CORES", "many");
  EXPECT_EQ(refusal_of([] { Config().with_environment(); }),
            "GRAPPA_CORES: \"many\" is not allowed; give a whole number from 0 to 65536");
}

TEST(Environment, RefusesWhatIsNearlyOneOfTheVariables) {
  for (const auto& [typo, meant] :
       {std::pair("GRAPPA_STACKSIZE", "GRAPPA_STACK_SIZE"),
        std::pair("GRAPPA_CORE", "GRAPPA_CORES"), std::pair("GRAPPA_LOACLES", "GRAPPA_LOCALES"),
        std::pair("GRAPPA_CHUNK_SIZES", "GRAPPA_CHUNK_SIZE")}) {
    const Variable variable(typo, "1");
    EXPECT_EQ(refusal_of([] { Config().with_environment(); }),
              std::string(typo) + ": no such variable; the nearest is " + meant);
  }
}

TEST(Environment, LeavesOthersAlone) {
  const Variable lower("grappa_cores", "x");
  const Variable other("GRAPPACORES", "x");
  const Variable of_the_build("GRAPPA_WERROR", "x");
  const Variable of_the_original("GRAPPA_PREFIX", "/opt/grappa");
  const Variable of_a_script("GRAPPA_HOME", "/opt/grappa");
  const Variable short_name("GRAPPA_BIN", "/opt/grappa/bin");
  EXPECT_EQ(Config().with_environment(), Config());
}

TEST(Validate, RefusesMoreCoresThanTheMachineOffers) {
  Config config;
  config.cores = 8;
  EXPECT_EQ(refusal_of_config(config, 2),
            "cores: 8 asked, this machine offers 2 to this process (affinity mask, cgroup limit); "
            "use --cores 2");
  EXPECT_EQ(refusal_of_config(config, 8), "not refused");
}

TEST(Validate, SimulatedCoresMayShareThreads) {
  Config config;
  config.cores = 8;
  config.locales = 4;
  EXPECT_EQ(refusal_of_config(config, 2), "not refused");
  config.locales = 1;
  config.simulated = true;
  EXPECT_EQ(refusal_of_config(config, 2), "not refused");
}

TEST(Validate, RefusesMoreCoresThanAddressesCanName) {
  Config config;
  config.cores = 1024;
  config.locales = 64;
  EXPECT_EQ(refusal_of_config(config), "not refused");
  config.locales = 65;
  EXPECT_THAT(refusal_of_config(config), HasSubstr("66560 cores, at most 65536"));
}

TEST(Validate, RefusesStacksThatCannotBe) {
  Config config;
  config.stack_bytes = 100;
  EXPECT_THAT(refusal_of_config(config), HasSubstr("stack-size: 100 B asked, from 8 KiB"));
  config.stack_bytes = 10'000;
  EXPECT_THAT(refusal_of_config(config), HasSubstr("use --stack-size"));
}

TEST(Validate, RefusesBlocksThatAreNoPowerOfTwoOrShareCacheLines) {
  Config config;
  config.heap_block_bytes = 96;
  EXPECT_THAT(refusal_of_config(config), HasSubstr("use --heap-block 128"));
  config.heap_block_bytes = 32;
  EXPECT_THAT(refusal_of_config(config), HasSubstr("heap-block: 32 B asked, from 64 B"));
}

// Code may write what no flag would let through.
TEST(Validate, RefusesWhatOnlyCodeCanSet) {
  const auto refusal_with = [](auto set) {
    Config config;
    set(config);
    return refusal_of_config(config);
  };
  EXPECT_THAT(refusal_with([](Config& c) { c.cores = -1; }), HasSubstr("cores: -1"));
  EXPECT_THAT(refusal_with([](Config& c) { c.locales = 0; }), HasSubstr("locales: 0"));
  EXPECT_THAT(refusal_with([](Config& c) { c.max_forall_workers = 0; }),
              HasSubstr("max-forall-workers: 0"));
  EXPECT_THAT(refusal_with([](Config& c) { c.prefetch_distance = -1; }),
              HasSubstr("prefetch-distance: -1"));
  EXPECT_THAT(refusal_with([](Config& c) { c.large_stack_bytes = 100'000; }),
              HasSubstr("large-stack-size: 100000 asked, whole pages of 4 KiB"));
  EXPECT_THAT(refusal_with([](Config& c) { c.coroutine_bytes = 1; }),
              HasSubstr("coroutine-memory: 1 B asked, from 64 KiB"));
  EXPECT_THAT(refusal_with([](Config& c) { c.batch_prefetch = -1; }),
              HasSubstr("batch-prefetch: -1"));
  EXPECT_THAT(refusal_with([](Config& c) { c.chunk_bytes = 0; }), HasSubstr("chunk-size: 0 B"));
  EXPECT_THAT(refusal_with([](Config& c) { c.simulation.reorder = -0.5; }),
              HasSubstr("reorder: -0.5"));
}

TEST(Validate, RefusesToLoseALocaleThatIsNotThere) {
  Config config;
  config.locales = 4;
  config.simulation.lose_locale = 3;
  EXPECT_EQ(refusal_of_config(config), "not refused");
  config.simulation.lose_locale = 4;
  EXPECT_THAT(refusal_of_config(config), HasSubstr("there are locales 0 to 3"));
}

TEST(CoresOfEachLocale, SharesTheMachineOut) {
  Config config;
  EXPECT_EQ(internal::cores_of_each_locale(config, 8), 8);
  config.locales = 3;
  EXPECT_EQ(internal::cores_of_each_locale(config, 8), 2);
  config.locales = 16;
  EXPECT_EQ(internal::cores_of_each_locale(config, 8), 1);
  config.cores = 5;
  EXPECT_EQ(internal::cores_of_each_locale(config, 8), 5);
}

// ---- options without effect

struct Unused {
  const char* option;
  Config config;
  int processes;  // of a job
  bool unused;
  friend std::ostream& operator<<(std::ostream& out, const Unused& one) {
    return out << one.option;
  }
};

Config locales(int count) {
  Config config;
  config.locales = count;
  config.shuffle = false;
  return config;
}

Config losing(int locale) {
  Config config = locales(2);
  config.simulation.lose_locale = locale;
  return config;
}

Config deterministic() {
  Config config = locales(1);
  config.simulation.mode = SimulationMode::kDeterministic;
  return config;
}

Config shuffled() {
  Config config = locales(1);
  config.shuffle = true;
  return config;
}

Config traced() {
  Config config = locales(1);
  set_option(config, "trace", "timeline");
  return config;
}

Config with_mpi(MpiChoice choice) {
  Config config = locales(1);
  config.mpi = choice;
  return config;
}

class UnusedOption : public testing::TestWithParam<Unused> {};

TEST_P(UnusedOption, IsToldFromTheConfigurationOfTheRun) {
  const auto& [name, config, processes, unused] = GetParam();
  const config_detail::Option* option = config_detail::find_option(name);
  ASSERT_NE(option, nullptr);
  const bool found = option->unused != nullptr && !option->unused(config, processes).empty();
  EXPECT_EQ(found, unused);
}

INSTANTIATE_TEST_SUITE_P(
    All, UnusedOption,
    testing::Values(
        Unused{"cores", locales(1), 0, false}, Unused{"stats", locales(1), 0, false},
        Unused{"locales", locales(1), 0, false}, Unused{"locales", locales(1), 2, true},
        Unused{"latency", locales(1), 0, true}, Unused{"latency", locales(2), 0, false},
        Unused{"latency", locales(1), 2, true}, Unused{"bandwidth", deterministic(), 0, true},
        Unused{"reorder", locales(1), 0, true}, Unused{"reorder", locales(3), 0, false},
        Unused{"simulation-mode", locales(1), 0, true},
        Unused{"simulation-mode", deterministic(), 0, false},
        Unused{"simulation-seed", locales(1), 0, true},
        Unused{"simulation-seed", shuffled(), 0, false},
        Unused{"simulation-seed", deterministic(), 0, false},
        Unused{"simulated", locales(1), 0, false}, Unused{"simulated", locales(2), 0, true},
        Unused{"lose-at", locales(2), 0, true}, Unused{"lose-at", losing(1), 0, false},
        Unused{"lost-after", locales(2), 0, true}, Unused{"lost-after", losing(1), 0, false},
        Unused{"lost-after", locales(1), 2, false}, Unused{"route", locales(1), 0, true},
        Unused{"route", locales(4), 0, false}, Unused{"route", locales(1), 4, false},
        Unused{"comm-core", locales(1), 0, true}, Unused{"comm-core", locales(1), 2, false},
        Unused{"in-flight", locales(1), 0, true}, Unused{"in-flight", locales(2), 0, false},
        Unused{"pin", deterministic(), 0, true}, Unused{"pin", locales(2), 0, false},
        Unused{"spin", deterministic(), 0, true}, Unused{"stall", deterministic(), 0, true},
        Unused{"trace-memory", locales(1), 0, true}, Unused{"trace-memory", traced(), 0, false},
        Unused{"mpi", with_mpi(MpiChoice::kNone), 0, false},
        Unused{"mpi", with_mpi(MpiChoice::kMpich), 0, true},
        Unused{"mpi", with_mpi(MpiChoice::kMpich), 2, false}));

TEST(Validate, OneLocaleCannotBeLost) {
  Config config = losing(0);
  validate(config, 2);
  config.locales = 1;
  EXPECT_THROW(validate(config, 2), UsageError);
}

}  // namespace
}  // namespace grappa
