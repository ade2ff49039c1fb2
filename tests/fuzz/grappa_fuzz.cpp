#include "tests/support/fuzz_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace grappa::graph;
  return fuzz_reader(data, size, [](io::Input input, const FuzzChoices& choices) {
    return io::read_grappa(std::move(input), choices.read, serial_for());
  });
}
