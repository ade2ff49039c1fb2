// grappa wordcount: how often the words of a text occur.

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/output_options.hpp"
#include "cli/run_report.hpp"
#include "grappa/base/clock.hpp"
#include "grappa/grappa.hpp"
#include "grappa/mapreduce/word_count.hpp"
#include "grappa/mapreduce/words.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kWordCountDescription =
    "How often each word of a text occurs, the most frequent first; words that are equally "
    "frequent in the order of their bytes.\n\n"
    "The text is UTF-8. A word is a run of characters other than white space (as Unicode has it, "
    "and U+001C to U+001F; bytes that are no UTF-8 are part of words); with --letters, a run of "
    "letters, in any script, and of the combining marks (accents) on them. Several files are "
    "counted together. Plain files are divided among all cores and locales; .gz and .zst files are "
    "decompressed by one locale each.\n\n"
    "Lines of -o: the word, a tab, the count.";

class WordCount {
 public:
  int execute(const Arguments& arguments);

 private:
  void run_task();

  std::vector<std::string> files_;
  mapreduce::WordRules rules_;
  std::int64_t top_ = 10;
  OutputOptions output_;
  std::optional<Report> report_;
};

int WordCount::execute(const Arguments& arguments) {
  CommandLine line("wordcount", "FILE...", kWordCountDescription);
  line.add_positionals("FILE", files_, "text, plain, .gz or .zst; - for standard input");
  line.add_switch("Words", "--lower", rules_.lower, "count capital letters as small ones");
  line.add_switch("Words", "--letters", rules_.letters, "words are runs of letters");
  line.add_count("Words", "--ngrams", "N", rules_.ngrams, 1, 100,
                 "count N words that follow one another in a line");
  output_.add_options(line, OutputOptions::kValues, "all words and their counts");
  line.add_count(kOutputGroup, "--top", "K", top_, 0, 1'000'000, "print the K most frequent words");
  if (!line.parse(arguments)) return 0;
  output_.open_for_run(line.config(), files_);
  report_.emplace(!output_.wants_summary(), output_.quiet());
  report_->set("/kernel", "wordcount");
  run(line.config(), [this] { run_task(); });
  output_.commit(*report_);
  return 0;
}

void WordCount::run_task() {
  print_cores(*report_);
  report_->progress().show("counting");
  const std::uint64_t start = internal::now_ns();
  const auto counts = mapreduce::count_words(
      files_, rules_, {.progress = report_->progress().reporter("counting")});
  const std::int64_t distinct = counts.count();
  const std::int64_t words = counts.map([](const auto& word) { return word.second; })
                                 .reduce(std::int64_t{0}, std::plus<>());
  const double seconds = static_cast<double>(internal::now_ns() - start) * 1e-9;
  report_->progress().clear();
  report_->line(rules_.ngrams == 1 ? "Words" : "N-grams", "{}", fact("words", words));
  report_->line("Distinct", "{}", fact("distinct", distinct));
  report_->line("Time", "{}", format_seconds(seconds));
  report_->at("/trials").push_back({{"seconds", seconds}});
  Table table(*report_, "top", {{"Word", "{}", 0, true}, {"Count"}});
  for (const auto& [word, times] : counts.top(top_, mapreduce::most_frequent_first))
    table.add(fact("word", word), fact("count", times));
  table.print();
  if (io::OutputFile* out = output_.values()) {
    report_->progress().show(fmt::format("writing {}", out->path()));
    counts.sort(mapreduce::most_frequent_first)
        .write_lines(*out, [](std::string& text, const auto& word) {
          text += word.first;
          text += '\t';
          text += std::to_string(word.second);
        });
    report_->progress().clear();
  }
  output_.take_metrics("wordcount", *report_);
}

}  // namespace

int run_wordcount(const Arguments& arguments) {
  WordCount count;
  return count.execute(arguments);
}

}  // namespace grappa::cli
