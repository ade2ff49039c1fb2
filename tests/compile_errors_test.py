"""What must not compile does not, and the compiler's words say what to do about it.

Compiled with the compiler and the flags of the tests beside this file, without making code.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from compiler_command import BINARY, compiler_command

SECONDS = 300

# Closures, values and results; the macro chooses between ones that may travel and ones that may not.
SOURCE = """
#include <memory>
#include <string>
#include "grappa/grappa.hpp"

#ifdef MUST_NOT_COMPILE
using Captured = std::string;
using Result = std::unique_ptr<int>;
using Pointee = std::int16_t;
using Kept = std::unique_ptr<char>;
#else
using Captured = int;
using Result = int;
using Pointee = int;
using Kept = int;
#endif

template <int Case>
struct Closure {
  Captured captured;
  void operator()() const {}
  void operator()(std::int64_t) const {}
};
void plain_function() {}
struct WithResult {
  Result operator()() const { return Result(); }
};
struct Written {
  Captured captured;
};
struct WrittenAsync {
  Captured captured;
};
struct Mapped {
  Captured captured;
};
struct At {
  Captured captured;
  void operator()(int&) const {}
};

void sends(grappa::GlobalAddress<int> at, grappa::GlobalAddress<Written> place,
           grappa::GlobalAddress<WrittenAsync> other) {
  using namespace grappa;
  CompletionEvent event;
  delegate::call(1, Closure<1>{});
#ifdef MUST_NOT_COMPILE
  delegate::call(1, plain_function);
#endif
  delegate::async::call(1, Closure<2>{});
  static_cast<void>(delegate::issue(1, Closure<3>{}));
  spawn(Closure<4>{});
  spawn_public(Closure<5>{});
  spawn_on(1, Closure<6>{});
  forall(0, 10, Closure<7>{});
  on_all_cores(Closure<8>{});
  delegate::call(at, At{});
  delegate::call(1, WithResult{});
  delegate::write(place, Written{});
  delegate::async::write(other, WrittenAsync{});
  delegate::async::write(event, other, WrittenAsync{});
  GlobalArray<Captured>::create(10).destroy();
  GlobalHashMap<int, Mapped>::create().destroy();
}

grappa::Coroutine<> follow(int) { co_return; }
void coroutines() {
  grappa::spawn([] { return follow(1); });
  grappa::spawn(follow(2));
}

// Arguments beside a closure, and the members of what they are.
struct Record {
  int number;
  std::vector<std::pair<int, Kept>> kept;
  static constexpr auto kMembers = std::tuple(&Record::number, &Record::kept);
};
void arguments(grappa::GlobalAddress<int> at) {
  using namespace grappa;
  delegate::async::call(1, [](const Record&) {}, Record());
  spawn_on(1, [](std::string&, int) {}, std::string("text"), 7);
  spawn_on(at, [](int&, std::string&) {}, std::string("text"));
#ifdef MUST_NOT_COMPILE
  delegate::call(1, [](std::string&) {}, std::string("text"), 7);
  delegate::call(at, [](std::string&) {}, std::string("text"));
  spawn_on(1, [](const char*) {}, "text");
#endif
}

void elements() {
  using namespace grappa;
  auto array = GlobalArray<int>::create(10);
  const std::int64_t sum = reduce(array, std::int64_t{0}, std::plus<>{});
  const double parts = reduce_cores([] { return 0.5; }, 0.0, std::plus<>{});
  static_cast<void>(parts + sum);
#ifdef MUST_NOT_COMPILE
  delegate::call(1, [] { return static_cast<const char*>("text"); });
  delegate::call(array[1], [](int& x) -> int& { return x; });
  delegate::issue(1, [] { return 1; });
  follow(3);
  GlobalArray<const int>();
  GlobalArray<int&>();
  GlobalArray<int*>();
  GlobalArray<std::span<int>>();
  GlobalHashMap<std::string_view, int>();
  GlobalHashMap<int, const char*>();
  global_alloc<int&>(1);
  reduce_cores([] { return 0.5; }, 0, std::plus<>{});
  reduce_cores([] { return std::int64_t{1}; }, 0, std::plus<>{});
#endif
}

// Closures that do not take what they are called with.
void signatures([[maybe_unused]] grappa::GlobalAddress<int> at) {
  using namespace grappa;
  [[maybe_unused]] auto array = GlobalArray<int>::create(10);
  [[maybe_unused]] auto map = GlobalHashMap<int, int>::create();
#ifdef MUST_NOT_COMPILE
  forall(0, 10, [] {});
  forall(10, [](std::int64_t, int, int) {});
  forall_here(0, 10, [](std::string) {});
  forall_range(0, 10, [](std::int64_t) {});
  forall(at, 10, [] {});
  array.forall([](std::int64_t, int&, int) {});
  array.forall([](double&) {});
  map.forall([](int) {});
  delegate::call(1, [](int) {});
  delegate::async::call(1, [](int) {});
  static_cast<void>(delegate::issue(1, [](int) { return 1; }));
  spawn([](int) {});
  on_all_cores([](int) {});
  gather_cores([](int) { return 1; });
  run([](int) {});
  delegate::call(at, [] {});
  delegate::call(array[1], [](std::string&) {});
  delegate::async::call(at, [](int&, int) {});
  static_cast<void>(delegate::issue(at, [] { return 1; }));
  all_reduce(1, [](std::string a, std::string) { return a; });
  all_reduce(1, [](int a) { return a; });
  all_reduce(1, [](int, int) {});
  reduce(array, 0, [](int x) { return x; });
  symmetric_alloc<void>();
  global_alloc<void>(1);
  GlobalArray<void>();
#endif
}

void words(grappa::FullEmptyPointer<Pointee>& word, Pointee* value) { word.write_ef(value); }

#ifdef MUST_NOT_COMPILE
// Nothing takes `async` and ignores it: atomic operations with an answer have no such form.
void asynchronous(grappa::GlobalAddress<int> at) {
  grappa::delegate::async::fetch_add(at, 1);
  grappa::delegate::async::compare_exchange(at, 1, 2);
  grappa::delegate::async::read(at);
}
#endif
"""


def compiled(*flags):
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "sends.cpp"
        source.write_text(SOURCE)
        return subprocess.run([*compiler_command(), *flags, source], cwd=BINARY,
                              env=os.environ | {"LC_ALL": "C"}, capture_output=True, text=True,
                              timeout=SECONDS)


class CompileErrors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.refused = compiled("-DMUST_NOT_COMPILE")
        cls.words = cls.refused.stderr

    def test_plain_values_compile(self):
        result = compiled()
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_others_do_not(self):
        self.assertNotEqual(self.refused.returncode, 0)

    def test_each_closure_is_refused_in_words(self):
        self.assertRegex(self.words, r"error: static assertion failed.*grappa: this closure cannot "
                                     r"be sent to another core")
        for case in (1, 2, 3, 5, 6, 7, 8):  # what spawn gets stays on its core
            with self.subTest(case=case):
                self.assertRegex(self.words, rf"require_closure.*Closure<{case}>")
        self.assertRegex(self.words, r"require_closure.*\bAt\b")

    def test_what_a_closure_captures_may_be_asked_for(self):
        self.assertRegex(self.words, r"error: .*grappa: .*Capture plain values")

    def test_results_are_refused_in_words(self):
        self.assertRegex(self.words, r"require_result.*unique_ptr<int>")
        self.assertEqual(len(re.findall(r"error: .*grappa: the result of this delegate is a "
                                        r"reference, a pointer or a view", self.words)), 2)

    def test_results_that_nobody_takes_are_warned_of_in_words(self):
        self.assertIn("a split-phase operation that is dropped is waited for", self.words)
        self.assertIn("a coroutine runs only when it is spawned or awaited", self.words)

    def test_elements_are_refused_in_words(self):
        for wrong in ("const int", "int&", "void"):
            self.assertRegex(self.words, rf"require_object.*T = {wrong}[;\]]")
        self.assertRegex(self.words, r"error: .*grappa: elements of global memory are objects that "
                                     r"can be written")
        for wrong in (r"int\*", "std::span<int", r".*string_view.*", r"const char\*"):
            with self.subTest(type=wrong):
                self.assertRegex(self.words, rf"require_shared_object.*T = {wrong}")
        self.assertRegex(self.words, r"error: .*grappa: global memory holds objects and not ")
        self.assertRegex(self.words, r"error: .*grappa: pointers, std::string_view and std::span")

    def test_what_is_called_in_vain_is_refused_in_words(self):
        for said, least in (("the body of this loop is called with the index, ", 3),
                            ("the body of this loop is called with the first index", 1),
                            ("the body of this loop is called with the element, ", 3),
                            ("the body of this loop is called with a key", 1),
                            ("this closure is called without arguments", 7),
                            ("this closure is called with the object at the address", 4),
                            ("the operation of a reduction or scan is called with two", 4)):
            with self.subTest(said=said):
                found = re.findall(rf"error: static assertion failed.*: grappa: {said}", self.words)
                self.assertGreaterEqual(len(found), least)

    def test_sums_that_would_be_cut_off_are_refused_in_words(self):
        self.assertEqual(len(re.findall(r"error: .*grappa: the identity given to reduce_cores",
                                        self.words)), 2)

    def test_values_are_refused_in_words(self):
        self.assertRegex(self.words, r"error: .*grappa: elements of a GlobalArray")
        self.assertRegex(self.words, r"require_kept.*\bMapped\b")
        self.assertRegex(self.words, r"error: .*grappa: a value of this type \(T;.*cannot be sent")
        self.assertRegex(self.words, r"require_value_of_bytes.*\bWritten\b")
        self.assertRegex(self.words, r"require_value_of_bytes.*\bWrittenAsync\b")

    def test_arguments_are_refused_by_the_name_of_the_member(self):
        self.assertRegex(self.words, r"require_member.*T = Record; .*member = &Record::kept")
        self.assertRegex(self.words, r"require_value_of_bytes.*T = const char\*")
        self.assertEqual(len(re.findall(r"error: .*grappa: this closure is called with the object at "
                                        r"the address, if one is given", self.words)), 2)

    def test_words_without_room_for_their_state_are_refused_in_words(self):
        self.assertRegex(self.words, r"error: .*grappa: a full/empty word of 8 bytes keeps its state "
                                     r"in the lowest two bits.*alignas\(8\)")

    def test_atomic_operations_do_not_pretend_to_be_asynchronous(self):
        for name in ("fetch_add", "compare_exchange", "read"):
            with self.subTest(name=name):
                self.assertRegex(self.words, rf"error: .*\b{name}\b.* (not a member of|in namespace) "
                                             r".*async")


if __name__ == "__main__":
    unittest.main()
