#include "python/module/arrow.hpp"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "python/module/arrow_interface.h"

namespace grappa::python {
namespace {

namespace nb = nanobind;

constexpr std::int64_t kNullable = 2;  // ARROW_FLAG_NULLABLE

// ---- what others give

/// Taken from its giver, and released with the last that uses it.
template <class T>
std::shared_ptr<T> taken(T& given) {
  auto* const mine = new T(std::exchange(given, T{}));
  return std::shared_ptr<T>(mine, [](T* of) {
    if (of->release != nullptr) of->release(of);
    delete of;
  });
}

template <class T>
T& in_capsule(const nb::object& capsule, const char* name) {
  void* const pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw nb::python_error();
  T& given = *static_cast<T*>(pointer);
  if (given.release == nullptr) throw UsageError("an Arrow stream can be read once");
  return given;
}

struct Schema {
  std::shared_ptr<ArrowSchema> owner;
  const ArrowSchema* of;
};

/// An array, perhaps of structures (whose children are columns).
struct Chunk {
  std::shared_ptr<ArrowArray> owner;
  const ArrowArray* of;

  /// The bytes of a buffer, as many as its layout has; None where there is no buffer.
  nb::object buffer(std::int64_t index, std::size_t bytes) const {
    if (index < 0 || index >= of->n_buffers) throw UsageError("an Arrow array lacks a buffer");
    const void* const data = of->buffers[index];
    if (data == nullptr) return nb::none();
    const nb::capsule keeper(new std::shared_ptr<ArrowArray>(owner), [](void* p) noexcept {
      delete static_cast<std::shared_ptr<ArrowArray>*>(p);
    });
    return nb::cast(nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>(data, {bytes}, keeper));
  }
};

template <class Part, class Of>
Part part_of(const Part& whole, Of* const* children, std::int64_t count, std::int64_t index) {
  if (index < 0 || index >= count) throw UsageError("an Arrow array lacks a child");
  return {whole.owner, children[index]};
}

nb::tuple read_array(const nb::object& schema, const nb::object& array) {
  const auto of_schema = taken(in_capsule<ArrowSchema>(schema, "arrow_schema"));
  const auto of_array = taken(in_capsule<ArrowArray>(array, "arrow_array"));
  return nb::make_tuple(Schema{of_schema, of_schema.get()},
                        std::vector<Chunk>{Chunk{of_array, of_array.get()}});
}

void require_read(ArrowArrayStream& stream, int status) {
  if (status == 0) return;
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  const char* const why = stream.get_last_error(&stream);
  throw UsageError(fmt::format("an Arrow stream failed: {}", why != nullptr ? why : "no reason"));
}

nb::tuple read_stream(const nb::object& capsule) {
  const auto stream = taken(in_capsule<ArrowArrayStream>(capsule, "arrow_array_stream"));
  ArrowSchema of_schema{};
  require_read(*stream, stream->get_schema(stream.get(), &of_schema));
  const auto schema = taken(of_schema);
  std::vector<Chunk> chunks;
  for (;;) {
    ArrowArray next{};
    require_read(*stream, stream->get_next(stream.get(), &next));
    if (next.release == nullptr) break;
    const auto array = taken(next);
    chunks.push_back({array, array.get()});
  }
  return nb::make_tuple(Schema{schema, schema.get()}, chunks);
}

// ---- what we give: a table in one array

struct Column {
  std::string name;
  std::string format;
  std::int64_t nulls;
  std::vector<std::optional<nb::object>> owners;
  std::vector<const void*> buffers;
};

/// The table; what is given to others shares it.
struct Table {
  std::int64_t rows;
  std::vector<Column> columns;
  bool is_given = false;

  ~Table() {
    // Whoever has it last may be a thread of others.
    if (Py_IsInitialized() == 0) {
      for (Column& column : columns)
        for (auto& owner : column.owners)
          if (owner) owner->release();
      return;
    }
    const nb::gil_scoped_acquire held;
    columns.clear();
  }
};

/// What a structure of ours refers to: children, and the table.
template <class T>
struct Private {
  std::shared_ptr<const Table> table;
  std::vector<T> children;
  std::vector<T*> pointers;
  std::vector<const void*> buffers;
};

template <class T>
void release(T* of) {
  auto* const mine = static_cast<Private<T>*>(of->private_data);
  // A consumer may have moved children away; those are released by themselves.
  for (T* child : mine->pointers)
    if (child->release != nullptr) child->release(child);
  of->release = nullptr;
  delete mine;
}

template <class T>
Private<T>& begin(T& of, const std::shared_ptr<const Table>& table, std::size_t children) {
  auto* const mine = new Private<T>{table, std::vector<T>(children), {}, {}};
  for (T& child : mine->children) mine->pointers.push_back(&child);
  of = T{};
  of.n_children = static_cast<std::int64_t>(children);
  of.children = mine->pointers.data();
  of.release = &release<T>;
  of.private_data = mine;
  return *mine;
}

void give_schema(const std::shared_ptr<const Table>& table, ArrowSchema& out) {
  auto& mine = begin(out, table, table->columns.size());
  out.format = "+s";
  out.name = "";
  for (std::size_t i = 0; i < table->columns.size(); ++i) {
    ArrowSchema& column = mine.children[i];
    begin(column, table, 0);
    column.format = table->columns[i].format.c_str();
    column.name = table->columns[i].name.c_str();
    column.flags = kNullable;
  }
}

void give_buffers(ArrowArray& out, Private<ArrowArray>& mine, std::vector<const void*> buffers,
                  std::int64_t rows, std::int64_t nulls) {
  mine.buffers = std::move(buffers);
  out.buffers = mine.buffers.data();
  out.n_buffers = static_cast<std::int64_t>(mine.buffers.size());
  out.length = rows;
  out.null_count = nulls;
}

void give_array(const std::shared_ptr<const Table>& table, ArrowArray& out) {
  auto& mine = begin(out, table, table->columns.size());
  give_buffers(out, mine, {nullptr}, table->rows, 0);
  for (std::size_t i = 0; i < table->columns.size(); ++i) {
    ArrowArray& column = mine.children[i];
    const Column& of = table->columns[i];
    give_buffers(column, begin(column, table, 0), of.buffers, table->rows, of.nulls);
  }
}

using Given = std::shared_ptr<Table>;

Given& table_of(ArrowArrayStream* stream) { return *static_cast<Given*>(stream->private_data); }

Column column_of(const nb::handle& given) {
  const auto parts = nb::cast<nb::tuple>(given);
  Column column{nb::cast<std::string>(parts[0]),
                nb::cast<std::string>(parts[1]),
                nb::cast<std::int64_t>(parts[2]),
                {},
                {}};
  for (const nb::handle buffer : nb::cast<nb::list>(parts[3])) {
    if (buffer.is_none()) {
      column.buffers.push_back(nullptr);
      continue;
    }
    const auto bytes = nb::cast<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>(buffer);
    column.buffers.push_back(bytes.data());
    column.owners.emplace_back(nb::borrow(buffer));
  }
  return column;
}

nb::object make_stream(std::int64_t rows, const nb::list& columns) {
  auto table = std::make_shared<Table>();
  table->rows = rows;
  for (const nb::handle column : columns) table->columns.push_back(column_of(column));
  auto stream = std::make_unique<ArrowArrayStream>();
  stream->get_schema = [](ArrowArrayStream* of, ArrowSchema* out) {
    give_schema(table_of(of), *out);
    return 0;
  };
  stream->get_next = [](ArrowArrayStream* of, ArrowArray* out) {
    *out = ArrowArray{};  // which says that there is no more
    if (!std::exchange(table_of(of)->is_given, true)) give_array(table_of(of), *out);
    return 0;
  };
  stream->get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  stream->release = [](ArrowArrayStream* of) {
    delete static_cast<Given*>(of->private_data);
    of->release = nullptr;
  };
  stream->private_data = new Given(std::move(table));
  PyObject* const capsule = PyCapsule_New(stream.get(), "arrow_array_stream", [](PyObject* self) {
    auto* const of =
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(self, "arrow_array_stream"));
    if (of->release != nullptr) of->release(of);  // nobody has taken it
    delete of;
  });
  if (capsule == nullptr) throw nb::python_error();
  static_cast<void>(stream.release());
  return nb::steal(capsule);
}

}  // namespace

void add_arrow(nb::module_& module) {
  nb::class_<Schema>(module, "ArrowSchema")
      .def_prop_ro("format", [](const Schema& self) { return self.of->format; })
      .def_prop_ro("name",
                   [](const Schema& self) { return self.of->name != nullptr ? self.of->name : ""; })
      .def_prop_ro("children", [](const Schema& self) { return self.of->n_children; })
      .def("child",
           [](const Schema& self, std::int64_t i) {
             return part_of(self, self.of->children, self.of->n_children, i);
           })
      .def_prop_ro("dictionary", [](const Schema& self) {
        return self.of->dictionary == nullptr ? nb::none()
                                              : nb::cast(Schema{self.owner, self.of->dictionary});
      });
  nb::class_<Chunk>(module, "ArrowChunk")
      .def_prop_ro("length", [](const Chunk& self) { return self.of->length; })
      .def_prop_ro("offset", [](const Chunk& self) { return self.of->offset; })
      .def_prop_ro("nulls", [](const Chunk& self) { return self.of->null_count; })
      .def_prop_ro("buffers", [](const Chunk& self) { return self.of->n_buffers; })
      .def("buffer", &Chunk::buffer)
      .def("child",
           [](const Chunk& self, std::int64_t i) {
             return part_of(self, self.of->children, self.of->n_children, i);
           })
      .def_prop_ro("dictionary", [](const Chunk& self) {
        return self.of->dictionary == nullptr ? nb::none()
                                              : nb::cast(Chunk{self.owner, self.of->dictionary});
      });
  module.def("read_arrow_stream", &read_stream);
  module.def("read_arrow_array", &read_array);
  module.def("make_arrow_stream", &make_stream);
}

}  // namespace grappa::python
