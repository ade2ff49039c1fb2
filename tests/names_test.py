"""Namespace grappa holds what programs name, and nothing else.

A name that grappa/grappa.hpp declares there collides with a program's own after `using namespace
grappa`. What a program need not name belongs in grappa::internal.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from compiler_command import BINARY, compiler_command

SECONDS = 120

PUBLIC = set("""
    Barrier BinnedAdds BinnedIncrements BinnedUpdates ByteReader ByteWriter CacheRO CacheRW CacheWO
    Cached Cancellation Cancelled CompletionEvent ConditionVariable Config Coroutine CountingMap Distribution Error Exchange FrozenView FullEmpty
    FullEmptyAddress FullEmptyPointer GlobalAddress GlobalArray GlobalBag GlobalCounter
    GlobalHashMap GlobalHashSet GlobalMultiMap GlobalQueue GlobalStack GlobalVector Handle
    InputError IsSendable KeyHash LargeStack LocaleSeries LocaleState LoopOptions MetricKind
    MetricValue MetricsSnapshot MpiChoice Mutex OptionInfo Owned RemoteError Replica RoutePolicy
    Semaphore Session SessionCall ShortString SimulationConfig SimulationMode StackMode SymmetricAddress UnionFind
    UsageError

    all_reduce barrier broadcast build_description byte_count cancellation_point config_options copy core_count
    cores_per_locale end_job exclusive_prefix_sum exclusive_scan fill first_core_of forall
    forall_async forall_here forall_range forall_range_here from_bytes gather_cores global_alloc
    global_free hash_bytes hash_number inclusive_prefix_sum inclusive_scan is_debug_build
    is_cancelled is_follower is_of_cancelling kIsSendable kLargeStack kMembersOf load_array local_barrier locale_count locale_of merge
    metrics_snapshot on_all_cores on_all_locales prefetch read_span reduce reduce_cores run
    run_series run_time_ns save_array send_span serve set_option sleep_for sort spawn spawn_on spawn_public
    stop_if_cancelled symmetric_alloc symmetric_free this_core this_locale to_bytes to_json to_text trace_mark
    transform validate version write_span yield zip
""".split())
NAMESPACES = {"co", "delegate", "internal", "metrics"}


LITERALS = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                      r"|(?<!\w)'(?:\\.|[^'\\\n])+'", re.DOTALL)


def name_of(declaration):
    """What a declaration declares, or None where it defines a part of what was declared before."""
    if re.search(r"\boperator\b|^\s*(static_assert|using namespace|extern template)\b",
                 declaration):
        return None
    text = re.sub(r"\[\[.*?\]\]|\b(?:alignas|decltype|requires)\s*\([^()]*\)", "", declaration)
    while (shorter := re.sub(r"<[^<>]*>", "", text)) != text:
        text = shorter
    text = re.split(r"[({=]|(?<!:):(?!:)", text)[0].strip()
    found = re.search(r"(::\s*)?\b(\w+)$", text)
    return found.group(2) if found and not found.group(1) else None


def names_of(code):
    """(names, namespaces) that preprocessed code declares directly in namespace grappa."""
    names, namespaces = set(), set()
    space = []  # one for each brace that is open: the namespace inside, None for all else
    declaration = ""
    parentheses = 0
    for piece in re.findall(r"[{}();]|[^{}();]+", LITERALS.sub("", code)):
        parentheses += (piece == "(") - (piece == ")")
        if piece == "}":
            space.pop()
            declaration = declaration if parentheses else ""
        elif piece in "{;" and not parentheses:
            here = space[-1] if space else ""
            opened = re.match(r"\s*(?:inline\s+)?namespace\s+([\w:]+)\s*$", declaration)
            if opened and here == "grappa":
                namespaces.add(opened.group(1))
            elif here == "grappa":
                names.add(name_of(declaration))
            if piece == "{":
                space.append(f"{here}::{opened.group(1)}".removeprefix("::")
                             if opened and here is not None else None)
            declaration = ""
        elif piece == "{":
            space.append(None)
        else:
            declaration += piece
    return names - {None}, namespaces


def names_of_header():
    """What a program gets with grappa/grappa.hpp."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.cpp"
        source.write_text('#include "grappa/grappa.hpp"\n')
        command = [word for word in compiler_command() if word != "-fsyntax-only"]
        code = subprocess.run([*command, "-E", "-P", source], cwd=BINARY, check=True,
                              capture_output=True, text=True, timeout=SECONDS).stdout
    return names_of(code)


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.names, cls.namespaces = names_of_header()

    def test_others_are_internal(self):
        self.assertEqual(self.names - PUBLIC, set())
        self.assertEqual(self.namespaces - NAMESPACES, set())

    def test_all_are_found(self):
        self.assertEqual(PUBLIC - self.names, set())
        self.assertEqual(NAMESPACES - self.namespaces, set())


class Declarations(unittest.TestCase):
    def names(self, code):
        return names_of("namespace grappa {\n" + code + "\n}")

    def test_types(self):
        code = """
            class A; struct alignas(8) B : C<int> { int x; }; enum class D { kE }; using F = int;
            template <class T> class [[nodiscard]] G { void f(); };
            template <class T, class U> struct H<std::pair<T, U>> : I {};
            template <class T> concept J = true;
        """
        self.assertEqual(self.names(code)[0], set("ABDFGHJ"))

    def test_functions_and_constants(self):
        code = """
            inline int a() { return b; }
            template <int N> requires (N > 1) std::vector<int> c(int = {});
            inline constexpr std::uint64_t d = 1; const E f{2}; auto g(H h = H{{1}}) -> int;
            void I::j() { k(); } std::ostream& operator<<(std::ostream&, A);
            static_assert(a() == ';');
        """
        self.assertEqual(self.names(code)[0], set("acdfg"))

    def test_namespaces(self):
        self.assertEqual(self.names("namespace a { int b; namespace c { int d; } } int e;"),
                         ({"e"}, {"a"}))
        self.assertEqual(names_of("namespace grappa::a { int b; } namespace std { int c; } int d;"),
                         (set(), set()))


if __name__ == "__main__":
    unittest.main()
