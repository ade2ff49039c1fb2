#include "grappa/query/exec/row_layout.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace grappa::query {

std::byte* VectorBuffer::room(std::size_t rows) {
  const std::size_t bytes = rows * size_of(type_.physical());
  if (bytes > size_) {
    // Places of rows that are not selected are read by loops over all rows: they have some value.
    bytes_ = std::make_unique<std::byte[]>(bytes);
    size_ = bytes;
  }
  return bytes_.get();
}

std::uint64_t* VectorBuffer::valid(std::size_t rows) {
  valid_.assign(words_for_bits(rows), ~std::uint64_t{0});
  has_valid_ = true;
  return valid_.data();
}

Vector VectorBuffer::vector(bool texts_stay) const {
  return {.type = type_,
          .texts_stay = texts_stay,
          .values = bytes_.get(),
          .valid = has_valid_ ? valid_.data() : nullptr};
}

std::size_t RowLayout::add(const Type& type) {
  Column added{.type = type, .offset = 0, .null_byte = 0};
  with_physical(type.physical(), [&]<class T>() {
    added.offset = static_cast<std::uint32_t>(add_bytes(sizeof(T), alignof(T)));
  });
  added.null_byte = static_cast<std::uint32_t>(add_bytes(1, 1));
  columns_.push_back(added);
  return columns_.size() - 1;
}

std::size_t RowLayout::add_bytes(std::size_t size, std::size_t alignment) {
  const std::size_t offset = (end_ + alignment - 1) / alignment * alignment;
  end_ = offset + size;
  return offset;
}

namespace {

/// Each row's value, and that it is none; NULLs are set later.
template <class T, class PlaceOf>
void write_values(const RowLayout::Column& to, const T* values, std::size_t count,
                  std::byte* const* rows, PlaceOf place_of) {
  for (std::size_t i = 0; i < count; ++i) {
    std::byte* const row = rows[i];
    std::memcpy(row + to.offset, &values[place_of(i)], sizeof(T));
    row[to.null_byte] = std::byte{0};
  }
}

template <class PlaceOf>
void write_texts(const RowLayout::Column& to, const TextRef* values, std::size_t count,
                 std::byte* const* rows, TextArena& texts, PlaceOf place_of) {
  for (std::size_t i = 0; i < count; ++i) {
    std::byte* const row = rows[i];
    const TextRef kept = texts.keep(values[place_of(i)]);
    std::memcpy(row + to.offset, &kept, sizeof kept);
    row[to.null_byte] = std::byte{0};
  }
}

/// Returns how many of the rows are NULL there.
template <class T, class PositionOf>
std::size_t read_values(const RowLayout::Column& from, std::byte* const* rows, std::size_t count,
                        T* values, PositionOf position_of) {
  std::size_t nulls = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const row = rows[i];
    T value;
    std::memcpy(&value, row + from.offset, sizeof value);
    values[position_of(i)] = value;
    nulls += static_cast<std::size_t>(row[from.null_byte]);
  }
  return nulls;
}

}  // namespace

void RowLayout::write(std::size_t column, const Vector& vector, const Batch& batch,
                      std::byte* const* rows, TextArena& texts) const {
  const Column& to = columns_[column];
  with_physical(to.type.physical(), [&]<class T>() {
    with_places(batch, vector, [&](auto place_of) {
      if constexpr (std::is_same_v<T, TextRef>) {
        if (!vector.texts_stay)
          return write_texts(to, vector.data<T>(), batch.count, rows, texts, place_of);
      }
      write_values(to, vector.data<T>(), batch.count, rows, place_of);
    });
  });
  if (vector.valid == nullptr) return;
  // A NULL has zeros for its value: rows are equal where their bytes are.
  std::size_t i = 0;
  const std::size_t size = size_of(to.type.physical());
  batch.for_each([&](std::size_t row) {
    std::byte* const place = rows[i++];
    if (vector.is_valid(row)) return;
    place[to.null_byte] = std::byte{1};
    std::memset(place + to.offset, 0, size);
  });
}

void RowLayout::read(std::size_t column, std::byte* const* rows, std::size_t count,
                     const Position* positions, std::size_t batch_rows, VectorBuffer& out) const {
  const Column& from = columns_[column];
  out.clear_valid();
  const std::size_t nulls = with_physical(from.type.physical(), [&]<class T>() {
    T* const values = out.values<T>(batch_rows);
    if (positions == nullptr)
      return read_values(from, rows, count, values, [](std::size_t i) { return i; });
    return read_values(from, rows, count, values,
                       [positions](std::size_t i) { return std::size_t{positions[i]}; });
  });
  if (nulls == 0) return;
  std::uint64_t* const valid = out.valid(batch_rows);
  for (std::size_t i = 0; i < count; ++i) {
    if (rows[i][from.null_byte] != std::byte{0})
      clear_bit(valid, positions != nullptr ? positions[i] : i);
  }
}

std::vector<std::size_t> RowLayout::text_offsets() const {
  std::vector<std::size_t> offsets;
  for (const Column& column : columns_)
    if (column.type.is_text()) offsets.push_back(column.offset);
  return offsets;
}

RowStore::Block& RowStore::add_block(std::size_t size) {
  charge_.add(size);
  bytes_ += size;
  return blocks_.emplace_back(Block{BlockMemory(size), size, 0});
}

RowStore::Block& RowStore::block_for(std::size_t bytes) {
  constexpr std::size_t kLeast = std::size_t{16} << 10;
  constexpr std::size_t kMost = BlockMemory::kLarge;
  if (blocks_.empty() || blocks_.back().used + bytes > blocks_.back().size) {
    const std::size_t grown = blocks_.empty() ? kLeast : std::min(kMost, 2 * blocks_.back().size);
    add_block(std::max(grown, bytes));
  }
  return blocks_.back();
}

std::byte* RowStore::append() {
  Block& block = block_for(row_bytes_);
  std::byte* const row = block.bytes.data() + block.used;
  block.used += row_bytes_;
  ++rows_;
  return row;
}

void RowStore::append(std::size_t count, std::byte** rows) {
  for (std::size_t i = 0; i < count; ++i) rows[i] = append();
}

std::byte* RowStore::append_block(std::size_t rows, std::size_t bytes) {
  Block& block = add_block(bytes);
  block.used = rows * row_bytes_;
  block.size = block.used;  // nothing is added behind them
  rows_ += rows;
  return block.bytes.data();
}

std::vector<RowStore::Piece> RowStore::pieces() const {
  std::vector<Piece> made;
  for (const Block& block : blocks_)
    if (block.used > 0) made.push_back({block.bytes.data(), block.used / row_bytes_});
  return made;
}

void RowStore::clear() {
  blocks_.clear();
  texts_ = TextArena(charge_.budget());
  charge_.clear();
  bytes_ = 0;
  rows_ = 0;
}

}  // namespace grappa::query
