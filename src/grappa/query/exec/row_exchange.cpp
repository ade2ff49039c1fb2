#include "grappa/query/exec/row_exchange.hpp"

#include <array>
#include <cstring>
#include <exception>
#include <utility>

#include "grappa/query/exec/hashing.hpp"

namespace grappa::query {
namespace {

/// Keeps rows as others do, and sends those to others that `destination` says.
class PartitionSink final : public Stage {
 public:
  PartitionSink(const Team& team, Rows& rows, const RowExchange& exchange, int core,
                const std::vector<std::size_t>& places, const std::vector<std::size_t>& keys,
                const StayingRows* staying)
      : team_(team),
        rows_(rows),
        exchange_(exchange),
        core_(core),
        places_(places),
        keys_(keys),
        staying_(staying),
        most_bytes_(rows.most_of_core()),
        travelling_(rows.layout.row_bytes()) {}

  void push(Batch& batch) override {
    vectors_.clear();
    for (const std::size_t key : keys_) vectors_.push_back(batch.columns[places_[key]]);
    hash_rows(batch, vectors_, hashes_.data());
    // Those that stay go to where the others are kept; those that leave only need their texts.
    std::array<Position, kBatchRows> staying;
    std::array<Position, kBatchRows> leaving;
    Batch stay = batch;
    Batch leave = batch;
    stay.count = leave.count = 0;
    std::size_t i = 0;
    batch.for_each([&](std::size_t row) {
      const std::uint64_t hash = hashes_[i++];
      int owner = owner_of(hash, team_.locales);
      if (staying_ != nullptr &&
          !staying_->may_have_partner[static_cast<std::size_t>(owner)].may_have(hash)) {
        if (!staying_->are_kept) return;
        owner = team_.locale;
      }
      if (owner == team_.locale) {
        staying[stay.count++] = static_cast<Position>(row);
      } else {
        owners_[leave.count] = owner;
        leaving[leave.count++] = static_cast<Position>(row);
      }
    });
    stay.selection = staying.data();
    leave.selection = leaving.data();
    write(stay, *rows_.stores[static_cast<std::size_t>(core_)]);
    rows_.spill_if_above(most_bytes_, core_);
    travelling_.clear();
    write(leave, travelling_);
    for (std::size_t k = 0; k < leave.count; ++k) exchange_.send(written_[k], owners_[k]);
  }
  void finish() override { rows_.finish(core_); }

 private:
  void write(const Batch& batch, RowStore& store) {
    store.append(batch.count, written_.data());
    for (std::size_t c = 0; c < places_.size(); ++c)
      rows_.layout.write(c, batch.columns[places_[c]], batch, written_.data(), store.texts());
  }

  const Team& team_;
  Rows& rows_;
  const RowExchange& exchange_;
  int core_;
  const std::vector<std::size_t>& places_;
  const std::vector<std::size_t>& keys_;
  const StayingRows* staying_;
  std::size_t most_bytes_;  // in memory
  RowStore travelling_;
  std::vector<Vector> vectors_;
  std::array<std::uint64_t, kBatchRows> hashes_;
  std::array<std::byte*, kBatchRows> written_;
  std::array<int, kBatchRows> owners_;
};

RowExchange exchange_for(const Team& team, const Rows& rows) {
  return RowExchange(team, rows.layout.row_bytes(), rows.layout.text_offsets());
}

}  // namespace

void RowExchange::send(const std::byte* row, int locale) const {
  std::size_t bytes = row_bytes_;
  team_.exchange.add_all(locale, std::span(row, row_bytes_));
  for (const std::size_t offset : texts_) {
    TextRef text;
    std::memcpy(static_cast<void*>(&text), row + offset, sizeof text);
    if (text.is_short()) continue;
    team_.exchange.add_all(locale, std::as_bytes(std::span(text.data(), text.size())));
    bytes += text.size();
  }
  team_.count_sent(bytes);
}

void RowExchange::send(const Rows& rows, int locale) const {
  rows.for_each_piece([&](const RowStore::Piece& piece) {
    const std::size_t bytes = piece.rows * row_bytes_;
    if (texts_.empty()) {
      team_.exchange.add_all(locale, std::span<const std::byte>(piece.begin, bytes));
      team_.count_sent(bytes);
    } else {
      for (std::size_t at = 0; at < bytes; at += row_bytes_) send(piece.begin + at, locale);
    }
  });
}

void RowExchange::end(RowStore& to, const std::function<void()>& look) const {
  // What goes wrong is told when all have met.
  std::exception_ptr error;
  const auto take = [&](std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      std::byte* const row = to.append();
      std::memcpy(row, bytes.data(), row_bytes_);
      bytes = bytes.subspan(row_bytes_);
      for (const std::size_t offset : texts_) {
        TextRef text;
        std::memcpy(static_cast<void*>(&text), row + offset, sizeof text);
        if (text.is_short()) continue;
        const std::size_t size = text.size();
        const TextRef here =
            to.texts().keep(text.moved_to(reinterpret_cast<const char*>(bytes.data())));
        std::memcpy(row + offset, &here, sizeof here);
        bytes = bytes.subspan(size);
      }
      if (look && to.rows() % kBatchRows == 0) look();
    }
  };
  team_.meet([&](std::span<const std::byte> bytes) {
    if (error) return;
    try {
      take(bytes);
    } catch (...) {
      error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
}

void RowExchange::end(Rows& to) const {
  const std::size_t most_bytes = to.most_of_core();
  end(*to.stores[0], [&] { to.spill_if_above(most_bytes, 0); });
  to.finish(0);
}

std::shared_ptr<Rows> partitioned(const Team& team, const Pipeline& pipeline,
                                  const std::vector<std::size_t>& places,
                                  const std::vector<Type>& types,
                                  const std::vector<std::size_t>& keys, OperatorMemoryPtr memory,
                                  const StayingRows* staying) {
  auto rows = std::make_shared<Rows>(types, team.cores, std::move(memory));
  const RowExchange exchange = exchange_for(team, *rows);
  run(team, pipeline, [&](int core) {
    return std::make_unique<PartitionSink>(team, *rows, exchange, core, places, keys, staying);
  });
  exchange.end(*rows);
  return rows;
}

void gather(const Team& team, Rows& rows) {
  if (team.locales == 1) return;
  const RowExchange exchange = exchange_for(team, rows);
  if (team.locale != 0) {
    exchange.send(rows, 0);
    rows.clear();
  }
  exchange.end(rows);
}

void replicate(const Team& team, Rows& rows) {
  if (team.locales == 1) return;
  const RowExchange exchange = exchange_for(team, rows);
  for (int locale = 0; locale < team.locales; ++locale)
    if (locale != team.locale) exchange.send(rows, locale);
  exchange.end(rows);
}

}  // namespace grappa::query
