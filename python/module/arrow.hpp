#pragma once

// Tables of other packages, by the Arrow C data and C stream interfaces
// (arrow.apache.org/docs/format/CDataInterface.html, CStreamInterface.html), without a copy.

#include <nanobind/nanobind.h>

namespace grappa::python {

/// read_arrow_stream(capsule) and read_arrow_array(schema, array) -> an ArrowSchema and a list of
/// ArrowChunks, whose buffers are arrays of bytes. make_arrow_stream(rows, columns) -> a capsule; a
/// column is a tuple of its name, its format, how many values are null, and its buffers: arrays of
/// bytes, or None.
void add_arrow(nanobind::module_& module);

}  // namespace grappa::python
