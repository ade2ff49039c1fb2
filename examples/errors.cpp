// Errors come to whoever waits: out of a blocking delegate, a loop, an event.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>
#include <map>
#include <stdexcept>

using namespace grappa;

using Phonebook = std::map<int, int>;

int main() {
  bool right = true;
  const auto expect_error = [&](const char* where, auto action) {
    try {
      action();
      right = false;
    } catch (const Error& error) {
      std::printf("%-10s %s\n", where, error.what());
    }
  };
  run([&] {
    const GlobalAddress<Phonebook> books = global_alloc<Phonebook>(4);
    delegate::call(books, [](Phonebook& book) { book[1] = 5550100; });

    expect_error("delegate", [=] {
      delegate::call(books, [](Phonebook& book) {
        if (book.count(2) == 0) throw std::out_of_range("nobody has number 2");
        return book[2];
      });
    });
    expect_error("loop", [=] {
      forall(0, 3, {.grain = 1},
             [](std::int64_t) { throw std::runtime_error("iteration failed"); });
    });
    expect_error("event", [=] {
      CompletionEvent event;
      delegate::async::call(event, core_count() - 1, [] { throw std::domain_error("async"); });
      event.wait();
    });
    expect_error("no core", [] { spawn_on(100'000, [] {}); });
    expect_error("freed", [=] {
      global_free(books);
      global_free(books);
    });
  });
  return right ? 0 : 1;
}
