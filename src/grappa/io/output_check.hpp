#pragma once

// That nobody writes over what is read, nor two outputs over one another.
//
//   check_outputs({{"-o", "ranks.tsv"}, {"--json", "-"}}, {"web.txt"});
//
// Files are the same when they are one on the disk, whatever their names; those that are not there
// yet, when their names lead to one place. Terminals and devices may be named several times.

#include <string>
#include <vector>

namespace grappa::io {

struct NamedOutput {
  std::string option;  // as the message calls it
  std::string path;    // of a file or a folder; empty: not given
};

/// UsageError where one of `outputs` is one of `inputs`, or another one. "-" is standard input in
/// `inputs`, standard output in `outputs`.
void check_outputs(const std::vector<NamedOutput>& outputs, const std::vector<std::string>& inputs);

}  // namespace grappa::io
