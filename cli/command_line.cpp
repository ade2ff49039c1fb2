#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cli/completion.hpp"
#include "cli/slow_simulation.hpp"
#include "cli/standard_output.hpp"
#include "grappa/base/config_options.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/log.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/transport/mpi/launcher.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kRuntimeGroup = "Runtime options";
constexpr const char* kHelpGroup = "Help";

bool is_switch_word(std::string_view word) {
  constexpr std::array<std::string_view, 6> kWords = {"on", "off", "true", "false", "yes", "no"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

bool is_flag(std::string_view word) {
  if (word.size() < 2 || word.front() != '-') return false;
  const std::size_t digit = word[1] == '.' ? 2 : 1;
  return digit == word.size() || word[digit] < '0' || word[digit] > '9';  // else a number
}

bool asks_for_help(const Arguments& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::any_of(words.begin(), end,
                     [](const std::string& word) { return word == "-h" || word == "--help"; });
}

// Of the job that a launcher has started; 0: there is none.
int processes_of_job(const Config& config) {
  constexpr int kSome = 2;  // where the launcher does not say
  const std::optional<internal::Launch> launch = internal::find_launch(config.mpi);
  if (!launch) return 0;
  return launch->size > 0 ? launch->size : kSome;
}

std::int64_t count_of(const std::string& flags, const std::string& text, std::int64_t least,
                      std::int64_t most) {
  const auto number = internal::parse_integer(text);
  if (number && *number >= least && *number <= most) return *number;
  throw UsageError(fmt::format("{}: \"{}\" is not allowed; give a whole number from {} to {}",
                               flags, text, least, most));
}

std::string display(double value) { return fmt::format("{}", value); }

std::string names_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string names;
  for (const std::string& name : option.get_snames()) names += fmt::format("-{}, ", name);
  for (const std::string& name : option.get_lnames()) names += fmt::format("--{}, ", name);
  names.resize(names.size() - 2);
  const std::string value = option.get_type_name();
  return value.empty() ? names : fmt::format("{} {}", names, value);
}

std::string describe(const CLI::Option& option) {
  const std::string standard = option.get_default_str();
  return standard.empty() ? option.get_description()
                          : fmt::format("{} [{}]", option.get_description(), standard);
}

}  // namespace

CommandLine::CommandLine(std::string name, std::string positionals, std::string description)
    : name_(std::move(name)),
      positionals_(std::move(positionals)),
      app_(std::make_unique<CLI::App>(std::move(description))) {
  app_->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app_->set_help_flag("-h,--help", "print this")->group(kHelpGroup);
}

CommandLine::~CommandLine() = default;

void CommandLine::add_positional(const std::string& name, std::string& target,
                                 const std::string& help) {
  app_->add_option(name, target, help)->group("Arguments")->required();
}

void CommandLine::add_positionals(const std::string& name, std::vector<std::string>& target,
                                  const std::string& help) {
  app_->add_option(name, target, help)->group("Arguments")->required();
}

void CommandLine::add_text(const std::string& group, const std::string& flags,
                           const std::string& value, std::string& target, const std::string& help) {
  app_->add_option(flags, target, help)->group(group)->type_name(value);
}

void CommandLine::add_texts(const std::string& group, const std::string& flags,
                            const std::string& value, std::vector<std::string>& target,
                            const std::string& help) {
  app_->add_option(flags, target, help)->group(group)->type_name(value)->allow_extra_args(false);
}

void CommandLine::add_switch(const std::string& group, const std::string& flags, bool& target,
                             const std::string& help) {
  app_->add_flag_callback(flags, [&target] { target = true; }, help)->group(group);
}

template <class T>
void CommandLine::add_count(const std::string& group, const std::string& flags,
                            const std::string& value, T& target, std::int64_t least,
                            std::int64_t most, const std::string& help) {
  const auto set = [=, &target](const std::string& text) {
    target = static_cast<T>(count_of(flags, text, least, most));
  };
  app_->add_option_function<std::string>(flags, set, help)
      ->group(group)
      ->type_name(value)
      ->default_str(fmt::format("{}", target));
}
template void CommandLine::add_count(const std::string&, const std::string&, const std::string&,
                                     int&, std::int64_t, std::int64_t, const std::string&);
template void CommandLine::add_count(const std::string&, const std::string&, const std::string&,
                                     std::int64_t&, std::int64_t, std::int64_t, const std::string&);

void CommandLine::add_counts(const std::string& group, const std::string& flags,
                             std::vector<std::int64_t>& target, std::int64_t least,
                             std::int64_t most, const std::string& help) {
  add_value(group, flags, target, help);
  app_->get_option(flags)->check([=](const std::string& text) {
    count_of(flags, text, least, most);
    return std::string();
  });
}

void CommandLine::add_number(const std::string& group, const std::string& flags,
                             const std::string& value, double& target, double least, double most,
                             const std::string& help) {
  const auto set = [=, &target](const std::string& text) {
    const auto number = internal::parse_number(text);
    if (!number || *number < least || *number > most) {
      throw UsageError(fmt::format("{}: \"{}\" is not allowed; give a number from {} to {}", flags,
                                   text, display(least), display(most)));
    }
    target = *number;
  };
  app_->add_option_function<std::string>(flags, set, help)
      ->group(group)
      ->type_name(value)
      ->default_str(display(target));
}

void CommandLine::add_choice(const std::string& group, const std::string& flags,
                             std::string& target, const std::vector<std::string>& words,
                             const std::string& help) {
  app_->add_option(flags, target, help)
      ->group(group)
      ->type_name("NAME")
      ->check(CLI::IsMember(words))
      ->capture_default_str();
}

template <class T>
void CommandLine::add_value(const std::string& group, const std::string& flags, T& target,
                            const std::string& help) {
  CLI::Option* option = app_->add_option(flags, target, help)->group(group);
  if constexpr (requires { target.empty(); }) {
    if (target.empty()) return;
  }
  option->capture_default_str();
}
template void CommandLine::add_value(const std::string&, const std::string&, std::string&,
                                     const std::string&);
template void CommandLine::add_value(const std::string&, const std::string&,
                                     std::vector<std::int64_t>&, const std::string&);
template void CommandLine::add_value(const std::string&, const std::string&,
                                     std::vector<std::string>&, const std::string&);

void CommandLine::add_words(const std::string& group, const std::string& flags,
                            std::vector<std::string>& target, const std::vector<std::string>& words,
                            const std::string& help) {
  add_value(group, flags, target, help);
  app_->get_option(flags)->check(CLI::IsMember(words))->delimiter(',');
}

void CommandLine::add_runtime_options() {
  for (const OptionInfo& info : config_options()) {
    const std::string name(info.name);
    const auto set = [this, name](const std::string& text) { set_option(config_, name, text); };
    app_->add_option_function<std::string>("--" + name, set, std::string(info.help))
        ->group(kRuntimeGroup)
        ->type_name(std::string(info.value))
        ->default_str(std::string(info.default_value));
    if (const auto unused = config_detail::find_option(name)->unused; unused != nullptr)
      unused_when("--" + name,
                  [this, unused] { return unused(config_, processes_of_job(config_)); });
    if (info.value == "on|off") switches_.push_back("--" + name);
  }
}

bool CommandLine::parse(const Arguments& arguments) {
  if (arguments.size() == 1 && arguments.front() == kCompletionTable) {
    print_completions();
    return false;
  }
  add_runtime_options();
  Arguments words = normalize(arguments);
  if (!asks_for_help(words)) config_ = config_.with_environment();
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app_->parse(words);
  } catch (const CLI::CallForHelp&) {
    standard_output().write(help());
    return false;
  } catch (const CLI::ParseError& error) {
    std::string what = error.what();
    // As CLI11 says that an option has no value.
    if (const std::size_t at = what.find(": 1 required "); at != std::string::npos)
      what.replace(at, std::string_view(": 1 required ").size(), ": no value given: ");
    throw UsageError(
        fmt::format("{}: {}{} (grappa help {})", name_, what, hint_of_switch(arguments), name_));
  }
  refuse_repeated();
  report_unused();
  if (processes_of_job(config_) == 0) warn_of_slow_simulation(config_);
  return true;
}

int CommandLine::locales() const { return std::max(config_.locales, processes_of_job(config_)); }

void CommandLine::unused_when(const std::string& flag, std::function<std::string_view()> why) {
  unused_.emplace_back(flag, std::move(why));
}

bool CommandLine::is_quiet() const {
  const CLI::Option* quiet = app_->get_option_no_throw("--quiet");
  return quiet != nullptr && quiet->count() > 0;
}

void CommandLine::refuse_repeated() const {
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    const std::vector<std::string>& values = option->results();
    if (option->get_positional()) {
      if (std::count(values.begin(), values.end(), "-") > 1)
        throw UsageError(fmt::format("{}: -: standard input can be read only once", name_));
      continue;
    }
    if (option->get_items_expected_max() > 1) continue;
    const auto other = std::find_if(values.begin(), values.end(), [&](const std::string& value) {
      return value != values.front();
    });
    if (other != values.end()) {
      throw UsageError(fmt::format("{}: {}: {} is given, and {}; one is taken (grappa help {})",
                                   name_, option->get_name(), values.front(), *other, name_));
    }
  }
}

void CommandLine::report_unused() const {
  if (is_quiet()) return;
  std::string text;
  for (const auto& [flag, why] : unused_) {
    if (app_->get_option(flag)->count() == 0) continue;
    if (const std::string_view reason = why(); !reason.empty())
      text += fmt::format("{}{} has no effect: {}", text.empty() ? "" : "; ", flag, reason);
  }
  if (text.empty()) return;
  validate(config_);  // what is refused has an effect
  internal::log_info("{}", text);
}

bool CommandLine::is_option(const std::string& word) const {
  return is_flag(word) && app_->get_option_no_throw(word.substr(0, word.find('='))) != nullptr;
}

Arguments CommandLine::normalize(const Arguments& arguments) const {
  Arguments words;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word.empty()) refuse_empty(i > 0 ? arguments[i - 1] : "");
    if (word.starts_with("--") && word.find('=') + 1 == word.size()) refuse_empty(word);
    if (word == "--") {
      words.insert(words.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i),
                   arguments.end());
      break;
    }
    if (is_flag(word)) {
      const bool is_long = word.starts_with("--");
      const std::string flag = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
      if (app_->get_option_no_throw(flag) == nullptr) refuse_flag(word.substr(0, word.find('=')));
      if (std::find(switches_.begin(), switches_.end(), word) != switches_.end()) {
        const bool has_word = i + 1 < arguments.size() && is_switch_word(arguments[i + 1]);
        words.push_back(word + "=" + (has_word ? arguments[++i] : std::string("on")));
        continue;
      }
      if (is_long && word != flag && app_->get_option(flag)->get_items_expected_max() == 0 &&
          !internal::parse_switch(word.substr(flag.size() + 1))) {
        throw UsageError(fmt::format(
            "{}: {}: a switch takes no value, or on or off (grappa help {})", name_, word, name_));
      }
      const bool takes_next = word == flag && app_->get_option(flag)->get_items_expected_min() > 0;
      if (takes_next && i + 1 < arguments.size() && is_option(arguments[i + 1])) {
        throw UsageError(fmt::format("{}: {}: no value given, {} follows (grappa help {})", name_,
                                     flag, arguments[i + 1], name_));
      }
    }
    words.push_back(word);
  }
  return words;
}

// Where a word behind a switch, which may stand alone, is none of those that it takes.
std::string CommandLine::hint_of_switch(const Arguments& arguments) const {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    const bool is_switch =
        std::find(switches_.begin(), switches_.end(), arguments[i]) != switches_.end();
    if (is_switch && !is_flag(arguments[i + 1]) && !is_switch_word(arguments[i + 1]))
      return fmt::format("; {} takes on or off, not {}", arguments[i], arguments[i + 1]);
  }
  return {};
}

// Mostly a variable of a script that is not set.
void CommandLine::refuse_empty(const std::string& flag) const {
  const std::string name = flag.substr(0, flag.find('='));
  throw UsageError(
      fmt::format("{}: {} (grappa help {})", name_,
                  is_flag(flag) ? name + ": the value is empty" : "an argument is empty", name_));
}

void CommandLine::refuse_flag(std::string_view flag) const {
  std::vector<std::string> names;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    const std::vector<std::string>& longs = option->get_lnames();
    names.insert(names.end(), longs.begin(), longs.end());
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view letters = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  std::string meant = internal::nearest_hint(letters, views, "--");
  const bool may_be_file = !flag.starts_with("--") && flag.size() > 2;
  if (meant.empty() && may_be_file) meant = fmt::format("; a file of that name is ./{}", flag);
  throw UsageError(
      fmt::format("{}: {}: no such option{} (grappa help {})", name_, flag, meant, name_));
}

void CommandLine::print_completions() const {
  std::vector<CompletionEntry> entries;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    if (option->get_positional()) {
      const std::string name = option->get_name(true);
      entries.push_back({"<" + name + ">", name, option->get_description()});
    }
    const std::string value = option->get_type_name();
    for (const std::string& name : option->get_lnames())
      entries.push_back({"--" + name, value, option->get_description()});
    for (const std::string& name : option->get_snames())
      entries.push_back({"-" + name, value, option->get_description()});
  }
  print_completion_table(name_, entries, true);
}

std::vector<OptionHelp> CommandLine::options() const {
  std::vector<OptionHelp> options;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    options.push_back({option->get_group(), names_of(*option), describe(*option)});
  }
  return options;
}

std::string CommandLine::help() const {
  return help_text(
      fmt::format("grappa {} {}[options]", name_, positionals_.empty() ? "" : positionals_ + " "),
      app_->get_description(), options());
}

}  // namespace grappa::cli
