// Work at the core that owns the memory: calls, reads and writes, atomic operations, split phase.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>

using namespace grappa;

struct Account {
  std::int64_t balance = 100;
};

int main() {
  bool right = true;
  const auto check = [&](const char* what, std::int64_t got, std::int64_t expected) {
    std::printf("%-18s %lld\n", what, static_cast<long long>(got));
    right = right && got == expected;
  };
  run([&] {
    const GlobalAddress<Account> accounts = global_alloc<Account>(1000);

    // A closure runs at the home of the account, in one piece, and its result comes back.
    const std::int64_t withdraw = 30;
    const bool paid = delegate::call(accounts + 7, [=](Account& account) {
      if (account.balance < withdraw) return false;
      account.balance -= withdraw;
      return true;
    });
    check("paid", paid, 1);

    // The usual closures have names.
    const GlobalAddress<std::int64_t> counter = global_alloc<std::int64_t>(1);
    delegate::write(counter, 40);
    check("fetch_add", delegate::fetch_add(counter, 2), 40);
    check("compare_exchange", delegate::compare_exchange(counter, 42, 7), 1);
    check("read", delegate::read(counter), 7);

    // Split phase: both requests are on their way before the first answer is waited for.
    const auto balance = [](Account& account) { return account.balance; };
    auto seven = delegate::issue(accounts + 7, balance);
    auto eight = delegate::issue(accounts + 8, balance);
    check("two balances", seven.complete() + eight.complete(), 170);

    // On a core, not at an address.
    const int last = core_count() - 1;
    check("asked another core", delegate::call(last, [] { return this_core(); }) == last, 1);

    global_free(counter);
    global_free(accounts);
  });
  return right ? 0 : 1;
}
