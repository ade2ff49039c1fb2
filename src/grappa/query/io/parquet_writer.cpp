#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "grappa/parallel/runtime.hpp"
#include "grappa/query/block_builder.hpp"
#include "grappa/query/consecutive.hpp"
#include "grappa/query/io/parquet/chunk_writer.hpp"
#include "grappa/query/io/parquet/footer_writer.hpp"
#include "grappa/query/io/row_writer.hpp"

namespace grappa::query {
namespace {

/// A row group is a block; as many as there are cores are made at the same time.
class ParquetWriter final : public RowWriter {
 public:
  ParquetWriter(TextSink sink, io::ParallelFor parallel, parquet::Codec codec)
      : sink_(std::move(sink)), parallel_(std::move(parallel)), codec_(codec) {}

  void begin(const std::vector<std::string>& names, const std::vector<Type>& types) override {
    for (std::size_t c = 0; c < names.size(); ++c)
      columns_.push_back(parquet::stored_as(names[c], types[c]));
    places_ = consecutive(names.size());
    builder_.emplace(types);
    write(parquet::kMagic);
  }

  void rows(const Batch& batch) override {
    builder_->append(batch, places_, [this](Block block) {
      blocks_.push_back(std::move(block));
      if (blocks_.size() == static_cast<std::size_t>(cores_per_locale())) write_groups();
    });
  }

  void end() override {
    if (builder_->rows() > 0) blocks_.push_back(builder_->finish());
    write_groups();
    write(parquet::footer_of(columns_, groups_, group_places_, codec_));
  }

 private:
  void write_groups() {
    const std::size_t before = groups_.size();
    groups_.resize(before + blocks_.size());
    io::for_parts(parallel_, static_cast<std::int64_t>(blocks_.size()), [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      groups_[before + at] = parquet::write_group(blocks_[at], codec_);
    });
    blocks_.clear();
    for (std::size_t g = before; g < groups_.size(); ++g) {
      group_places_.push_back(bytes_);
      write(std::exchange(groups_[g].bytes, {}));
    }
  }

  void write(std::string_view bytes) {
    bytes_ += static_cast<std::int64_t>(bytes.size());
    sink_(bytes);
  }

  TextSink sink_;
  io::ParallelFor parallel_;
  parquet::Codec codec_;
  std::vector<parquet::SchemaElement> columns_;
  std::vector<std::size_t> places_;
  std::optional<BlockBuilder> builder_;
  std::vector<Block> blocks_;                  // that are full
  std::vector<parquet::WrittenGroup> groups_;  // without their bytes
  std::vector<std::int64_t> group_places_;
  std::int64_t bytes_ = 0;  // written
};

}  // namespace

std::unique_ptr<RowWriter> parquet_writer(TextSink sink, io::ParallelFor parallel,
                                          parquet::Codec codec) {
  return std::make_unique<ParquetWriter>(std::move(sink), std::move(parallel), codec);
}

}  // namespace grappa::query
