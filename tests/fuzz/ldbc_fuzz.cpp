#include "tests/support/fuzz_reader.hpp"

// The two files stand one behind the other, a form feed between them; without one there are only
// edges.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace grappa::graph;
  return fuzz_reader(data, size, [](const io::Input& input, const FuzzChoices& choices) {
    const std::string_view bytes = *input.whole();
    const std::size_t feed = bytes.find('\f');
    if (feed == std::string_view::npos) {
      io::LineReader edges(io::Input::from_memory(bytes), choices.lines);
      return io::read_ldbc(nullptr, edges, choices.read, serial_for());
    }
    io::LineReader vertices(io::Input::from_memory(bytes.substr(0, feed)), choices.lines);
    io::LineReader edges(io::Input::from_memory(bytes.substr(feed + 1)), choices.lines);
    return io::read_ldbc(&vertices, edges, choices.read, serial_for());
  });
}
