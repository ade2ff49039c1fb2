// Asks in SQL about tables in the shared memory.

#include <grappa/query.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

using namespace grappa;

int main() {
  bool right = true;
  run([&] {
    query::Database database;
    database.execute(
        "CREATE TABLE ships AS SELECT * FROM (VALUES ('Enterprise', 1701, 5), "
        "('Voyager', 74656, 7), ('Defiant', 1764, 7)) AS s(name, number, years)");

    std::string found;
    database.execute(
        "SELECT years, count(*) AS ships, max(name) AS last FROM ships GROUP BY years ORDER BY "
        "years",
        [&](query::Answer& answer) {
          answer.for_each_batch([&](const query::Batch& batch) {
            const query::Vector& years = batch.columns[0];
            const query::Vector& count = batch.columns[1];
            const query::Vector& last = batch.columns[2];
            batch.for_each([&](std::size_t row) {
              found += std::to_string(years.at<std::int32_t>(row)) +
                       " years: " + std::to_string(count.at<std::int64_t>(row)) + ", last " +
                       std::string(last.at<query::TextRef>(row).view()) + "\n";
            });
          });
        });
    std::printf("%s", found.c_str());
    right = found == "5 years: 1, last Enterprise\n7 years: 2, last Voyager\n";

    const Owned<GlobalArray<std::int32_t>> decks = GlobalArray<std::int32_t>::create(1000);
    decks->forall([](std::int64_t i, std::int32_t& deck) { deck = static_cast<int>(i % 7); });
    database.add_table("crew", {{"deck", *decks}});
    const query::Result result = query::result_of(
        "SELECT deck, count(*) AS people FROM crew GROUP BY deck ORDER BY deck", database);
    const auto people = result.column<std::int64_t>("people");
    std::printf("%lld decks, %lld people on the last\n", static_cast<long long>(result.rows()),
                static_cast<long long>(delegate::read(people[result.rows() - 1])));
    right = right && reduce(people, 0, std::plus<>()) == 1000;
  });
  return right ? 0 : 1;
}
