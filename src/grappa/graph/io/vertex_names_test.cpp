#include "grappa/graph/io/vertex_names.hpp"

#include <gtest/gtest.h>

namespace grappa::graph {
namespace {

TEST(VertexNames, Range) {
  const VertexNames identity = VertexNames::range(0, 3);
  EXPECT_TRUE(identity.is_identity());
  EXPECT_EQ(identity.name(2), "2");
  EXPECT_EQ(identity.find("2"), 2u);
  EXPECT_EQ(identity.find("3"), std::nullopt);
  EXPECT_EQ(identity.memory_bytes(), 0u);

  const VertexNames offset = VertexNames::range(5'000'000'000, 10);
  EXPECT_FALSE(offset.is_identity());
  EXPECT_EQ(offset.name(9), "5000000009");
  EXPECT_EQ(offset.find("5000000009"), 9u);
  EXPECT_EQ(offset.find("4999999999"), std::nullopt);
  EXPECT_EQ(offset.find("5000000010"), std::nullopt);
  EXPECT_EQ(offset.integer(1), 5'000'000'001u);
}

TEST(VertexNames, Integers) {
  const VertexNames names = VertexNames::integers({3, 17, 9223372036854775807});
  EXPECT_EQ(names.size(), 3);
  EXPECT_FALSE(names.is_identity());
  EXPECT_TRUE(names.is_integer());
  EXPECT_EQ(names.name(2), "9223372036854775807");
  EXPECT_EQ(names.find("17"), 1u);
  EXPECT_EQ(names.find("0017"), 1u);
  for (const char* absent : {"4", "", "-3", "3 ", "x", "99999999999999999999"}) {
    EXPECT_EQ(names.find(absent), std::nullopt) << absent;
  }
  std::string line = "vertex ";
  names.append(line, 1);
  EXPECT_EQ(line, "vertex 17");
}

TEST(VertexNames, ConsecutiveIntegersTakeNoMemory) {
  const VertexNames names = VertexNames::integers({7, 8, 9});
  EXPECT_EQ(names.memory_bytes(), 0u);
  EXPECT_EQ(names.name(0), "7");
  EXPECT_EQ(VertexNames::integers({}).size(), 0);
}

TEST(VertexNames, Strings) {
  const VertexNames names = VertexNames::strings("annbobcarl", {0, 3, 6, 10});
  EXPECT_EQ(names.size(), 3);
  EXPECT_FALSE(names.is_integer());
  EXPECT_EQ(names.name(2), "carl");
  EXPECT_EQ(names.find("bob"), 1u);
  EXPECT_EQ(names.find("ann"), 0u);
  EXPECT_EQ(names.find("carl"), 2u);
  for (const char* absent : {"", "a", "bo", "bobb", "zoe"}) {
    EXPECT_EQ(names.find(absent), std::nullopt) << absent;
  }
}

TEST(VertexNames, NoVertices) {
  const VertexNames names;
  EXPECT_EQ(names.size(), 0);
  EXPECT_EQ(names.find("0"), std::nullopt);
}

TEST(VertexNames, AppendInteger) {
  std::string out;
  append_integer(out, 0);
  append_integer(out, 18446744073709551615u);
  EXPECT_EQ(out, "018446744073709551615");
}

}  // namespace
}  // namespace grappa::graph
