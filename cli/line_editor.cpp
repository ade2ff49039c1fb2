#include "cli/line_editor.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <utility>

#include "cli/standard_output.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/external_wait.hpp"

#ifdef GRAPPA_CLI_LIBEDIT
#include <histedit.h>
#endif

namespace grappa::cli {
namespace {

enum class Entered : std::uint8_t { kByte, kInterrupted, kEnd };

/// The next byte that is entered.
Entered read_byte(const Interrupts& interrupts, char& byte) {
  const internal::ExternalWait wait;
  std::array<pollfd, 2> ask{pollfd{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                            pollfd{.fd = interrupts.descriptor(), .events = POLLIN, .revents = 0}};
  while (true) {
    if (poll(ask.data(), ask.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return Entered::kEnd;
    }
    if (ask[1].revents != 0) return Entered::kInterrupted;
    const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
    if (count > 0) return Entered::kByte;
    if (count == 0 || errno != EINTR) return Entered::kEnd;
  }
}

}  // namespace

#ifdef GRAPPA_CLI_LIBEDIT

namespace {

constexpr int kMostRemembered = 10'000;
constexpr std::size_t kMostShown = 200;

int columns_of_terminal() {
  constexpr int kUsual = 80;
  winsize size{};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : kUsual;
}

/// Below the line, in columns.
void show_words(const std::vector<std::string>& words) {
  std::size_t width = 0;
  for (const std::string& word : words) width = std::max(width, word.size() + 2);
  const std::size_t columns =
      std::max<std::size_t>(1, static_cast<std::size_t>(columns_of_terminal()) / width);
  const std::size_t shown = std::min(words.size(), kMostShown);
  std::string text = "\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const bool is_last = (i + 1) % columns == 0 || i + 1 == shown;
    text += is_last ? words[i] + "\n" : fmt::format("{:{}}", words[i], width);
  }
  if (shown < words.size()) text += fmt::format("and {} more\n", words.size() - shown);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

std::string common_beginning(const std::vector<std::string>& words) {
  std::string common = words.front();
  for (const std::string& word : words) {
    const auto [end, other] = std::ranges::mismatch(common, word);
    common.erase(end, common.end());
  }
  // No part of a character.
  while (!common.empty() && std::ranges::any_of(words, [&](const std::string& word) {
    return word.size() > common.size() && (word[common.size()] & 0xC0) == 0x80;
  }))
    common.pop_back();
  return common;
}

}  // namespace

struct LineEditor::Terminal {
  Terminal(const Interrupts& of, HistoryFile its_history, Complete how)
      : interrupts(of), file(std::move(its_history)), complete(std::move(how)) {
    // What is entered is UTF-8, as it is for all of the tool.
    std::setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
    edit.reset(el_init("grappa", stdin, stdout, stderr));
    history.reset(history_init());
    if (!edit || !history) throw Error("the terminal cannot be used");
    HistEvent event;
    ::history(history.get(), &event, H_SETSIZE, kMostRemembered);
    ::history(history.get(), &event, H_SETUNIQUE, 1);
    for (const std::string& entry : file.load()) enter(entry);
    el_set(edit.get(), EL_CLIENTDATA, this);
    el_set(edit.get(), EL_SIGNAL, 0);
    el_set(edit.get(), EL_PROMPT, &prompt_of);
    el_set(edit.get(), EL_GETCFN, &get_character);
    el_set(edit.get(), EL_EDITOR, "emacs");
    el_set(edit.get(), EL_HIST, ::history, history.get());
    el_set(edit.get(), EL_ADDFN, "grappa-complete", "Completes a word", &complete_word);
    el_set(edit.get(), EL_BIND, "\t", "grappa-complete", nullptr);
    el_set(edit.get(), EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_source(edit.get(), nullptr);  // ~/.editrc
  }

  Outcome read(const std::string& its_prompt, std::string& line) {
    prompt = its_prompt;
    is_interrupted = false;
    el_resize(edit.get());
    // Before the prompt is shown: Ctrl-D that is entered while the terminal edits lines itself
    // would reach us as another character.
    el_set(edit.get(), EL_PREP_TERM, 1);
    int count = 0;
    const char* const entered = el_gets(edit.get(), &count);
    if (is_interrupted) return kInterrupted;
    if (entered == nullptr || count <= 0) return kEnd;
    line.assign(entered, static_cast<std::size_t>(count));
    if (line.ends_with('\n')) line.pop_back();
    return kLine;
  }

  void remember(const std::string& entry) {
    enter(entry);
    file.append(entry);
  }

  void enter(const std::string& entry) {
    HistEvent event;
    ::history(history.get(), &event, H_ENTER, entry.c_str());
  }

  static Terminal& of(EditLine* edit) {
    void* self = nullptr;
    el_get(edit, EL_CLIENTDATA, &self);
    return *static_cast<Terminal*>(self);
  }
  static char* prompt_of(EditLine* edit) { return of(edit).prompt.data(); }

  /// Of several bytes, as the locale says.
  static int get_character(EditLine* edit, wchar_t* to) {
    Terminal& self = of(edit);
    std::mbstate_t state{};
    char byte = 0;
    while (true) {
      const Entered input = read_byte(self.interrupts, byte);
      self.is_interrupted = input == Entered::kInterrupted;
      if (input == Entered::kInterrupted) return -1;
      if (input == Entered::kEnd) return 0;
      const std::size_t used = std::mbrtowc(to, &byte, 1, &state);
      if (used == static_cast<std::size_t>(-2)) continue;  // there is more of it
      if (used != static_cast<std::size_t>(-1)) return 1;
      state = {};  // what is no UTF-8 is left out
    }
  }

  static unsigned char complete_word(EditLine* edit, int /*character*/) {
    Terminal& self = of(edit);
    const LineInfo* const line = el_line(edit);
    const std::string before(line->buffer, static_cast<std::size_t>(line->cursor - line->buffer));
    const Completions found = self.complete(before);
    if (found.words.empty()) return CC_REFRESH_BEEP;
    const std::string common = common_beginning(found.words);
    if (common.size() > found.prefix_bytes) {
      el_insertstr(edit, common.c_str() + found.prefix_bytes);
      return CC_REFRESH;
    }
    if (found.words.size() == 1) return CC_REFRESH_BEEP;
    show_words(found.words);
    return CC_REDISPLAY;
  }

  struct Closing {
    void operator()(EditLine* of) const { el_end(of); }
    void operator()(History* of) const { history_end(of); }
  };

  const Interrupts& interrupts;
  HistoryFile file;
  Complete complete;
  std::string prompt;
  bool is_interrupted = false;
  std::unique_ptr<History, Closing> history;
  std::unique_ptr<EditLine, Closing> edit;
};

#else

struct LineEditor::Terminal {
  Terminal(const Interrupts& of, const HistoryFile&, const Complete&) : interrupts(of) {}

  Outcome read(const std::string& prompt, std::string& line) const {
    standard_output().write(prompt);
    standard_output().flush();
    line.clear();
    for (char byte = 0;;) {
      const Entered input = read_byte(interrupts, byte);
      if (input == Entered::kInterrupted) return kInterrupted;
      if (input == Entered::kEnd) return line.empty() ? kEnd : kLine;
      if (byte == '\n') return kLine;
      line += byte;
    }
  }
  void remember(const std::string&) {}

  const Interrupts& interrupts;
};

#endif

LineEditor::LineEditor(const Interrupts& interrupts, HistoryFile history, Complete complete)
    : terminal_(std::make_unique<Terminal>(interrupts, std::move(history), std::move(complete))) {}

LineEditor::~LineEditor() = default;

LineEditor::Outcome LineEditor::read(const std::string& prompt, std::string& line) {
  return terminal_->read(prompt, line);
}

void LineEditor::remember(const std::string& entry) { terminal_->remember(entry); }

}  // namespace grappa::cli
