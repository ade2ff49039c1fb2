#include "grappa/query/io/line_fields.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace grappa::query {
namespace {

/// "key=field", with quotes around a text; or what is wrong.
std::vector<std::string> cut(LineKind kind, std::string_view line) {
  const std::string padded = std::string(line) + "\n{\"another\": 1}" + std::string(64, ' ');
  const auto fields = line_fields(kind);
  std::vector<std::string> found;
  const auto outcome = fields->cut(
      std::string_view(padded).substr(0, line.size()),
      [&](std::string_view key, const TextField& field) {
        const std::string quote = field.is_quoted ? "'" : "";
        found.push_back(std::string(key) + "=" + quote + std::string(field.raw()) + quote);
      });
  if (outcome == LineFields::kProblem) return {fields->problem()};
  return found;
}
using Fields = std::vector<std::string>;

TEST(JsonFields, AreWhatIsWrittenWithoutQuotesAndEscapes) {
  EXPECT_EQ(cut(LineKind::kJson, R"( {"a": -1.5e3 ,"b":"x","c":true,"d":null,"e":"",)"
                                 R"("f\n":"\u00e9\"\ud83d\ude00"} )"),
            (Fields{"a=-1.5e3", "b='x'", "c=true", "d=", "e=''", "f\n='é\"😀'"}));
  EXPECT_EQ(cut(LineKind::kJson, R"({"a": [1, {"b": "]"}], "c": {"d": {}}})"),
            (Fields{R"(a='[1, {"b": "]"}]')", R"(c='{"d": {}}')"}));
  EXPECT_EQ(cut(LineKind::kJson, R"([{"a": 1},)"), Fields{"a=1"});
  EXPECT_EQ(cut(LineKind::kJson, R"({"a": [1]}])"), Fields{"a='[1]'"});
  EXPECT_EQ(cut(LineKind::kJson, " ]"), Fields{});
  EXPECT_EQ(cut(LineKind::kJson, "{}"), Fields{});
}

TEST(JsonFields, ArePartsOfWholeObjects) {
  for (const char* const line :
       {"1", "\"a\"", "{\"a\": 1", "{\"a\" 1}", "{\"a\": 1 \"b\": 2}", "{\"a\": 1} 2", "{a: 1}",
        "{\"a\": +1}", "{\"a\": 1.}", "{\"a\": 00}", "{\"a\": 1e}", "{\"a\": nul}",
        "{\"a\": truee}", "{\"a\": \"\\x\"}", "{\"a\": [1}", "{\"a\": \"x}", "{\"a\": \"\\ud800\"}",
        "{\"a\": NaN}"}) {
    const Fields found = cut(LineKind::kJson, line);
    ASSERT_EQ(found.size(), 1u) << line;
    EXPECT_NE(found[0].find("JSON object"), std::string::npos) << line << ": " << found[0];
  }
}

TEST(TripleFields, AreTheTermsAsTheyAreWritten) {
  EXPECT_EQ(cut(LineKind::kTriples, R"(<http://a#b> <p> "x > \"y\" ."@en . # c)"),
            (Fields{"subject='<http://a#b>'", "predicate='<p>'", R"(object='"x > \"y\" ."@en')"}));
  EXPECT_EQ(cut(LineKind::kTriples, R"(_:a.b<p>_:c.)"),
            (Fields{"subject='_:a.b'", "predicate='<p>'", "object='_:c'"}));
  EXPECT_EQ(cut(LineKind::kTriples, R"(<a> <p> "1"^^<int> .)").back(), R"(object='"1"^^<int>')");
  EXPECT_EQ(cut(LineKind::kTriples, " # nothing"), Fields{});
}

}  // namespace
}  // namespace grappa::query
