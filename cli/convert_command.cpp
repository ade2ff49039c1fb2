// grappa convert: a graph in another format.

#include "cli/command.hpp"
#include "cli/graph_source.hpp"
#include "cli/translate.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kConvertDescription =
    "Reads a graph and writes it in another format. Vertices keep their names where the format "
    "has names, and weights stay where there are any; what a format cannot hold is reported. OUT "
    "appears when it is complete, and then replaces a file that was there.";

}  // namespace

int run_convert(const Arguments& arguments) {
  CommandLine line("convert", "GRAPH OUT", kConvertDescription);
  GraphSource source;
  Translation translation(source);
  bool without_weights = false;
  source.add_options(line);
  translation.add_options(line, "--to");
  line.add_switch("Writing", "--no-weights", without_weights, "leave weights out");
  if (!line.parse(arguments)) return 0;
  source.want_weights(!without_weights &&
                      (!source.is_generator() || translation.target_is_weighted()));
  translation.execute(line.config());
  return 0;
}

}  // namespace grappa::cli
