#include "grappa/io/output_file.hpp"

#include <utility>

#include "grappa/io/compression/compressor.hpp"

namespace grappa::io {

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)),
      file_(path_),
      compressor_(make_compressor(compression_of_path(path_),
                                  [this](std::string_view bytes) { file_.write(bytes); })) {}

OutputFile::~OutputFile() = default;

void OutputFile::write(std::string_view bytes) {
  bytes_ += static_cast<std::int64_t>(bytes.size());
  if (compressor_) {
    compressor_->write(bytes);
  } else {
    file_.write(bytes);
  }
}

std::optional<grappa::internal::FilePlace> OutputFile::place() const {
  return compressor_ ? std::nullopt : file_.place();
}

void OutputFile::commit() {
  if (compressor_) compressor_->finish();
  compressor_.reset();
  file_.commit();
}

}  // namespace grappa::io
