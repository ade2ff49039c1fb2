"""The examples in the headers' first comments are C++ that compiles.

A block of a header's first comment that is indented by three spaces and follows an empty comment
line is code; one that directly follows a line of text is a table, a formula or a sketch. Where an
ellipsis ("…") stands, a program has what it likes there. header_example_names.py declares what an
example uses and does not say where it has it from.

The examples of the library are compiled as one file, those of the tool and of the benchmarks as
another, with the compiler and the flags of the tests beside this one, without making code.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from compiler_command import BINARY, compiler_command
from header_example_names import INCLUDES, OF_HEADER, OF_NAMESPACE, PREAMBLE

ROOT = Path(__file__).resolve().parent.parent
LIBRARY, PROGRAMS = (ROOT / "src", ["grappa"]), (ROOT, ["cli", "bench"])
# What needs Boost's graph library, which is optional.
OPTIONAL = "bench/pbgl/"
SECONDS = 240

# What an example may have outside of a function: types, templates, and functions with their bodies.
DECLARES = re.compile(r"(struct|class|template|inline) |[\w:]+(<.*>)? \w+\(.*\) \{")


def first_comment(text):
    """The lines of the comment that opens a header, without their slashes."""
    lines = text.removeprefix("#pragma once").lstrip("\n").split("\n")
    for line in lines:
        if not line.startswith("//"):
            return
        yield line.removeprefix("//")


def example_of(text):
    """The code in the first comment of a header, one line or more, or an empty list."""
    code = []
    inside = False
    previous = ""
    for line in first_comment(text):
        if line.startswith("   "):
            inside = inside or not previous.strip()
            if inside:
                code.append(line[3:])
        elif line.strip() or not inside:
            inside = False
        previous = line
    return code


def without_ellipses(line):
    """`{ … }` is an empty body, `Type{…}` a default value, and a line of `…` an empty statement."""
    return re.sub(r"(?<=[({])…", "", line).replace("…", ";")


def divided(code):
    """(declarations, statements): what stands at namespace scope, and what in a function."""
    parts = ([], [])
    where = 1
    depth = 0
    for line in code:
        if depth == 0:
            where = 0 if DECLARES.match(line) else 1
        parts[where].append(line)
        bare = re.sub(r'//.*|"[^"]*"|\'.\'', "", line)
        depth += bare.count("{") - bare.count("}")
    return parts


def wrapped(number, header, text, code):
    """An example as a part of a translation unit, in the namespace of its header."""
    # The last one: what comes before it declares names of other headers.
    namespace = re.findall(r"^namespace (grappa(?:::\w+)*) \{", text, re.MULTILINE)[-1]
    usual = next((names for space, names in reversed(OF_NAMESPACE.items())
                  if namespace.startswith(space)), "")
    declarations, statements = divided([without_ellipses(line) for line in code])
    body = "\n".join(statements)
    result = "Coroutine<>" if "co_await" in body else "int"
    return f"""
namespace {namespace} {{
namespace example_{number} {{
# 1 "{header} (declarations)"
{chr(10).join(declarations)}
auto example({usual}) {{
  return [&]({OF_HEADER.get(header, "")}) -> {result} {{
    {{
# 1 "{header}"
{body}
    }}
  }};
}}
}}
}}
"""


def examples(base, folders):
    """{header: code} of the headers in some folders, for those that have an example."""
    found = {}
    for path in sorted(path for folder in folders for path in (base / folder).rglob("*.hpp")):
        name = path.relative_to(base).as_posix()
        code = example_of(path.read_text())
        if code and not path.name.startswith("test_") and not name.startswith(OPTIONAL):
            found[name] = code
    return found


def compiled(base, folders):
    """The compiler's messages and exit status for all examples."""
    found = examples(base, folders)
    source = [PREAMBLE, *(f'#include "{name}"' for name in [*found, *INCLUDES])]
    for number, (name, code) in enumerate(found.items()):
        source.append(wrapped(number, name, (base / name).read_text(), code))
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "examples.cpp"
        file.write_text("\n".join(source))
        return subprocess.run([*compiler_command(), "-w", f"-I{ROOT}", file], cwd=BINARY,
                              env=os.environ | {"LC_ALL": "C"}, capture_output=True, text=True,
                              timeout=SECONDS)


class HeaderExamples(unittest.TestCase):
    def test_those_of_the_library_compile(self):
        result = compiled(*LIBRARY)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_those_of_the_programs_compile(self):
        result = compiled(*PROGRAMS)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_most_headers_have_one(self):
        self.assertGreater(len(examples(*LIBRARY)), 130)
        self.assertGreater(len(examples(*PROGRAMS)), 30)

    def test_no_names_are_declared_in_vain(self):
        have_one = examples(*LIBRARY).keys() | examples(*PROGRAMS).keys()
        self.assertEqual(OF_HEADER.keys() - have_one, set())


class Extraction(unittest.TestCase):
    def test_code_follows_an_empty_line(self):
        text = "#pragma once\n\n// Lists.\n//\n//   List a;\n//\n//   a.add(1);\n// More.\n//   x y\n"
        self.assertEqual(example_of(text), ["List a;", "a.add(1);"])

    def test_later_comments_have_no_examples(self):
        self.assertEqual(example_of("#pragma once\n\n// Lists.\n\n//\n//   List a;\n"), [])

    def test_declarations_leave_the_function(self):
        code = ["struct A {", "  int f() {}", "};", "A a;", "int g(A a) { return 1; }", "if (g(a)) {",
                "}"]
        self.assertEqual(divided(code), (code[:3] + code[4:5], code[3:4] + code[5:]))

    def test_ellipses(self):
        self.assertEqual(without_ellipses("f({ … }, T{…}, g(…));"), "f({ ; }, T{}, g());")


if __name__ == "__main__":
    unittest.main()
