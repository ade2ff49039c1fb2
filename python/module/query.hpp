#pragma once

// SQL over arrays of Python.

#include <nanobind/nanobind.h>

namespace grappa::python {

/// run_query(session, text, tables) -> columns of the last answer. A table is a tuple of its name,
/// the number of its rows and its columns; a column one of its name, its type as SQL calls it (of a
/// decimal: its name, precision and scale), its values (an array of the type's numbers; of texts a
/// tuple of int64 offsets, one more than there are rows, and of bytes), and where it has values (an
/// array of booleans, or None). Of the answer: name, type, values and the same again.
/// text_buffers(list) and texts_of(offsets, bytes, valid): Python's texts as those, and back.
void add_query(nanobind::module_& module);

}  // namespace grappa::python
