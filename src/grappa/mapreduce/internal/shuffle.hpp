#pragma once

// Shuffle<Record>: records from every core to every core.
//
//   using Record = std::int64_t;
//   const Owned<Shuffle<Record>> shuffle = Shuffle<Record>::create();
//   on_all_cores([shuffle = *shuffle] {
//     for (Record i = 0; i < 100; ++i) shuffle.to(static_cast<int>(i % core_count())).push_back(i);
//     shuffle.send();
//   });
//   on_all_cores([shuffle = *shuffle] {
//     shuffle.take([](std::span<Record> records) { use(records); });
//   });
//
// Within a locale the receiver finds the records where the sender has put them, and may move from
// them. Those for another locale travel as bytes: a serializer says how, by default
// RecordBytes<Record>, which does as all values do (base/serialize.hpp). What records point to
// stays with the sender until it has all been taken; or it lies in the bytes that have come, or in
// what the receiver has itself.
//
// A handle, trivially copyable. create() and destroy() are called by one task; all but to() switch
// tasks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "grappa/base/serialize.hpp"
#include "grappa/mapreduce/internal/bulk.hpp"
#include "grappa/mapreduce/internal/core_state.hpp"
#include "grappa/parallel/send_span.hpp"

namespace grappa::mapreduce::detail {

template <class Record>
struct RecordBytes {
  /// Of a record that goes to `locale`.
  static void put(ByteWriter& out, const Record& record, int /*locale*/) { out.put(record); }
  static Record get(ByteReader& in) { return in.get<Record>(); }
};

/// Serializer: put and get as those of RecordBytes; trivially copyable.
template <class Record, class Serializer = RecordBytes<Record>>
class Shuffle {
 public:
  [[nodiscard("create returns the handle")]] static Shuffle create(Serializer serializer = {}) {
    Shuffle shuffle;
    shuffle.serializer_ = serializer;
    shuffle.state_ = CoreState<State>::create();
    on_all_cores([state = shuffle.state_] {
      const auto cores = static_cast<std::size_t>(core_count());
      state.mine().outgoing.resize(cores);
      state.mine().arrived.resize(cores);
      state.mine().unpacked.resize(cores);
    });
    return shuffle;
  }
  void destroy() { state_.destroy(); }
  /// Another one whose records travel as those of this one do.
  [[nodiscard("create returns the handle")]] Shuffle create_alike() const {
    return create(serializer_);
  }

  /// What the calling core has for `core`.
  Bulk<Record>& to(int core) const {
    return state_.mine().outgoing[static_cast<std::size_t>(core)];
  }

  /// By every core, when it has all that it has to send. Joins the enclosing completion event.
  void send() const {
    for (int step = 1; step < locale_count(); ++step) {
      // Everybody begins with the next, so that they do not all send to the first at once.
      const int first = first_core_of((this_locale() + step) % locale_count());
      for (int core = first; core < first + cores_per_locale(); ++core) send_to(core);
    }
  }

  /// By every core, when all have sent: use(std::span<Record>) for each sender in the order of the
  /// cores.
  template <class Use>
  void take(Use use) const {
    State& mine = state_.mine();
    const int first = first_core_of(this_locale());
    for (int from = 0; from < core_count(); ++from) {
      if (from >= first && from < first + cores_per_locale()) {
        use(std::span(
            state_.of_local(from - first).outgoing[static_cast<std::size_t>(this_core())]));
      } else {
        const auto sender = static_cast<std::size_t>(from);
        if (mine.unpacked[sender].empty()) {
          for (const Bulk<std::byte>& bytes : mine.arrived[sender])
            unpack(bytes, mine.unpacked[sender]);
        }
        use(std::span(mine.unpacked[sender]));
      }
    }
  }

 private:
  struct State {
    std::vector<Bulk<Record>> outgoing;                 // [cores]
    std::vector<std::vector<Bulk<std::byte>>> arrived;  // [cores]; of those of other locales
    std::vector<Bulk<Record>> unpacked;                 // [cores]
  };
  struct TakePiece {
    CoreState<State> state;
    std::uint64_t from;
    std::uint64_t chunk;
    std::uint64_t size;  // of it
    void operator()(std::span<const std::byte> piece, std::size_t first) const {
      std::vector<Bulk<std::byte>>& chunks = state.mine().arrived[from];
      if (chunks.size() <= chunk) chunks.resize(chunk + 1);
      Bulk<std::byte>& bytes = chunks[chunk];
      if (bytes.empty()) bytes.resize(size);
      std::ranges::copy(piece, bytes.begin() + static_cast<std::ptrdiff_t>(first));
    }
  };

  /// Bytes that are packed before they are sent: new memory for all of them would cost more than
  /// the copies.
  static constexpr std::size_t kChunk = std::size_t{8} << 20;

  void send_to(int core) const {
    const Bulk<Record> records = std::move(to(core));
    if (records.empty()) return;
    const int locale = locale_of(core);
    ByteWriter out;
    std::uint64_t chunk = 0;
    const auto send = [&] {
      send_span(
          core, out.bytes(),
          TakePiece{state_, static_cast<std::uint64_t>(this_core()), chunk++, out.bytes().size()});
      out.clear();
    };
    for (const Record& record : records) {
      serializer_.put(out, record, locale);
      if (out.bytes().size() >= kChunk) send();
    }
    send();
  }

  void unpack(std::span<const std::byte> bytes, Bulk<Record>& records) const {
    ByteReader in(bytes);
    while (!in.rest().empty()) records.push_back(serializer_.get(in));
  }

  CoreState<State> state_;
  [[no_unique_address]] Serializer serializer_;
};

}  // namespace grappa::mapreduce::detail
