#include "grappa/query/exec/spilled_rows.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "grappa/parallel/cancellation.hpp"

namespace grappa::query {
namespace {

/// What is written at once: as much as a disk likes, but not the better part of what there is.
constexpr std::size_t kMostPiece = std::size_t{256} << 10;
constexpr std::size_t kLeastPiece = std::size_t{4} << 10;

TextRef text_at(const std::byte* place) {
  TextRef text;
  std::memcpy(static_cast<void*>(&text), place, sizeof text);
  return text;
}

}  // namespace

SpilledRows::SpilledRows(OperatorMemoryPtr memory, std::size_t row_bytes,
                         std::vector<std::size_t> text_offsets, std::size_t partitions, int cores)
    : memory_(std::move(memory)),
      row_bytes_(row_bytes),
      text_offsets_(std::move(text_offsets)),
      partitions_(partitions),
      piece_bytes_(std::clamp(memory_->of_core() / 4 / partitions, kLeastPiece, kMostPiece)),
      file_(memory_->file()),
      cores_(static_cast<std::size_t>(cores)) {
  for (OfCore& of : cores_) {
    of.pieces.resize(partitions_);
    of.charge = MemoryCharge(memory_->budget());
  }
}

void SpilledRows::begin(OfCore& of) {
  of.charge.add(partitions_ * piece_bytes_);
  of.buffers.resize(partitions_);
}

void SpilledRows::add(int core, std::size_t partition, const std::byte* row) {
  OfCore& of = cores_[static_cast<std::size_t>(core)];
  if (of.buffers.empty()) begin(of);
  Buffer& buffer = of.buffers[partition];
  if (buffer.rows.empty()) buffer.rows.reserve(piece_bytes_ + row_bytes_);
  buffer.rows.insert(buffer.rows.end(), row, row + row_bytes_);
  for (const std::size_t offset : text_offsets_) {
    const TextRef text = text_at(row + offset);
    if (text.is_short()) continue;
    const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
    buffer.texts.insert(buffer.texts.end(), bytes, bytes + text.size());
  }
  if (buffer.rows.size() + buffer.texts.size() >= piece_bytes_) flush(of, partition);
}

void SpilledRows::flush(OfCore& of, std::size_t partition) {
  stop_if_cancelled();
  Buffer& buffer = of.buffers[partition];
  const std::size_t bytes = buffer.rows.size() + buffer.texts.size();
  of.pieces[partition].push_back(
      {file_->append({buffer.rows, buffer.texts}), buffer.rows.size() / row_bytes_, bytes});
  memory_->note_spilled(bytes);
  buffer.rows.clear();
  buffer.texts.clear();
}

void SpilledRows::finish(int core) {
  OfCore& of = cores_[static_cast<std::size_t>(core)];
  for (std::size_t i = 0; i < of.buffers.size(); ++i)
    if (!of.buffers[i].rows.empty()) flush(of, i);
  of.buffers = {};
  of.charge.clear();
}

template <class F>
void SpilledRows::for_each_piece(std::size_t partition, F&& f) const {
  for (const OfCore& of : cores_)
    for (const Piece& piece : of.pieces[partition]) f(piece);
}

std::size_t SpilledRows::rows(std::size_t partition) const {
  std::size_t all = 0;
  for_each_piece(partition, [&](const Piece& piece) { all += piece.rows; });
  return all;
}

std::size_t SpilledRows::bytes(std::size_t partition) const {
  std::size_t all = 0;
  for_each_piece(partition, [&](const Piece& piece) { all += piece.bytes; });
  return all;
}

std::size_t SpilledRows::pieces(std::size_t partition) const {
  std::size_t all = 0;
  for (const OfCore& of : cores_) all += of.pieces[partition].size();
  return all;
}

const SpilledRows::Piece& SpilledRows::piece_at(std::size_t partition, std::size_t piece) const {
  std::size_t core = 0;
  for (; piece >= cores_[core].pieces[partition].size(); ++core)
    piece -= cores_[core].pieces[partition].size();
  return cores_[core].pieces[partition][piece];
}

std::size_t SpilledRows::bytes_of_piece(std::size_t partition, std::size_t piece) const {
  return piece_at(partition, piece).bytes;
}

void SpilledRows::read(std::size_t partition, std::size_t piece, RowStore& to) const {
  stop_if_cancelled();
  const Piece& from = piece_at(partition, piece);
  std::byte* const rows = to.append_block(from.rows, from.bytes);
  file_->read(from.place, {rows, from.bytes});
  const auto* texts = reinterpret_cast<const char*>(rows + from.rows * row_bytes_);
  for (std::byte* row = rows; row != rows + from.rows * row_bytes_; row += row_bytes_) {
    for (const std::size_t offset : text_offsets_) {
      const TextRef text = text_at(row + offset);
      if (text.is_short()) continue;
      const TextRef here = text.moved_to(texts);
      std::memcpy(row + offset, &here, sizeof here);
      texts += text.size();
    }
  }
}

}  // namespace grappa::query
