// A program that uses namespace grappa has the common names for itself.

#include <gtest/gtest.h>

#include <cstdint>

#include "grappa/grappa.hpp"

using namespace grappa;

// What programs like to call their types: each one defines them all and uses them without a prefix.
// clang-format off
#define GRAPPA_TEST_TYPES(NAME) \
  NAME(Activity) NAME(Aggregator) NAME(Arena) NAME(Batch) NAME(BinStore) NAME(Bitmap) \
  NAME(Block) NAME(Buffer) NAME(Cell) NAME(Chunk) NAME(Clock) NAME(Collectives) NAME(Context) \
  NAME(Core) NAME(Counter) NAME(Cpu) NAME(Descriptor) NAME(Driver) NAME(Edge) NAME(Element) \
  NAME(Endpoint) NAME(Event) NAME(EventId) NAME(FileName) NAME(Graph) NAME(Handshake) \
  NAME(HashTable) NAME(Histogram) NAME(Item) NAME(Key) NAME(Ledger) NAME(Level) NAME(Line) \
  NAME(List) NAME(Locale) NAME(Lock) NAME(Log) NAME(Machine) NAME(Mapping) NAME(Matrix) \
  NAME(Memory) NAME(Message) NAME(MessageType) NAME(Metrics) NAME(Network) NAME(Node) NAME(Note) \
  NAME(Options) NAME(Packet) NAME(Pair) NAME(Parker) NAME(Peak) NAME(Permutation) NAME(Place) \
  NAME(Point) NAME(Pool) NAME(Process) NAME(Queue) NAME(Range) NAME(Reach) NAME(Reader) \
  NAME(Record) NAME(Reply) NAME(Report) NAME(Request) NAME(Result) NAME(Ring) NAME(Route) \
  NAME(Row) NAME(Running) NAME(Sampler) NAME(Scheduler) NAME(Sections) NAME(Slice) NAME(Slot) \
  NAME(Stack) NAME(StackPool) NAME(State) NAME(Status) NAME(Suspended) NAME(Table) NAME(Task) \
  NAME(Timer) NAME(Token) NAME(Topology) NAME(Transport) NAME(Tree) NAME(Update) NAME(Value) \
  NAME(Verdict) NAME(Vertex) NAME(Visit) NAME(WaitQueue) NAME(Waiter) NAME(Work) NAME(Worker) \
  NAME(Writer)
// clang-format on

// And their functions and constants.
// clang-format off
#define GRAPPA_TEST_FUNCTIONS(NAME) \
  NAME(clock_ns) NAME(cpu_relax) NAME(current) NAME(enclosing_scope) NAME(fatal) NAME(here) \
  NAME(huge_page_size) NAME(index_of) NAME(inside_runtime) NAME(linger) NAME(local_address) \
  NAME(now_ns) NAME(page_size) NAME(random_bytes) NAME(this_scheduler) NAME(total_memory_bytes)
// clang-format on

#define GRAPPA_TEST_CONSTANTS(NAME) \
  NAME(kChunkBytes)                 \
  NAME(kLineBytes) NAME(kNever) NAME(kNowhere) NAME(kPageBytes) NAME(kSteals) NAME(kTasksRun)

#define GRAPPA_TEST_TYPE(name) \
  struct name {                \
    std::int64_t value = 1;    \
  };
#define GRAPPA_TEST_FUNCTION(name) \
  std::int64_t name() { return 1; }
#define GRAPPA_TEST_CONSTANT(name) const std::int64_t name = 1;
GRAPPA_TEST_TYPES(GRAPPA_TEST_TYPE)
GRAPPA_TEST_FUNCTIONS(GRAPPA_TEST_FUNCTION)
GRAPPA_TEST_CONSTANTS(GRAPPA_TEST_CONSTANT)

#define GRAPPA_TEST_VALUE_OF(name) +name().value
#define GRAPPA_TEST_CALL(name) +name()
#define GRAPPA_TEST_USE(name) +name
#define GRAPPA_TEST_ONE(name) +1
constexpr std::int64_t kNames = 0 GRAPPA_TEST_TYPES(GRAPPA_TEST_ONE)
    GRAPPA_TEST_FUNCTIONS(GRAPPA_TEST_ONE) GRAPPA_TEST_CONSTANTS(GRAPPA_TEST_ONE);

std::int64_t sum_of_all() {
  return 0 GRAPPA_TEST_TYPES(GRAPPA_TEST_VALUE_OF) GRAPPA_TEST_FUNCTIONS(GRAPPA_TEST_CALL)
      GRAPPA_TEST_CONSTANTS(GRAPPA_TEST_USE);
}

TEST(Names, CommonOnesAreFree) {
  Config config;
  config.cores = 1;
  std::int64_t on_their_own = 0;
  std::int64_t in_memory = 0;
  run(config, [&] {
    const GlobalAddress<Counter> counters = global_alloc<Counter>(8);
    forall(counters, 8, [](Counter& counter) { counter.value += sum_of_all(); });
    auto tasks = GlobalArray<Task>::create(4);
    in_memory = delegate::read(counters + 7).value + delegate::read(tasks[3]).value;
    tasks.destroy();
    global_free(counters);
    on_their_own = sum_of_all();
  });
  EXPECT_EQ(on_their_own, kNames);
  EXPECT_EQ(in_memory, kNames + 2);
}
