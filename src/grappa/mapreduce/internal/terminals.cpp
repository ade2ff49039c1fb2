#include "grappa/mapreduce/internal/terminals.hpp"

#include <string_view>

#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa::mapreduce::detail {

void write_texts(const CoreState<std::string>& texts, io::OutputFile& out) {
  const Owned<Exchange> exchange = Exchange::create();
  const int home = this_locale();
  for (int locale = 0; locale < locale_count(); ++locale) {
    for (int core = 0; core < cores_per_locale(); ++core) {
      if (locale == home) {
        out.write(std::exchange(texts.of_local(core), {}));
        continue;
      }
      CompletionEvent arrived;
      spawn_on(arrived, first_core_of(locale), [texts, core, home, exchange = *exchange] {
        exchange.send(home, std::exchange(texts.of_local(core), {}));
      });
      arrived.wait();
      const std::vector<char> text = exchange->take<char>(locale);
      out.write({text.data(), text.size()});
    }
  }
}

}  // namespace grappa::mapreduce::detail
