#include "grappa/query/table_parts.hpp"

#include <cstddef>

#include "grappa/query/io/all_gather.hpp"
#include "grappa/query/table_builder.hpp"

namespace grappa::query {

Table table_of_parts(const Team& team, const std::function<TableParts()>& make) {
  using Parts = LocaleState<TablePart>;
  TableParts made;
  std::vector<Parts> parts;
  if (team.locale == 0) {
    made = make();
    parts.push_back(*made.parts);
  }
  // Where it has failed, all learn it here.
  parts = team.gather(std::move(parts))[0];
  std::vector<std::string> names;
  std::vector<Type> types;
  for (const auto& [name, type] : made.columns) {
    names.push_back(name);
    types.push_back(type);
  }
  names = all_gather(team.exchange, names)[0];
  types = all_gather(team.exchange, types)[0];
  std::vector<std::pair<std::string, Type>> columns;
  for (std::size_t c = 0; c < names.size(); ++c) columns.emplace_back(names[c], types[c]);
  TablePart& mine = *parts[0];
  mine.facts.resize(columns.size());
  return table_of_blocks(team, std::move(mine.blocks), mine.facts, columns);
}

}  // namespace grappa::query
