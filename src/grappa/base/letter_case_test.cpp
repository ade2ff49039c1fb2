#include "grappa/base/letter_case.hpp"

#include <gtest/gtest.h>

namespace grappa::internal {
namespace {

using Append = void (*)(std::string_view, std::string&);

std::string changed(Append append, std::string_view text) {
  std::string out = "<";
  append(text, out);
  return out.substr(1);
}

TEST(LetterCase, KnowsAllScripts) {
  EXPECT_EQ(changed(append_lowered, "ÄPFEL Und [@`{] 3 ЖΣ"), "äpfel und [@`{] 3 жσ");
  EXPECT_EQ(changed(append_raised, "äpfel Und [@`{] 3 жσ"), "ÄPFEL UND [@`{] 3 ЖΣ");
  EXPECT_EQ(changed(append_lowered, ""), "");
  EXPECT_EQ(changed(append_lowered, "A LONG TEXT OF ASCII, THEN É AND MORE THAN A WORD"),
            "a long text of ascii, then é and more than a word");
}

TEST(LetterCase, ChangesLettersOneByOne) {
  EXPECT_EQ(changed(append_raised, "straße"), "STRAßE");
  EXPECT_EQ(changed(append_lowered, "\u212A"), "k");  // the sign of Kelvin
}

TEST(LetterCase, KeepsWhatIsNoUtf8) {
  EXPECT_EQ(changed(append_raised, "a\xFFz\xC3"), "A\xFFZ\xC3");
  EXPECT_EQ(changed(append_lowered, std::string_view("A\0B", 3)), std::string_view("a\0b", 3));
  EXPECT_EQ(changed(append_capitalized, "a\xFFz"), "A\xFFZ");
}

TEST(LetterCase, CapitalizesWords) {
  EXPECT_EQ(changed(append_capitalized, "o'NEIL und élan vital, 3rd-best"),
            "O'Neil Und Élan Vital, 3rd-Best");
}

}  // namespace
}  // namespace grappa::internal
