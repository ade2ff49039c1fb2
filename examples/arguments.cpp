// What a closure cannot capture if it is to travel: strings, containers and classes, as arguments.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace grappa;

struct Person {
  std::string name;
  std::map<std::string, std::vector<int>> marks;
  static constexpr auto kMembers = std::tuple(&Person::name, &Person::marks);
};

int main() {
  bool right = true;
  run([&] {
    const int last = core_count() - 1;
    const Person ada{"Ada", {{"chess", {1, 2}}, {"go", {3}}}};

    // The function gets copies of its own. Results travel in the same way.
    const std::string praised = delegate::call(
        last,
        [](Person& person, const std::string& praise) {
          std::size_t marks = 0;
          for (const auto& [subject, list] : person.marks) marks += list.size();
          return praise + " " + person.name + ", " + std::to_string(marks) + " marks";
        },
        ada, std::string("well done,"));
    std::printf("%s\n", praised.c_str());
    right = right && praised == "well done, Ada, 3 marks";

    // Asynchronously, at an address: the object comes first.
    const GlobalAddress<std::int64_t> letters = global_alloc<std::int64_t>(1);
    CompletionEvent done;
    const std::vector<std::string> words = {"trades", "latency", "for", "throughput"};
    for (const std::string& word : words) {
      delegate::async::call(
          done, letters,
          [](std::int64_t& sum, std::string& own) { sum += static_cast<std::int64_t>(own.size()); },
          word);
    }
    // As a task, which may wait.
    spawn_on(
        done, last,
        [letters](const std::vector<std::string>& all) {
          for (const std::string& word : all)
            delegate::increment(letters, static_cast<std::int64_t>(word.size()));
        },
        words);
    done.wait();
    std::printf("%lld letters\n", static_cast<long long>(delegate::read(letters)));
    right = right && delegate::read(letters) == 2 * 26;
    global_free(letters);
  });
  return right ? 0 : 1;
}
