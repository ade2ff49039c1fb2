// grappa generate: a graph into a file.

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/graph_source.hpp"
#include "cli/translate.hpp"
#include "grappa/base/error.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kGenerateDescription =
    "Makes a graph and writes it to a file. It is undirected, without duplicates and self-loops, "
    "and the same for a seed whatever the number of cores and locales.";

}  // namespace

int run_generate(const Arguments& arguments) {
  CommandLine line("generate", "SPEC OUT", kGenerateDescription);
  GraphSource source;
  Translation translation(source);
  bool with_weights = false;
  source.add_generator_options(line);
  translation.add_options(line, "--format");
  line.add_switch("Graph", "--weights", with_weights,
                  "give the edges weights from 1 to 255 (formats with weights have them anyway)");
  if (!line.parse(arguments)) return 0;
  if (!source.is_generator()) {
    throw UsageError(
        fmt::format("generate: {} is not a generator; give kron:SCALE[:EDGEFACTOR], "
                    "urand:SCALE[:DEGREE] or grid:ROWSxCOLS",
                    source.name()));
  }
  source.want_weights(with_weights || translation.target_is_weighted());
  translation.execute(line.config());
  return 0;
}

}  // namespace grappa::cli
