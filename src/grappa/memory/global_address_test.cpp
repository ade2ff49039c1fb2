// Global addresses: where elements of every size lie, arithmetic on the three forms, what is
// refused.

#include "grappa/memory/global_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/memory/test_memory.hpp"

namespace grappa {
namespace {

using testing::HasSubstr;

template <class F>
std::string refusal_of(const F& f) {
  try {
    f();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "not refused";
}

// ---- elements of the block-cyclic heap

template <std::size_t N>
struct Element {
  std::array<char, N> bytes;
};

// What arithmetic and places say about consecutive elements, without their type.
struct Walk {
  std::uint64_t bytes = 0;  // of an element
  std::vector<std::uint64_t> raw;
  std::vector<std::pair<int, std::uint64_t>> places;  // core and offset
  bool goes_and_comes_back = true;
  bool counts_elements = true;
  bool steps = true;
  bool is_ordered = true;
};

// Elements per core and turn of the heap, in the words of the documentation.
struct HeapModel {
  HeapModel(std::uint64_t element_bytes, const internal::MachineShape& shape) {
    while (stride < element_bytes) stride *= 2;
    block = std::max<std::uint64_t>(shape.block, stride);
    per_block = block / stride;
  }
  std::uint64_t stride = 1;
  std::uint64_t block = 0;
  std::uint64_t per_block = 0;
};

template <std::size_t N>
Walk walk(std::uint64_t first, std::int64_t n) {
  using Address = GlobalAddress<Element<N>>;
  Walk w;
  w.bytes = N;
  const Address begin = Address::linear(first);
  Address step = begin;
  for (std::int64_t i = 0; i < n; ++i) {
    const Address p = begin + i;
    const auto place = p.place();
    w.raw.push_back(p.raw());
    w.places.emplace_back(place.core, place.local.bits);
    w.goes_and_comes_back &= p - i == begin && p + -i == begin && i + begin == p && begin[i] == p;
    w.counts_elements &= p - begin == i && begin - p == -i;
    w.steps &= step == p && step++ == p && step-- == p + 1 && step == p && --(++step) == p;
    w.is_ordered &= (p < p + 1) && (p + 1 > p) && (i == 0 || begin < p) && p <= p && !(p < p);
    ++step;
  }
  return w;
}

// Everything the documentation promises, against a model that only divides.
void check(const Walk& w, const internal::MachineShape& shape, std::uint64_t segment,
           std::uint64_t start) {
  const HeapModel model(w.bytes, shape);
  EXPECT_TRUE(w.goes_and_comes_back) << "p + i - i";
  EXPECT_TRUE(w.counts_elements) << "(p + i) - p";
  EXPECT_TRUE(w.steps) << "++ and --";
  EXPECT_TRUE(w.is_ordered) << "<=>";
  for (std::size_t i = 0; i < w.places.size(); ++i) {
    const std::uint64_t block_number = i / model.per_block;
    const int core = static_cast<int>(block_number % static_cast<std::uint64_t>(shape.cores()));
    const std::uint64_t turn = block_number / static_cast<std::uint64_t>(shape.cores());
    const std::uint64_t offset = static_cast<std::uint64_t>(core % shape.cores_each) * segment +
                                 start + turn * model.block + i % model.per_block * model.stride;
    ASSERT_EQ(w.places[i], std::pair(core, offset)) << "element " << i;
    ASSERT_LE(offset % model.block + w.bytes, model.block) << "element " << i << " straddles";
  }
  auto sorted = w.places;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const auto& [core, offset] = sorted[i - 1];
    ASSERT_TRUE(sorted[i].first != core || sorted[i].second >= offset + w.bytes)
        << "two elements overlap at core " << core << ", offset " << offset;
  }
}

class HeapElements : public testing::TestWithParam<internal::MachineShape> {
 protected:
  // Two turns around all cores and a little more, from an allocation that is not the first.
  template <std::size_t N>
  void check_size() {
    SCOPED_TRACE(testing::Message() << "elements of " << N << " bytes");
    const HeapModel model(N, GetParam());
    const std::uint64_t start = 5 * model.block;
    const auto cores = static_cast<std::uint64_t>(GetParam().cores());
    const auto n = static_cast<std::int64_t>(2 * model.per_block * cores + 3);
    check(walk<N>(start * cores, n), GetParam(), machine_.memory().segment_bytes(), start);
  }

  template <std::size_t... kSizes>
  void check_sizes(std::index_sequence<kSizes...>) {
    (check_size<kSizes + 1>(), ...);
  }

  internal::TestMemory machine_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(
    On, HeapElements,
    testing::Values(internal::MachineShape{1, 1, 64}, internal::MachineShape{1, 2, 64},
                    internal::MachineShape{1, 3, 64}, internal::MachineShape{7, 1, 64},
                    internal::MachineShape{3, 5, 128}, internal::MachineShape{2, 6, 256},
                    internal::MachineShape{4, 2, 4096}, internal::MachineShape{61, 1, 64}),
    [](const auto& test) {
      const internal::MachineShape& shape = test.param;
      return std::to_string(shape.locales) + "LocalesOf" + std::to_string(shape.cores_each) +
             "CoresInBlocksOf" + std::to_string(shape.block);
    });

TEST_P(HeapElements, OfEverySizeHaveOneHomeEach) { check_sizes(std::make_index_sequence<200>{}); }

TEST_P(HeapElements, LargerThanAnyBlockHaveOneHomeEach) {
  check_size<4095>();
  check_size<4096>();
  check_size<4097>();
  check_size<100'000>();
}

TEST(GlobalAddress, GoesFarWithoutLosingBits) {
  using Address = GlobalAddress<Element<24>>;
  const Address begin = Address::linear(std::uint64_t{1} << 20);
  for (const std::int64_t i : {std::int64_t{1} << 31, (std::int64_t{1} << 33) + 1,
                               std::int64_t{1} << 40, (std::int64_t{1} << 56) - 1}) {
    const Address far = begin + i;
    EXPECT_TRUE(far.is_linear());
    EXPECT_EQ(far - begin, i);
    EXPECT_EQ(begin - far, -i);
    EXPECT_EQ(far - i, begin);
    EXPECT_LT(begin, far);
  }
}

// ---- the three forms

TEST(GlobalAddress, IsAWord) {
  EXPECT_EQ(sizeof(GlobalAddress<Element<24>>), 8u);
  EXPECT_TRUE(std::is_trivially_copyable_v<GlobalAddress<std::string>>);
}

// A list in global memory names its own type before it is complete.
struct Node {
  GlobalAddress<Node> next;
  std::int64_t value = 0;
};

TEST(GlobalAddress, MayPointToTheTypeThatHoldsIt) {
  Node node;
  EXPECT_FALSE(node.next);
  node.next = GlobalAddress<Node>::linear(64);
  EXPECT_EQ((node.next + 1).raw(), 64 + sizeof(Node));
}

TEST(GlobalAddress, NullIsZeroAndFalse) {
  const GlobalAddress<int> null;
  const GlobalAddress<int> also_null = nullptr;
  EXPECT_FALSE(null);
  EXPECT_EQ(null, also_null);
  EXPECT_EQ(null.raw(), 0u);
  EXPECT_TRUE(GlobalAddress<int>::linear(64));
  EXPECT_TRUE(GlobalAddress<int>::at(0, nullptr)) << "an address of core 0, whatever it holds";
  internal::TestMemory machine({});
  EXPECT_THAT(refusal_of([&] { (void)null.pointer(); }), HasSubstr("null"));
}

constexpr int kMaxCore = (1 << (63 - internal::kPointerBits)) - 1;
static_assert(kMaxCore == 65'535 || internal::kPointerBits == 48);

// Inside a run the core must exist.
GlobalAddress<char> address_outside_a_run(int core, std::uint64_t pointer) {
  internal::Core* inside = &internal::here();
  internal::set_current_core(nullptr);
  const auto address = GlobalAddress<char>::at(core, reinterpret_cast<char*>(pointer));
  internal::set_current_core(inside);
  return address;
}

TEST(GlobalAddress, TwoDimensionalOnesKeepCoreAndPointer) {
  internal::TestMemory machine({.locales = 2, .cores_each = 2});
  constexpr std::uint64_t kMax = (std::uint64_t{1} << internal::kPointerBits) - 1;
  for (const int core : {0, 1, 2, 255, 32'767, kMaxCore}) {
    for (const std::uint64_t pointer :
         {std::uint64_t{1}, std::uint64_t{8}, std::uint64_t{0x7f12'3456'789a}, kMax - 7, kMax}) {
      const auto a = address_outside_a_run(core, pointer);
      EXPECT_TRUE(a.is_2d());
      EXPECT_FALSE(a.is_linear());
      EXPECT_EQ(a.core(), core);
      EXPECT_EQ(a.stride(), 1u);
      // The reference means the pointer, whatever the global memory of its core.
      EXPECT_EQ(reinterpret_cast<std::uint64_t>(a.place().local.resolve(machine.core(1))), pointer);
    }
  }
}

TEST(GlobalAddress, PlacedOnesKeepCoreAndOffset) {
  internal::TestMemory machine({.locales = 2, .cores_each = 2});
  constexpr std::uint64_t kMax = (std::uint64_t{1} << internal::kOffsetBits) - 1;
  for (const int core : {0, 1, 2, 255, 32'768, 65'535}) {
    for (const std::uint64_t offset :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 45, kMax}) {
      const auto a = GlobalAddress<char>::placed(core, offset);
      EXPECT_FALSE(a.is_2d());
      EXPECT_FALSE(a.is_linear());
      EXPECT_TRUE(a);
      EXPECT_EQ(a.core(), core);
      EXPECT_EQ(a.place().local.bits, offset);
      EXPECT_EQ(reinterpret_cast<std::uint64_t>(a.place().local.resolve(machine.core(1))),
                reinterpret_cast<std::uint64_t>(machine.memory().base()) + offset);
    }
  }
}

TEST(GlobalAddress, AtOneCoreElementsLieAsInAPlainArray) {
  internal::TestMemory machine({.cores_each = 3});
  std::array<Element<24>, 100> array{};
  const auto local = GlobalAddress<Element<24>>::at(2, array.data());
  const auto placed = GlobalAddress<Element<24>>::placed(1, 640);
  machine.enter(2);
  for (std::int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ((local + i).pointer(), array.data() + i);
    EXPECT_EQ((local + i) - local, i);
    EXPECT_EQ((placed + i).core(), 1);
    EXPECT_EQ((placed + i).place().local.bits, 640 + 24 * static_cast<std::uint64_t>(i));
    EXPECT_EQ((placed + i) - placed, i);
    EXPECT_EQ(placed + i - i, placed);
  }
}

TEST(GlobalAddress, ACoreThatDoesNotFitIsRefused) {
  char object = 0;
  EXPECT_NO_THROW((void)GlobalAddress<char>::at(kMaxCore, &object));
  for (const int core : {kMaxCore + 1, 1 << 20, std::numeric_limits<int>::max(), -1,
                         std::numeric_limits<int>::min()}) {
    const std::string words = refusal_of([&] { (void)GlobalAddress<char>::at(core, &object); });
    EXPECT_THAT(words, HasSubstr("core " + std::to_string(core)));
    EXPECT_THAT(words, HasSubstr("at most " + std::to_string(kMaxCore + 1) + " cores"));
  }
}

TEST(GlobalAddress, ACoreThatTheRunDoesNotHaveIsRefused) {
  internal::TestMemory machine({.locales = 2, .cores_each = 3});
  char object = 0;
  EXPECT_EQ(GlobalAddress<char>::at(5, &object).core(), 5);
  for (const int core : {6, 7, 1000, kMaxCore}) {
    EXPECT_THAT(
        refusal_of([&] { (void)GlobalAddress<char>::at(core, &object); }),
        HasSubstr("core " + std::to_string(core) + " does not exist: this run has cores 0 to 5"));
  }
}

TEST(GlobalAddress, APointerThatDoesNotFitIsRefused) {
  for (const std::uint64_t pointer : {std::uint64_t{1} << internal::kPointerBits, ~std::uint64_t{0},
                                      std::uint64_t{0xffff'8000'0000'0000}}) {
    EXPECT_THAT(
        refusal_of([&] { (void)GlobalAddress<char>::at(0, reinterpret_cast<char*>(pointer)); }),
        HasSubstr("bits"));
  }
}

TEST(GlobalAddress, OfLocalNamesObjectsOnStackAndHeap) {
  internal::TestMemory machine({.locales = 2, .cores_each = 2}, 1);
  machine.enter(1);
  int on_stack = 1;
  const auto on_heap = std::make_unique<int>(2);
  for (int* object : {&on_stack, on_heap.get()}) {
    const auto a = GlobalAddress<int>::of_local(object);
    EXPECT_EQ(a.core(), 3);
    EXPECT_TRUE(a.is_local());
    EXPECT_EQ(a.pointer(), object);
  }
}

TEST(GlobalAddress, TheAddressOfAnElementReadsAsWithAnArray) {
  const auto cells = GlobalAddress<int>::linear(64);
  EXPECT_EQ(&cells[3], cells + 3);
  const GlobalAddress<int>* plain = &cells;
  EXPECT_EQ(*plain, cells);
}

// ---- at home and elsewhere

TEST(GlobalAddress, PointerIsTheElementAtHome) {
  const internal::MachineShape shape{.locales = 1, .cores_each = 3};
  internal::TestMemory machine(shape);
  const auto words = GlobalAddress<std::int64_t>::linear(3 * internal::LocaleMemory::kNullBytes);
  std::set<std::int64_t*> seen;
  for (std::int64_t i = 0; i < 240; ++i) {
    const int home = (words + i).core();
    EXPECT_EQ(home, i / 8 % 3);
    machine.enter(home);
    EXPECT_TRUE((words + i).is_local());
    std::int64_t* pointer = (words + i).pointer();
    *pointer = i;
    EXPECT_TRUE(seen.insert(pointer).second);
  }
  for (std::int64_t i = 0; i < 240; ++i) {
    machine.enter((words + i).core());
    EXPECT_EQ(*(words + i).pointer(), i);
  }
}

TEST(GlobalAddress, PointerElsewhereIsRefusedInEveryForm) {
  internal::TestMemory machine({.locales = 2, .cores_each = 2});
  int object = 0;
  const auto check_refused = [&](GlobalAddress<int> a, int home) {
    ASSERT_EQ(a.core(), home);
    for (int core = 0; core < 2; ++core) {
      machine.enter(core);
      EXPECT_EQ(a.is_local(), core == home);
      if (core == home) {
        EXPECT_NO_THROW((void)a.pointer());
        continue;
      }
      const std::string words = refusal_of([&] { (void)a.pointer(); });
      EXPECT_THAT(words, HasSubstr("belongs to core " + std::to_string(home)));
      EXPECT_THAT(words, HasSubstr("dereferenced on core " + std::to_string(core)));
      EXPECT_THAT(words, HasSubstr("delegate::"));
    }
  };
  for (int home = 0; home < 4; ++home) {
    check_refused(GlobalAddress<int>::linear(64 * (4 + static_cast<std::uint64_t>(home))), home);
    check_refused(GlobalAddress<int>::at(home, &object), home);
    check_refused(GlobalAddress<int>::placed(home, 4096), home);
  }
}

// ---- text and hashes

template <class T>
std::string text_of(GlobalAddress<T> a) {
  std::ostringstream out;
  out << a;
  return out.str();
}

TEST(GlobalAddress, PrintsItsForm) {
  EXPECT_EQ(text_of(GlobalAddress<int>()), "global:null");
  EXPECT_EQ(text_of(GlobalAddress<Element<24>>::linear(0x1c0)), "global:heap+0x1c0/24");
  EXPECT_EQ(text_of(GlobalAddress<int>::placed(17, 0x40)), "global:core17+0x40");
  EXPECT_EQ(text_of(GlobalAddress<int>::placed(65'535, (std::uint64_t{1} << 46) - 1)),
            "global:core65535+0x3fffffffffff");
  EXPECT_EQ(text_of(GlobalAddress<int>::at(3, reinterpret_cast<int*>(0x7ffe'1234))),
            "global:core3:0x7ffe1234");
  EXPECT_EQ(text_of(GlobalAddress<int>::at(kMaxCore, reinterpret_cast<int*>(0x7fff'ffff'fff8))),
            "global:core" + std::to_string(kMaxCore) + ":0x7ffffffffff8");
}

// The share of 4096 boxes that 4096 hashes reach; 63 % when they fall at random.
template <class AddressOf>
double boxes_reached(const AddressOf& address_of, int shift) {
  std::set<std::size_t> boxes;
  for (std::uint64_t i = 0; i < 4096; ++i) {
    const GlobalAddress<char> a = address_of(i);
    boxes.insert(std::hash<GlobalAddress<char>>{}(a) >> shift & 4095);
  }
  return static_cast<double>(boxes.size()) / 4096;
}

TEST(GlobalAddressHash, SpreadsRegularAddressesOverItsLowAndHighBits) {
  for (const int stride : {0, 3, 6, 12, 21}) {
    SCOPED_TRACE(stride);
    for (const int shift : {0, 20, 52}) {
      SCOPED_TRACE(shift);
      EXPECT_GT(boxes_reached(
                    [=](std::uint64_t i) { return GlobalAddress<char>::linear((i + 1) << stride); },
                    shift),
                0.4);
      EXPECT_GT(
          boxes_reached(
              [=](std::uint64_t i) { return GlobalAddress<char>::placed(3, i << stride); }, shift),
          0.4);
    }
  }
  for (const int shift : {0, 20, 52}) {
    // The same place at many cores.
    EXPECT_GT(boxes_reached(
                  [](std::uint64_t i) {
                    return GlobalAddress<char>::placed(static_cast<int>(i), 1 << 20);
                  },
                  shift),
              0.4)
        << shift;
  }
}

TEST(GlobalAddressHash, TellsDifferentAddressesApart) {
  std::unordered_set<std::size_t> hashes;
  std::size_t n = 0;
  for (int core = 0; core < 64; ++core) {
    for (std::uint64_t offset = 0; offset < 512; ++offset, ++n) {
      hashes.insert(
          std::hash<GlobalAddress<char>>{}(GlobalAddress<char>::placed(core, offset * 64)));
    }
  }
  EXPECT_EQ(hashes.size(), n);
}

}  // namespace
}  // namespace grappa
