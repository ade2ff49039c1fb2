#include "tests/support/fuzz_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace grappa::graph;
  return fuzz_reader(data, size, [](io::Input input, const FuzzChoices& choices) {
    io::LineReader reader(std::move(input), choices.lines);
    return io::read_matrix_market(reader, choices.read, serial_for());
  });
}
