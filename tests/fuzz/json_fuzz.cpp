// Any bytes are JSON whose objects can be loaded, in lines or over lines, or an error that names a
// line. The first byte says how much of them the types are detected by.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/io/input.hpp"
#include "grappa/query/io/json_lines.hpp"
#include "grappa/query/io/line_format.hpp"
#include "grappa/query/io/text_piece_loader.hpp"

namespace {

using namespace grappa::query;

void load(std::string_view text, const TextFormat& format, const TextOptions& options) {
  LoadPlan plan{.format = format, .options = options, .types = {}, .are_given = {}};
  for (const CandidateTypes& candidates : format.candidates)
    plan.types.push_back(candidates.best());
  plan.are_given.resize(plan.types.size());
  TextPiece piece;
  piece.text = text;
  piece.begin = first_row(text, options, format);
  piece.stop = text.data() + text.size();
  const LoadedPiece loaded =
      load_piece(plan, piece, piece.begin, std::vector<bool>(plan.types.size(), true));
  if (!loaded.problem && loaded.end != piece.stop) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  if (!JsonLines::are_there(bytes)) JsonLines().put(bytes.data(), bytes.data(), bytes.size());
  bytes.append(grappa::io::kPadding, '\0');
  const std::string_view text(bytes.data(), size - 1);
  const std::string_view sample = text.substr(0, text.size() * (data[0] % 4 + 1) / 4);
  const TextOptions options{.lines = LineKind::kJson};
  try {
    const auto format = detect_lines(sample, sample.size() == text.size(), options, "fuzz");
    if (format) load(text, *format, options);
  } catch (const grappa::InputError&) {
    return 0;
  }
  return 0;
}
