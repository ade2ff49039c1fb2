// Closes a graph by rules.

#include <grappa/query.hpp>

#include <cstdio>
#include <string>
#include <string_view>

using namespace grappa;

int main() {
  bool right = true;
  run([&] {
    std::string found;
    query::datalog::Engine engine;
    engine.run({.name = "paths",
                .text = ".decl edge(x: number, y: number) edge(1, 2). edge(2, 3). edge(4, 1).\n"
                        ".decl path(x: number, y: number)\n"
                        "path(x, y) :- edge(x, y).\n"
                        "path(x, z) :- path(x, y), edge(y, z).",
                .facts = "."},
               [&](const query::datalog::Answer& answer) {
                 const std::size_t path = 1;  // the second relation that is declared
                 answer.write(path, {.delimiter = " "},
                              [&](std::string_view lines) { found += lines; });
               });
    std::printf("%s", found.c_str());
    right = found == "1 2\n1 3\n2 3\n4 1\n4 2\n4 3\n";
  });
  return right ? 0 : 1;
}
