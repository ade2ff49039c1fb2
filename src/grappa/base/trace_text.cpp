#include "grappa/base/trace_text.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grappa/base/closure_names.hpp"

namespace grappa::internal {
namespace {

constexpr std::uint64_t kRateNs = 100'000'000;  // shorter runs do not say how the clocks differ

void remove_all(std::string& text, std::string_view part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;)
    text.erase(at, part.size());
}

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + '"';
}

/// Microseconds, as the format wants them, to the nanosecond.
std::string micros(std::uint64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

class Writer {
 public:
  Writer(const TraceCore& core, const TraceClock& clock)
      : clock_(clock), core_(core.core), process_(core.locale + 1), thread_(core.core + 1) {}

  void describe(int locale, std::uint64_t lost) {
    put(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"locale {}"}}}})", process_,
        locale);
    put(R"({{"ph":"M","pid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})", process_,
        locale);
    put(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"core {}{}"}}}})",
        process_, thread_, core_,
        lost == 0 ? "" : fmt::format(" (the first {} events are lost)", lost));
    put(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
        process_, thread_, core_);
  }

  void span(const TraceEvent& event) {
    const std::uint64_t begin = clock_.at(event.time_ns);
    const std::string_view activity = name_of(event.activity);
    put(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"cat":"{}","name":{}{}}})", process_,
        thread_, micros(begin), micros(clock_.at(event.time_ns + event.first) - begin), activity,
        event.name.empty() ? json_string(activity) : text_of(event.name),
        event.second == 0 ? "" : fmt::format(R"(,"args":{{"messages":{}}})", event.second));
  }

  void flush(const TraceEvent& event) {
    instant(event, "t", json_string(fmt::format("flush: {}", event.name.text())),
            fmt::format(R"("to":{},"bytes":{})", event.first, event.second));
  }
  void steal(const TraceEvent& event) {
    instant(event, "t", json_string(fmt::format("steal: {}", event.name.text())),
            fmt::format(R"("from":{},"count":{})", event.first, event.second));
  }
  void mark(const TraceEvent& event) {
    instant(event, "p", json_string(fmt::format("{} {}", event.name.text(), event.second)),
            fmt::format(R"("mark":{},"number":{})", json_string(event.name.text()), event.second));
  }

  /// What was sent until `next` is spread evenly.
  void counters(const TraceEvent& event, const TraceEvent* next) {
    const auto counter = [&](std::string_view what, const std::string& values) {
      put(R"({{"ph":"C","pid":{},"ts":{},"name":"{}, core {}","args":{{{}}}}})", process_,
          micros(clock_.at(event.time_ns)), what, core_, values);
    };
    const std::uint64_t tasks = event.name.bits();
    counter("tasks", fmt::format(R"("live":{},"suspended":{})", tasks >> 32,
                                 static_cast<std::uint32_t>(tasks)));
    const auto rate = [&](std::uint64_t before, std::uint64_t after) {
      const auto ns = static_cast<double>(next->time_ns - event.time_ns);
      return fmt::format(R"("a second":{:.0f})", 1e9 * static_cast<double>(after - before) / ns);
    };
    if (next == nullptr || next->time_ns == event.time_ns) return;
    counter("messages", rate(event.first, next->first));
    counter("bytes", rate(static_cast<std::uint64_t>(event.second),
                          static_cast<std::uint64_t>(next->second)));
  }

  std::string take() { return std::move(text_); }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    if (!text_.empty()) text_ += ",\n";
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void instant(const TraceEvent& event, const char* scope, const std::string& name,
               const std::string& args) {
    put(R"({{"ph":"i","pid":{},"tid":{},"ts":{},"s":"{}","name":{},"args":{{{}}}}})", process_,
        thread_, micros(clock_.at(event.time_ns)), scope, name, args);
  }

  /// In quotes.
  const std::string& text_of(TraceName name) {
    std::string& text = names_[name.bits()];
    if (!text.empty()) return text;
    std::string plain = name.text() != nullptr ? name.text() : closure_name(*name.type());
    // What every second name has in it, and says nothing.
    for (const std::string_view part :
         {"grappa::internal::", "grappa::", "(anonymous namespace)::"})
      remove_all(plain, part);
    return text = json_string(plain);
  }

  const TraceClock clock_;
  const int core_;
  const int process_;
  const int thread_;
  std::string text_;
  std::unordered_map<std::uint64_t, std::string> names_;
};

const TraceEvent* next_counters(const std::vector<TraceEvent>& events, std::size_t i) {
  while (++i < events.size()) {
    if (events[i].kind == TraceKind::kCounters) return &events[i];
  }
  return nullptr;
}

}  // namespace

TraceClock TraceClock::through(std::uint64_t here_first, std::uint64_t there_first,
                               std::uint64_t here_last, std::uint64_t there_last) {
  TraceClock clock{here_first, there_first, 1};
  if (here_last - here_first >= kRateNs)
    clock.rate =
        static_cast<double>(there_last - there_first) / static_cast<double>(here_last - here_first);
  return clock;
}

std::string trace_of_core(const TraceCore& core, const CoreRecorder& recorder,
                          const TraceClock& clock) {
  std::vector<TraceEvent> events;
  const std::uint64_t lost = recorder.ring()->read(events);
  const ActivityClock::Now now = recorder.times();
  Writer writer(core, clock);
  writer.describe(core.locale, lost);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const TraceEvent& event = events[i];
    switch (event.kind) {
      case TraceKind::kSpan:
        writer.span(event);
        break;
      case TraceKind::kFlush:
        writer.flush(event);
        break;
      case TraceKind::kSteal:
        writer.steal(event);
        break;
      case TraceKind::kMark:
        writer.mark(event);
        break;
      case TraceKind::kCounters:
        writer.counters(event, next_counters(events, i));
        break;
    }
  }
  if (now.at > now.since)
    writer.span(
        {.time_ns = now.since, .activity = now.activity, .name = {}, .first = now.at - now.since});
  return writer.take();
}

}  // namespace grappa::internal
