#include "grappa/query/datalog/fixpoint.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "grappa/parallel/runtime.hpp"
#include "grappa/tasking/core.hpp"

namespace grappa::query::datalog {
namespace {

constexpr std::size_t kJobRows = 1024;
/// Fewer rows than this are not worth waking other cores for.
constexpr std::size_t kFewRows = 512;
/// What a core sends to other locales before it waits until they have taken it.
constexpr std::size_t kMostSent = std::size_t{32} << 20;

/// In front of tuples, or of the bytes of a symbol, on their way to another locale.
struct Header {
  static constexpr std::uint32_t kSymbol = ~std::uint32_t{0};
  std::uint32_t relation;
  std::uint32_t shard;
  std::uint64_t count;
};

}  // namespace

/// What a core has for itself.
class Fixpoint::Core final : public Emitter {
 public:
  Core(Fixpoint& fixpoint, int number) : fixpoint_(fixpoint) {
    context.program = fixpoint.text_;
    context.symbols = &fixpoint.symbols_;
    context.core = number;
    context.emitter = this;
    for (const std::unique_ptr<Store>& store : fixpoint.stores_)
      routers_.emplace_back(fixpoint.sharding_.shards(), store->arity());
  }

  void emit(std::size_t relation, const Word* tuple) override {
    routers_[relation].add(fixpoint_.stores_[relation]->shard_of(tuple), tuple,
                           [&](std::size_t shard, const Word* tuples, std::size_t count) {
                             deliver(relation, shard, tuples, count);
                           });
  }
  void flush() {
    for (std::size_t relation = 0; relation < routers_.size(); ++relation)
      routers_[relation].flush([&](std::size_t shard, const Word* tuples, std::size_t count) {
        deliver(relation, shard, tuples, count);
      });
  }
  /// Tuples of this relation are not emitted for a while.
  void forget(std::size_t relation) {
    routers_[relation] = Router(fixpoint_.sharding_.shards(), fixpoint_.stores_[relation]->arity());
  }

  Context context;
  std::vector<Word> registers;
  std::size_t sent = 0;  // bytes

 private:
  void deliver(std::size_t relation, std::size_t shard, const Word* tuples, std::size_t count) {
    if (fixpoint_.sharding_.is_here(shard))
      fixpoint_.stores_[relation]->insert(shard, tuples, count);
    else
      send(relation, shard, tuples, count);
  }
  void send(std::size_t relation, std::size_t shard, const Word* tuples, std::size_t count) {
    const Header header{static_cast<std::uint32_t>(relation), static_cast<std::uint32_t>(shard),
                        count};
    const std::span<const Word> words(tuples, count * fixpoint_.stores_[relation]->arity());
    const int owner = fixpoint_.sharding_.owner(shard);
    fixpoint_.team_.exchange.add_all(owner, std::as_bytes(std::span(&header, 1)));
    fixpoint_.team_.exchange.add_all(owner, std::as_bytes(words));
    sent += sizeof header + words.size_bytes();
  }

  Fixpoint& fixpoint_;
  std::vector<Router> routers_;
};

Fixpoint::Fixpoint(const Program& program, std::string_view text, const Team& team)
    : program_(program),
      text_(text),
      team_(team),
      sharding_{team.locale, team.locales},
      symbols_(team.cores) {
  for (const Relation& of : program.relations)
    stores_.push_back(std::make_unique<Store>(of, sharding_));
  for (int core = 0; core < team.cores; ++core)
    cores_.push_back(std::make_unique<Core>(*this, core));
}

Fixpoint::~Fixpoint() = default;

ForEach Fixpoint::for_each(std::size_t rows) const {
  if (rows < kFewRows || team_.cores == 1)
    return [](std::size_t n, const std::function<void(std::size_t)>& body) {
      for (std::size_t i = 0; i < n; ++i) body(i);
    };
  return [this](std::size_t n, const std::function<void(std::size_t)>& body) {
    std::atomic<std::size_t> next = 0;
    team_.on_cores([&](int) {
      for (std::size_t i = next++; i < n; i = next++) body(i);
    });
  };
}

// ---- What is known before

void Fixpoint::insert(int core, std::size_t relation, const Word* tuple) {
  cores_[static_cast<std::size_t>(core)]->emit(relation, tuple);
}

void Fixpoint::end_inserting() {
  team_.on_cores([&](int core) { cores_[static_cast<std::size_t>(core)]->flush(); });
  exchange();
}

// ---- Strata

void Fixpoint::run() {
  for (const Stratum& of : stratify(program_, text_)) run(of);
}

void Fixpoint::run(const Stratum& stratum) {
  const bool has_input = std::ranges::any_of(
      stratum.relations, [&](std::size_t of) { return program_.relations[of].input.has_value(); });
  if (stratum.rules.empty() && !has_input) return;
  std::vector<bool> is_here(stores_.size());
  for (const std::size_t relation : stratum.relations) is_here[relation] = true;
  const ForEach everywhere = for_each(kFewRows);
  const PlanningPlaces places{stores_, symbols_, everywhere, is_here};
  std::vector<RulePlan> once;
  std::vector<RulePlan> repeated;
  for (const std::size_t number : stratum.rules) {
    const Rule& rule = program_.rules[number];
    bool is_recursive = false;
    for (std::size_t i = 0; i < rule.body.size(); ++i) {
      const Literal& of = rule.body[i];
      if (of.kind != LiteralKind::kAtom || !is_here[of.relation]) continue;
      is_recursive = true;
      repeated.push_back(plan_rule(rule, i, places));
    }
    if (!is_recursive) once.push_back(plan_rule(rule, {}, places));
  }
  // What is in the text is the same everywhere.
  symbols_.merge();
  evaluate(once);
  end_round(stratum);
  const auto new_rows = [&] {
    std::size_t all = 0;
    for (const std::size_t of : stratum.relations) all += stores_[of]->new_rows();
    return all;
  };
  while (!repeated.empty() && new_rows() > 0) {
    evaluate(repeated);
    end_round(stratum);
  }
  for (const std::unique_ptr<Core>& core : cores_)
    for (const std::size_t of : stratum.relations) core->forget(of);
}

// ---- Rounds

void Fixpoint::prepare(const std::vector<RulePlan>& plans) {
  jobs_.clear();
  next_job_ = 0;
  job_rows_ = 0;
  std::size_t registers = 0;
  for (const RulePlan& plan : plans) {
    registers = std::max(registers, plan.registers);
    if (!plan.has_driver) {
      if (team_.locale == 0) jobs_.push_back({&plan, 0, 0, 0});
      continue;
    }
    for (std::size_t shard = sharding_.begin(); shard < sharding_.end(); ++shard) {
      const TupleSet& set = stores_[plan.driver]->set(shard);
      const std::size_t first = plan.takes_new ? set.new_begin() : 0;
      job_rows_ += set.rows() - first;
      for (std::size_t begin = first; begin < set.rows(); begin += kJobRows)
        jobs_.push_back({&plan, shard, begin, std::min(begin + kJobRows, set.rows())});
    }
  }
  for (const std::unique_ptr<Core>& core : cores_)
    if (core->registers.size() < registers) core->registers.resize(registers);
}

void Fixpoint::evaluate(const std::vector<RulePlan>& plans) {
  prepare(plans);
  for (bool is_done = false; !is_done;) {
    if (job_rows_ < kFewRows)
      run_jobs(*cores_[0]);
    else
      team_.on_cores([&](int core) { run_jobs(*cores_[static_cast<std::size_t>(core)]); });
    const std::size_t taken = std::min(next_job_.load(), jobs_.size());
    exchange();
    is_done = team_.locales == 1 || team_.sum(taken < jobs_.size() ? 1 : 0) == 0;
  }
}

void Fixpoint::run_jobs(Core& core) {
  core.sent = 0;
  while (core.sent < kMostSent) {
    const std::size_t i = next_job_++;
    if (i >= jobs_.size()) break;
    const Job& job = jobs_[i];
    if (job.plan->has_driver)
      job.plan->run(stores_[job.plan->driver]->set(job.shard), job.begin, job.end,
                    core.registers.data(), core.context);
    else
      job.plan->first->run(core.registers.data(), core.context);
    // Messages are handled meanwhile, and whoever watches the core sees it work.
    if (internal::inside_runtime()) yield();
  }
  core.flush();
}

void Fixpoint::end_round(const Stratum& stratum) {
  if (team_.locales > 1) {
    send_new(stratum);
    meet();
  }
  std::size_t added = 0;
  for (const std::size_t of : stratum.relations) added += stores_[of]->added();
  const std::size_t shards = sharding_.shards();
  const bool at_once = added >= kFewRows && team_.cores > 1;
  for_each(added)(stratum.relations.size() * shards, [&](std::size_t i) {
    stores_[stratum.relations[i / shards]]->advance_shard(i % shards, at_once);
  });
}

// ---- Other locales

void Fixpoint::exchange() {
  merge_symbols();
  if (team_.locales > 1) meet();
}

void Fixpoint::merge_symbols() {
  symbols_.merge([&](std::string_view text) {
    const Header header{Header::kSymbol, 0, text.size()};
    for (int other = 0; other < team_.locales; ++other) {
      if (other == team_.locale) continue;
      team_.exchange.add_all(other, std::as_bytes(std::span(&header, 1)));
      team_.exchange.add_all(other, std::as_bytes(std::span(text)));
    }
  });
}

void Fixpoint::send_new(const Stratum& stratum) {
  for (const std::size_t relation : stratum.relations) {
    for (std::size_t shard = sharding_.begin(); shard < sharding_.end(); ++shard) {
      const TupleSet& set = stores_[relation]->set(shard);
      set.for_added([&](const Word* tuples, std::size_t count) {
        const Header header{static_cast<std::uint32_t>(relation), static_cast<std::uint32_t>(shard),
                            count};
        const std::span<const Word> words(tuples, count * stores_[relation]->arity());
        for (int other = 0; other < team_.locales; ++other) {
          if (other == team_.locale) continue;
          team_.exchange.add_all(other, std::as_bytes(std::span(&header, 1)));
          team_.exchange.add_all(other, std::as_bytes(words));
        }
      });
    }
  }
}

void Fixpoint::meet() {
  team_.meet([&](std::span<const std::byte> bytes) { receive(bytes); });
  symbols_.merge();
}

void Fixpoint::receive(std::span<const std::byte> bytes) {
  std::vector<Word> tuples;
  while (!bytes.empty()) {
    Header header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    bytes = bytes.subspan(sizeof header);
    if (header.relation == Header::kSymbol) {
      const char* const text = reinterpret_cast<const char*>(bytes.data());
      symbols_.intern({text, static_cast<std::size_t>(header.count)}, 0);
      bytes = bytes.subspan(header.count);
      continue;
    }
    Store& store = *stores_[header.relation];
    tuples.resize(header.count * store.arity());
    if (!tuples.empty()) std::memcpy(tuples.data(), bytes.data(), tuples.size() * sizeof(Word));
    bytes = bytes.subspan(tuples.size() * sizeof(Word));
    store.insert(header.shard, tuples.data(), header.count);
  }
}

}  // namespace grappa::query::datalog
