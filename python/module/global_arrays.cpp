#include "python/module/global_arrays.hpp"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/container/array_algorithms.hpp"
#include "grappa/container/array_sort.hpp"
#include "grappa/container/array_spans.hpp"
#include "grappa/container/binned_updates.hpp"
#include "grappa/container/global_array.hpp"
#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/io/uninitialized_vector.hpp"
#include "python/module/array_operations.hpp"
#include "python/module/arrays.hpp"
#include "python/module/session.hpp"

namespace grappa::python {
namespace {

constexpr std::int64_t kGrain = 1 << 14;  // elements that are worked on at a time
constexpr std::int64_t kAhead = 32;       // elements from prefetching one to reading it
// Updates are binned by address from so many on, of an array of so many bytes.
constexpr std::int64_t kBinnedUpdates = 1 << 20;
constexpr std::int64_t kBinnedBytes = 32 << 20;

/// Calls f.operator()<T>() with the type that NumPy calls so.
template <class F>
auto with_type(std::string_view name, const F& f) {
  if (name == "int32") return f.template operator()<std::int32_t>();
  if (name == "uint32") return f.template operator()<std::uint32_t>();
  if (name == "int64") return f.template operator()<std::int64_t>();
  if (name == "uint64") return f.template operator()<std::uint64_t>();
  if (name == "float32") return f.template operator()<float>();
  if (name == "float64") return f.template operator()<double>();
  throw UsageError(
      fmt::format("{}: int32, uint32, int64, uint64, float32 or float64 was expected", name));
}

/// f(begin, end) for pieces of 0 … n-1, on all cores.
template <class F>
void for_pieces(std::int64_t n, const F& f) {
  io::for_ranges(io::runtime_parallel_for(), n, kGrain, f);
}

std::size_t to_size(std::int64_t n) { return static_cast<std::size_t>(n); }

/// Numbers of elements, of 32 bits where these do.
struct IndexView {
  const std::uint32_t* narrow;
  const std::int64_t* wide;  // where the others are null

  std::int64_t operator[](std::int64_t k) const { return narrow != nullptr ? narrow[k] : wide[k]; }
};

/// Indices of elements, those below 0 counted from the end. It is a copy: who gave them may change
/// them. IndexError for one that is not there.
class Indices {
 public:
  Indices(PySession& session, std::int64_t size, const AnyArray& given)
      : count_(static_cast<std::int64_t>(given.shape(0))) {
    visit_integers(given, "indices", [&](const auto* from, std::size_t count) {
      if (size <= kNarrow) {
        narrow_.resize(count);
        copy(session, from, size, narrow_.data());
      } else {
        wide_.resize(count);
        copy(session, from, size, wide_.data());
      }
    });
  }
  Indices(const Indices&) = delete;
  Indices& operator=(const Indices&) = delete;

  std::int64_t count() const { return count_; }
  IndexView view() const { return {narrow_.empty() ? nullptr : narrow_.data(), wide_.data()}; }

 private:
  static constexpr std::int64_t kNarrow = std::int64_t{1} << 32;  // elements, at most

  /// Not below `size` if there is such an element.
  template <class Index>
  static std::uint64_t place_of(Index i, std::int64_t size) {
    return static_cast<std::uint64_t>(i) +
           (std::cmp_less(i, 0) ? static_cast<std::uint64_t>(size) : 0);
  }

  template <class From, class To>
  void copy(PySession& session, const From* from, std::int64_t size, To* to) const {
    std::mutex mutex;
    std::int64_t wrong = count_;  // where a piece begins that has one
    const auto copy_piece = [&](std::int64_t begin, std::int64_t end) {
      bool are_there = true;
      for (std::int64_t k = begin; k < end; ++k) {
        const std::uint64_t place = place_of(from[k], size);
        are_there &= std::cmp_less(place, size);
        to[k] = static_cast<To>(place);
      }
      if (are_there) return;
      const std::lock_guard lock(mutex);
      wrong = std::min(wrong, begin);
    };
    if (count_ <= kGrain) {
      copy_piece(0, count_);  // sooner than a call
    } else {
      session.call([&] { for_pieces(count_, copy_piece); });
    }
    for (; wrong < count_; ++wrong) {
      if (std::cmp_greater_equal(place_of(from[wrong], size), size))
        throw nb::index_error(
            fmt::format("index {} is out of bounds for an array of {} elements", from[wrong], size)
                .c_str());
    }
  }

  std::int64_t count_;
  io::UninitializedVector<std::uint32_t> narrow_;  // or
  io::UninitializedVector<std::int64_t> wide_;
};

/// out[k] = element indices[k]. Nobody writes meanwhile.
template <class T, class Index>
void gather_elements(const GlobalArray<T>& array, const Index& indices, std::int64_t n, T* out) {
  if (locale_count() > 1) {
    return for_pieces(n, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::int64_t> wanted(to_size(end - begin));
      for (std::int64_t k = begin; k < end; ++k) wanted[to_size(k - begin)] = indices[k];
      array.gather(wanted, std::span(out + begin, wanted.size()));
    });
  }
  const FrozenView<T> elements = array.frozen();
  for_pieces(n, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      if (k + kAhead < end) __builtin_prefetch(&elements[indices[k + kAhead]], 0, 0);
      out[k] = elements[indices[k]];
    }
  });
}

/// Element indices[k] becomes what update(k) makes of it, for k below n.
template <class T, class F>
void update_elements(const GlobalArray<T>& array, IndexView indices, std::int64_t n, F update) {
  // Binned where most updates would miss the caches, and are enough to fill the bins.
  if (n >= kBinnedUpdates && array.size() * std::int64_t{sizeof(T)} >= kBinnedBytes) {
    const Owned bins = BinnedUpdates<T, decltype(update(n))>::create(array);
    forall_here(0, n, [=, bins = *bins](std::int64_t k) { bins.update(indices[k], update(k)); });
  } else {
    forall_here(0, n, [=](std::int64_t k) { delegate::async::call(array[indices[k]], update(k)); });
  }
}

template <class T>
void read_slice(const GlobalArray<T>& array, Slice slice, T* out) {
  if (locale_count() == 1)
    return for_slice(array, slice, [out](std::int64_t k, const T& x) { out[k] = x; });
  if (slice.step == 1) return read_span(array, slice.first, std::span(out, to_size(slice.n)));
  gather_elements(array, slice, slice.n, out);
}

template <class Operation, class T>
void update_slice(const GlobalArray<T>& array, Slice slice, Operand<T> by) {
  if (by.step == 0) {
    for_slice(array, slice,
              [value = by[0]](std::int64_t, T& x) { x = Operation::apply(x, value); });
  } else if (locale_count() == 1) {
    for_slice(array, slice, [by](std::int64_t k, T& x) { x = Operation::apply(x, by[k]); });
  } else if (std::is_same_v<Operation, Assign> && slice.step == 1) {
    write_span(array, slice.first, std::span(by.values, to_size(slice.n)));
  } else {
    forall_here(0, slice.n, [=](std::int64_t k) {
      delegate::async::call(array[slice[k]], Update<T, Operation>{by[k]});
    });
  }
}

class PyArray {
  using Any = std::variant<Owned<GlobalArray<std::int32_t>>, Owned<GlobalArray<std::uint32_t>>,
                           Owned<GlobalArray<std::int64_t>>, Owned<GlobalArray<std::uint64_t>>,
                           Owned<GlobalArray<float>>, Owned<GlobalArray<double>>>;

  template <class F>
  auto visit(const F& f) const {
    return std::visit(
        [&]<class T>(const Owned<GlobalArray<T>>& array) {
          return f.template operator()<T>(*array);
        },
        array_);
  }

 public:
  PyArray(std::shared_ptr<PySession> session, std::string_view type, std::int64_t size)
      : session_(std::move(session)), type_(type), size_(size) {
    if (size < 0) throw UsageError(fmt::format("{} elements: at least none was expected", size));
    with_type(type, [&]<class T>() {
      session_->call([&] { array_ = Owned<GlobalArray<T>>(GlobalArray<T>::create(size)); });
    });
  }
  ~PyArray() { session_->bury(std::make_shared<Any>(std::move(array_))); }
  PyArray(const PyArray&) = delete;
  PyArray& operator=(const PyArray&) = delete;

  std::int64_t size() const { return size_; }

  std::unique_ptr<Indices> indices(const AnyArray& given) const {
    return std::make_unique<Indices>(*session_, size_, given);
  }

  /// Element i = bounds[0] + i * bounds[1].
  void set_sequence(const nb::ndarray<>& bounds) {
    set_all(bounds, []<class T>(const T* of, std::int64_t i) {
      return Add::apply(of[0], Multiply::apply(static_cast<T>(i), of[1]));
    });
  }

  /// Random numbers from bounds[0] on, below bounds[1].
  void set_random(const nb::ndarray<>& bounds, std::uint64_t seed) {
    set_all(bounds, [seed]<class T>(const T* of, std::int64_t i) {
      return random_between(random_bits(seed, i), of[0], of[1]);
    });
  }

  /// Elements first, first + step, …, as many as `out` has.
  void read(std::int64_t first, std::int64_t step, const nb::ndarray<>& out) const {
    visit_with(out, [&]<class T>(const GlobalArray<T>& array, T* to, std::int64_t n) {
      const Slice slice = checked({first, step, n});
      session_->call([&] { read_slice(array, slice, to); });
    });
  }

  /// Changes the elements first, first + step, …, n of them.
  void update(std::string_view operation, std::int64_t first, std::int64_t step, std::int64_t n,
              const nb::ndarray<>& values) {
    const Slice slice = checked({first, step, n});
    with_operand(operation, n, values,
                 [&]<class Operation, class T>(const GlobalArray<T>& array, Operand<T> by) {
                   update_slice<Operation>(array, slice, by);
                 });
  }

  /// out[k] = element indices[k].
  void gather(const Indices& wanted, const nb::ndarray<>& out) const {
    visit_with(out, [&]<class T>(const GlobalArray<T>& array, T* to, std::int64_t n) {
      if (n != wanted.count()) throw UsageError("as many results as indices were expected");
      session_->call([&] { gather_elements(array, wanted.view(), n, to); });
    });
  }

  /// Changes the elements of these indices, each as often as it is there.
  void scatter(std::string_view operation, const Indices& wanted, const nb::ndarray<>& values) {
    with_operand(operation, wanted.count(), values,
                 [&]<class Operation, class T>(const GlobalArray<T>& array, Operand<T> by) {
                   const auto update_all = [&](auto update) {
                     update_elements(array, wanted.view(), wanted.count(), update);
                   };
                   if (std::is_same_v<Operation, Add> && by.step == 0 && by[0] == T{1})
                     return update_all([](std::int64_t) { return AddOne<T>{}; });
                   update_all([by](std::int64_t k) { return Update<T, Operation>{by[k]}; });
                 });
  }

  /// "sum", "minimum" or "maximum" as a number of Python.
  nb::object reduce(std::string_view what) const {
    return visit([&]<class T>(const GlobalArray<T>& array) -> nb::object {
      using Limits = std::numeric_limits<T>;
      using Sum =
          std::conditional_t<std::is_floating_point_v<T>, double,
                             std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
      const auto of = [&](auto identity, auto f) {
        return nb::cast(session_->call([&] { return grappa::reduce(array, identity, f); }));
      };
      if (what == "sum") return of(Sum{}, [](Sum x, Sum y) { return Add::apply(x, y); });
      if (what == "minimum")
        return of(Limits::has_infinity ? Limits::infinity() : Limits::max(),
                  [](T x, T y) { return Least::apply(x, y); });
      return of(Limits::has_infinity ? -Limits::infinity() : Limits::lowest(),
                [](T x, T y) { return Greatest::apply(x, y); });
    });
  }

  /// A NumPy array of the elements themselves, which keeps `self`, this, and the run. None where
  /// there are several locales.
  nb::object view(const nb::handle& self) const {
    return visit([&]<class T>(const GlobalArray<T>& array) -> nb::object {
      const std::span<T> elements = session_->call(
          [&] { return locale_count() == 1 ? array.locale_part() : std::span<T>{}; });
      if (std::ssize(elements) != size_) return nb::none();
      // NumPy lets go of nothing any more when the interpreter ends.
      nb::set_leak_warnings(false);
      using Kept = std::pair<nb::object, std::shared_ptr<void>>;  // of which the run ends last
      auto kept = std::make_unique<Kept>(nb::borrow(self), session_->keep());
      const nb::capsule owner(kept.get(), [](void* p) noexcept { let_go(static_cast<Kept*>(p)); });
      kept.release();
      return nb::cast(
          nb::ndarray<nb::numpy, T, nb::ndim<1>>(elements.data(), {elements.size()}, owner));
    });
  }

  /// Ascending; NaNs last.
  void sort() {
    visit([&]<class T>(const GlobalArray<T>& array) {
      session_->call([&] {
        if constexpr (std::is_floating_point_v<T>) {
          const T least = grappa::reduce(array, T{}, [](T x, T y) { return Least::apply(x, y); });
          if (std::isnan(least))
            return grappa::sort(
                array, [](T x, T y) { return x < y || (!std::isnan(x) && std::isnan(y)); });
        }
        grappa::sort(array);
      });
    });
  }

  /// How many elements are between each two of the ascending edges; the last one counts.
  nb::object histogram(const AnyArray& edges) const {
    if (edges.dtype() != nb::dtype<double>() || edges.shape(0) < 2)
      throw UsageError("edges: at least two of float64 were expected");
    const std::span edge(static_cast<const double*>(edges.data()), edges.shape(0));
    std::vector<std::int64_t> counts(edge.size() - 1);
    visit([&]<class T>(const GlobalArray<T>& array) {
      session_->call([&] {
        std::mutex mutex;
        for_pieces(size_, [&](std::int64_t begin, std::int64_t end) {
          std::vector<T> values(static_cast<std::size_t>(end - begin));
          read_span(array, begin, std::span(values));
          std::vector<std::int64_t> found(counts.size());
          for (const T value : values) add_to_bin(edge, static_cast<double>(value), found);
          const std::lock_guard lock(mutex);
          std::ranges::transform(counts, found, counts.begin(), std::plus<>{});
        });
      });
    });
    return to_numpy(std::move(counts));
  }

 private:
  /// f(array, elements, how many) with those of a NumPy array of the same type.
  template <class F>
  void visit_with(const nb::ndarray<>& given, const F& f) const {
    visit([&]<class T>(const GlobalArray<T>& array) {
      if (given.dtype() != nb::dtype<T>() || given.ndim() != 1 ||
          (given.shape(0) > 1 && given.stride(0) != 1))
        throw UsageError(fmt::format("an array of {} was expected", type_));
      f.template operator()<T>(array, static_cast<T*>(given.data()),
                               static_cast<std::int64_t>(given.shape(0)));
    });
  }

  template <class Value>
  void set_all(const nb::ndarray<>& bounds, const Value& value) {
    visit_with(bounds, [&]<class T>(const GlobalArray<T>& array, const T* of, std::int64_t n) {
      if (n != 2) throw UsageError("two numbers were expected");
      session_->call([&] {
        for_slice(array, {0, 1, size_},
                  [both = std::array{of[0], of[1]}, value](std::int64_t i, T& x) {
                    x = value(both.data(), i);
                  });
      });
    });
  }

  /// f<Operation, T>(array, operand) in the run. `values` are n, or one for all.
  template <class F>
  void with_operand(std::string_view operation, std::int64_t n, const nb::ndarray<>& values,
                    const F& f) {
    visit_with(values, [&]<class T>(const GlobalArray<T>& array, const T* of, std::int64_t count) {
      if (count != 1 && count != n)
        throw UsageError(fmt::format("{} values for {} elements", count, n));
      with_operation<T>(operation, [&]<class Operation>() {
        session_->call([&] {
          f.template operator()<Operation, T>(array, Operand<T>{of, count == 1 ? 0 : 1});
        });
      });
    });
  }

  /// Of what a view has kept: with the GIL, but for the end of the run.
  template <class Kept>
  static void let_go(Kept* kept) {
    kept->first.reset();
    const nb::gil_scoped_release released;
    delete kept;
  }

  Slice checked(Slice slice) const {
    const auto [first, step, n] = slice;
    const bool begins_inside = first >= 0 && first < size_;
    if (n < 0 || step < 1 || (n > 0 && (!begins_inside || n - 1 > (size_ - 1 - first) / step)))
      throw UsageError(
          fmt::format("{} elements from {} on, each {} apart, of {}", n, first, step, size_));
    return slice;
  }

  static void add_to_bin(std::span<const double> edges, double value,
                         std::vector<std::int64_t>& counts) {
    if (!(value >= edges.front() && value <= edges.back())) return;
    const auto above = std::ranges::upper_bound(edges, value);
    const auto bin = std::min<std::ptrdiff_t>(above - edges.begin(), std::ssize(counts)) - 1;
    ++counts[static_cast<std::size_t>(bin)];
  }

  std::shared_ptr<PySession> session_;
  std::string type_;
  std::int64_t size_;
  Any array_;
};

}  // namespace

void add_global_arrays(nb::module_& module) {
  nb::class_<Indices>(module, "Indices").def("__len__", &Indices::count);
  nb::class_<PyArray>(module, "Array")
      .def(nb::init<std::shared_ptr<PySession>, std::string_view, std::int64_t>())
      .def("__len__", &PyArray::size)
      .def("indices", &PyArray::indices)
      .def("set_sequence", &PyArray::set_sequence)
      .def("set_random", &PyArray::set_random)
      .def("read", &PyArray::read)
      .def("update", &PyArray::update)
      .def("gather", &PyArray::gather)
      .def("scatter", &PyArray::scatter)
      .def("reduce", &PyArray::reduce)
      .def("view", [](nb::handle self) { return nb::cast<const PyArray&>(self).view(self); })
      .def("sort", &PyArray::sort)
      .def("histogram", &PyArray::histogram);
}

}  // namespace grappa::python
