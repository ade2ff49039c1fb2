// What arrives as bytes is a value, which is written and read again, or an Error.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/base/serialize.hpp"

namespace {

struct Tree {
  std::string name;
  std::vector<Tree> children;
  static constexpr auto kMembers = std::tuple(&Tree::name, &Tree::children);
  friend bool operator==(const Tree&, const Tree&) = default;
};

struct Everything {
  bool flag = false;
  Tree tree;
  std::map<std::string, std::optional<std::int32_t>> map;
  std::unordered_set<std::uint16_t> set;
  std::vector<std::variant<std::string, std::pair<bool, std::vector<bool>>>> either;
  std::u16string wide;
  static constexpr auto kMembers =
      std::tuple(&Everything::flag, &Everything::tree, &Everything::map, &Everything::set,
                 &Everything::either, &Everything::wide);
  friend bool operator==(const Everything&, const Everything&) = default;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Everything value;
  try {
    value = grappa::from_bytes<Everything>(std::as_bytes(std::span(data, size)));
  } catch (const grappa::Error&) {
    return 0;
  }
  if (!(grappa::from_bytes<Everything>(grappa::to_bytes(value)) == value)) std::abort();
  return 0;
}
