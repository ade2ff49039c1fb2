#pragma once

// A text that locale 0 reads, block by block, for readers on all locales: for input that cannot be
// cut into parts, such as standard input, compressed files and formats whose lines must be
// numbered.
//
//   const Owned<SharedText> text = SharedText::create();
//   GraphInput input({.path = "web.txt.gz"});
//   text->open(open_text(input));                                   // at locale 0
//   on_all_locales([text = *text] {
//     io::LineReader reader(text.source("web.txt.gz"), {});
//     …
//   });
//
// Readers ask for blocks, and get them in turn, however fast they are. Nobody holds more than one
// block, and nowhere is the whole text in memory. Common blocks (block_source.hpp) are kept
// until destroy(). A reader that does not want the rest, because of an error, calls stop(): then no
// reader gets any more.
//
// Thread and task safety: a handle, trivially copyable. create(), destroy() and open() are called
// by one task. Sources are used on the first core of their locale, by one task each, and switch
// tasks. Errors of the text come out of every source, as what they are.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/text/block_source.hpp"
#include "grappa/io/text/line_reader.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

class SharedText {
 public:
  static SharedText create();
  void destroy();

  void open(std::unique_ptr<io::LineReader> reader) const;
  /// For a reader on this locale. `name` is for errors.
  std::unique_ptr<io::BlockSource> source(const std::string& name) const;
  /// No reader gets any more blocks.
  void stop() const;

 private:
  class Producer;
  class Source;
  enum class Kind : std::uint8_t { kCommon, kOwn };

  LocaleState<std::unique_ptr<Producer>> producer_;  // at locale 0
  Exchange exchange_;
};

}  // namespace grappa::graph
