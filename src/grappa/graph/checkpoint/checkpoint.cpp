#include "grappa/graph/checkpoint/checkpoint.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <system_error>
#include <tuple>
#include <utility>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/load/internal/ask_locales.hpp"
#include "grappa/graph/structure/internal/vertex_pair.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::graph {
namespace {

std::uint64_t hash_arc(std::uint64_t source, std::uint64_t target) {
  std::uint64_t x = word_of_pair(source, target);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// A sum over all arcs: it does not matter who has them.
std::uint64_t structure_of(const Graph& graph) {
  return reduce_cores(
      [graph] {
        const Adjacency out = graph.out();
        std::uint64_t sum = graph.is_directed() ? 1 : 0;
        for (std::int64_t v = graph.core_begin(); v < graph.core_end(); ++v) {
          for (const VertexId w : out.neighbors(v))
            sum += hash_arc(static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(w));
        }
        return sum;
      },
      std::uint64_t{0}, std::plus<>());
}

std::string new_id() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

/// What all locales go on from.
struct Resumption {
  std::string folder;
  std::vector<Manifest::Part> parts;
  static constexpr auto kMembers = std::tuple(&Resumption::folder, &Resumption::parts);
};

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || ::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw UsageError(fmt::format("{}: cannot write checkpoints there: {}", folder,
                                 error ? error.message() : std::strerror(errno)));
  }
}

bool is_same_folder(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error);
}

}  // namespace

// ---- Checkpoint ----

Checkpoint::Checkpoint(std::string kernel, CheckpointOptions options)
    : kernel_(std::move(kernel)), options_(std::move(options)) {
  if (!options_.resume.empty()) {
    start_ = read_manifest(options_.resume);
    if (start_->kernel != kernel_) {
      throw UsageError(fmt::format("{}: a checkpoint of {}, not of {}", options_.resume,
                                   start_->kernel, kernel_));
    }
  }
  if (options_.write.empty()) return;
  make_folder(options_.write);
  if (has_manifest(options_.write) && !is_same_folder(options_.write, options_.resume)) {
    throw UsageError(
        fmt::format("{}: there is a checkpoint, which would be lost; go on from it with --resume "
                    "{}, or give another folder",
                    options_.write, options_.write));
  }
}

std::optional<std::int64_t> Checkpoint::resumes_after() const {
  return start_ ? std::optional(start_->iteration) : std::nullopt;
}

// ---- CheckpointSession ----

CheckpointSession::CheckpointSession(Checkpoint* checkpoint, const Graph& graph,
                                     const std::string& meaning)
    : checkpoint_(checkpoint), graph_(graph) {
  if (checkpoint_ == nullptr) return;
  const CheckpointOptions& options = checkpoint_->options_;
  if (options.write.empty() && options.resume.empty()) {
    checkpoint_ = nullptr;
    return;
  }
  now_.kernel = checkpoint_->kernel_;
  now_.options = meaning;
  now_.graph = {graph.vertex_count(), graph.arc_count(), structure_of(graph)};
  last_ns_ = internal::now_ns();
  exchange_ = Exchange::create();
  locals_ = LocaleState<Local>::create();
  tell_locales(*exchange_, options.write);
  on_all_locales([locals = *locals_, exchange = *exchange_] {
    Local& mine = *locals;
    mine.folder = told<std::string>(exchange);
    // On its own disk, where the folder is not shared. If it cannot be made, writing will tell.
    std::error_code error;
    if (!mine.folder.empty()) std::filesystem::create_directories(mine.folder, error);
  });
}

void CheckpointSession::add(const std::string& name, double& value) {
  now_.scalars.push_back({name, 0});
  variables_.push_back({.real = &value});
}

void CheckpointSession::add(const std::string& name, std::int64_t& value) {
  now_.scalars.push_back({name, 0});
  variables_.push_back({.integer = &value});
}

void CheckpointSession::check(const Manifest& start) const {
  const std::string& folder = checkpoint_->options_.resume;
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("{}: {}", folder, why));
  };
  if (start.graph != now_.graph) {
    refuse(start.graph.vertices == now_.graph.vertices && start.graph.arcs == now_.graph.arcs
               ? "a checkpoint of another graph, with other edges"
               : fmt::format("a checkpoint of another graph: {} vertices and {} arcs, this one has "
                             "{} and {}",
                             start.graph.vertices, start.graph.arcs, now_.graph.vertices,
                             now_.graph.arcs));
  }
  if (start.options != now_.options) {
    refuse(fmt::format("a checkpoint made with {}, this run has {}", start.options, now_.options));
  }
  const auto same_arrays = std::ranges::equal(
      start.arrays, now_.arrays, [](const Manifest::Array& a, const Manifest::Array& b) {
        return a.name == b.name && a.element_bytes == b.element_bytes;
      });
  const auto same_scalars = std::ranges::equal(start.scalars, now_.scalars, {},
                                               &Manifest::Scalar::name, &Manifest::Scalar::name);
  std::int64_t covered = 0;
  for (const Manifest::Part& part : start.parts) {
    if (part.begin == covered && part.end >= part.begin) covered = part.end;
  }
  if (!same_arrays || !same_scalars || covered != now_.graph.vertices)
    refuse(
        "a checkpoint of another version of this kernel, or of a build whose vertices have another "
        "width");
}

std::int64_t CheckpointSession::resume() {
  if (checkpoint_ == nullptr || !checkpoint_->start_) return 0;
  const Manifest& start = *checkpoint_->start_;
  const CheckpointOptions& options = checkpoint_->options_;
  check(start);
  tell_locales(*exchange_, Resumption{options.resume, start.parts});
  ask_locales(*exchange_, [graph = graph_, locals = *locals_, exchange = *exchange_] {
    const auto resumption = told<Resumption>(exchange);
    for (const Manifest::Part& part : resumption.parts) {
      const bool mine = part.begin < graph.locale_end() && part.end > graph.locale_begin();
      if (!mine) continue;
      read_part(resumption.folder, part, graph.locale_begin(), graph.locale_end(), locals->arrays);
    }
  });
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const std::uint64_t bits = start.scalars[i].bits;
    if (variables_[i].real != nullptr) *variables_[i].real = std::bit_cast<double>(bits);
    if (variables_[i].integer != nullptr)
      *variables_[i].integer = std::bit_cast<std::int64_t>(bits);
  }
  last_iteration_ = start.iteration;
  if (is_same_folder(options.write, options.resume)) in_folder_ = start.iteration;
  return start.iteration;
}

bool CheckpointSession::is_due(std::int64_t iteration) const {
  if (checkpoint_ == nullptr || checkpoint_->options_.write.empty()) return false;
  const Interval& every = checkpoint_->options_.every;
  if (every.iterations > 0) return iteration - last_iteration_ >= every.iterations;
  return internal::seconds_since(last_ns_) >= every.seconds;
}

void CheckpointSession::after(std::int64_t iteration) {
  if (is_due(iteration)) save(iteration);
}

void CheckpointSession::finish(std::int64_t iteration) {
  const bool writes = checkpoint_ != nullptr && !checkpoint_->options_.write.empty();
  if (writes && in_folder_ != iteration) save(iteration);
}

void CheckpointSession::save(std::int64_t iteration) {
  const std::string& folder = checkpoint_->options_.write;
  now_.iteration = iteration;
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    now_.scalars[i].bits = variables_[i].real != nullptr
                               ? std::bit_cast<std::uint64_t>(*variables_[i].real)
                               : std::bit_cast<std::uint64_t>(*variables_[i].integer);
  }
  try {
    now_.parts = write_parts();
    write_manifest(folder, now_);
  } catch (const Error& error) {
    give_up(error.what());
  }
  on_all_locales([locals = *locals_] { remove_other_parts(locals->folder, locals->id); });
  in_folder_ = iteration;
  last_iteration_ = iteration;
  last_ns_ = internal::now_ns();
  ++checkpoint_->written_;
}

std::vector<Manifest::Part> CheckpointSession::write_parts() {
  tell_locales(*exchange_, new_id());
  return ask_locales(*exchange_, [graph = graph_, locals = *locals_, exchange = *exchange_] {
    Local& mine = *locals;
    mine.id = told<std::string>(exchange);
    return write_part(mine.folder, part_name(mine.id, this_locale()), graph.locale_begin(),
                      graph.locale_end(), mine.arrays);
  });
}

void CheckpointSession::give_up(const std::string& why) const {
  // The manifest may be in place all the same, if all that failed is making sure of it.
  bool in_place = false;
  try {
    const Manifest there = read_manifest(checkpoint_->options_.write);
    in_place = there.parts.front().file == part_name((*locals_)->id, 0);
  } catch (const Error&) {
    in_place = false;
  }
  on_all_locales([locals = *locals_, in_place] {
    const Local& mine = *locals;
    if (in_place) return;
    ::unlink((mine.folder + "/" + part_name(mine.id, this_locale())).c_str());
  });
  throw Error(fmt::format(
      "checkpoint: {}{}", why,
      in_folder_ ? fmt::format(" (the one after iteration {} is whole)", *in_folder_) : ""));
}

}  // namespace grappa::graph
