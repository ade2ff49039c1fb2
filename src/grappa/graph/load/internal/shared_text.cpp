#include "grappa/graph/load/internal/shared_text.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <span>
#include <utility>
#include <variant>

#include "grappa/base/serialize.hpp"
#include "grappa/graph/load/internal/carried_error.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/sync/semaphore.hpp"

namespace grappa::graph {
namespace {

/// What precedes a block on its way.
struct BlockHead {
  std::int64_t lines_before = 0;
  std::int64_t rows_before = 0;
};

io::TextBlock unpack(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  const auto head = in.get<Outcome<BlockHead>>();
  if (const auto* error = std::get_if<1>(&head)) error->rethrow();
  io::TextBlock block;
  block.lines_before = std::get<0>(head).lines_before;
  block.rows_before = std::get<0>(head).rows_before;
  block.bytes = in.rest().size();
  block.text = std::make_unique_for_overwrite<char[]>(block.bytes + io::kPadding);
  in.get_span(std::span(block.text.get(), block.bytes));
  std::memset(block.text.get() + block.bytes, 0, io::kPadding);
  return block;
}

}  // namespace

/// Reads the text. Only waiting for its turn switches tasks, so nothing needs a lock.
class SharedText::Producer {
 public:
  explicit Producer(std::unique_ptr<io::LineReader> reader) : reader_(std::move(reader)) {
    for (int locale = 0; locale < locale_count(); ++locale)
      turns_.emplace_back(locale == 1 ? 1 : 0);
  }

  /// Readers no longer wait for one that has stopped asking.
  void stop() {
    stopped_ = true;
    for (Semaphore& turn : turns_) turn.release();
  }
  double fraction() const { return reader_->fraction(); }

  /// The block that is asked for, or the error, packed.
  std::vector<std::byte> get(Kind kind, std::uint64_t index, int locale) {
    if (kind == Kind::kOwn) {
      turns_[static_cast<std::size_t>(locale)].acquire();
      std::vector<std::byte> block = next(stopped_);
      turns_[static_cast<std::size_t>(locale + 1) % turns_.size()].release();
      return block;
    }
    // All readers see the same beginning, also when one has stopped the rest already.
    if (index == common_.size()) common_.push_back(next(false));
    return common_[index];
  }

 private:
  std::vector<std::byte> next(bool stopped) {
    std::string_view block;
    const auto head = outcome_of([&] {
      if (!stopped && !failed_) reader_->next_block(block);
      const BlockHead before{lines_, rows_};
      lines_ += io::count_line_feeds(block);
      rows_ += io::count_rows(block);
      return before;
    });
    // All later readers get the end of the text: one of them already has the error.
    failed_ = failed_ || head.index() != 0;
    ByteWriter out;
    out.put(head);
    out.put_span(std::span<const char>(block));
    return std::move(out).take();
  }

  std::unique_ptr<io::LineReader> reader_;
  std::deque<Semaphore> turns_;  // [locales] one has a permit: who gets the next block
  std::vector<std::vector<std::byte>> common_;
  std::int64_t lines_ = 0;
  std::int64_t rows_ = 0;
  bool stopped_ = false;
  bool failed_ = false;
};

class SharedText::Source final : public io::BlockSource {
 public:
  Source(const SharedText& text, std::string name) : text_(text), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  io::TextBlock next_common() override { return fetch(Kind::kCommon, commons_++); }
  io::TextBlock next_own() override { return fetch(Kind::kOwn, 0); }
  double fraction() const override {
    return this_locale() == 0 ? (*text_.producer_)->fraction() : 0;
  }

 private:
  io::TextBlock fetch(Kind kind, std::uint64_t index) const {
    if (this_locale() == 0) {
      return unpack((*text_.producer_)->get(kind, index, 0));
    }
    CompletionEvent arrived;
    spawn_on(arrived, 0, [text = text_, kind, index, to = this_locale()] {
      text.exchange_.send(to, (*text.producer_)->get(kind, index, to));
    });
    arrived.wait();
    return unpack(text_.exchange_.take<std::byte>(0));
  }

  const SharedText text_;
  const std::string name_;
  std::uint64_t commons_ = 0;
};

SharedText SharedText::create() {
  Owned<LocaleState<std::unique_ptr<Producer>>> producer =
      LocaleState<std::unique_ptr<Producer>>::create();
  SharedText text;
  text.exchange_ = Exchange::create();
  text.producer_ = producer.release();
  return text;
}

void SharedText::destroy() {
  producer_.destroy();
  exchange_.destroy();
}

void SharedText::open(std::unique_ptr<io::LineReader> reader) const {
  *producer_ = std::make_unique<Producer>(std::move(reader));
}

std::unique_ptr<io::BlockSource> SharedText::source(const std::string& name) const {
  return std::make_unique<Source>(*this, name);
}

void SharedText::stop() const {
  spawn_on(0, [text = *this] { (*text.producer_)->stop(); });
}

}  // namespace grappa::graph
