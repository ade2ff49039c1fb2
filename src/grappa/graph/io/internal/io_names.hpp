#pragma once

// Code of the graph framework names what the io layer has as it names its own.

namespace grappa::io {}

namespace grappa::graph {
using namespace grappa::io;  // NOLINT(google-build-using-namespace)
namespace io {
using namespace grappa::io;  // NOLINT(google-build-using-namespace)
}
}  // namespace grappa::graph
