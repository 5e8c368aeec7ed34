#include "support/satisfy.h"

#include <gtest/gtest.h>

namespace frx::testing {
namespace {

using knowledge::Expression;
using knowledge::Operand;

// share in %, a count, a plain number, two conditions.
std::optional<Operand> names(std::string_view name) {
  if (name == "share") return Operand{0, *parse_unit("%"), false};
  if (name == "count") return Operand{1, {}, false};
  if (name == "x") return Operand{2, {}, false};
  if (name == "one") return Operand{3, {}, true};
  if (name == "other") return Operand{4, {}, true};
  if (name == "y") return Operand{5, {}, false};
  return std::nullopt;
}

SlotRange range_of(std::uint32_t slot) {
  if (slot == 0) return {0, 100};
  if (slot == 1) return {0, 1e6, true};
  if (slot == 3 || slot == 4) return {0, 1, true};
  return {0, 1e6};
}

Satisfied::Answer answer(std::string_view text, Constraint::Kind kind = Constraint::holds, double least = 0) {
  const Expression expression = Expression::parse(text, names, "test").value();
  return satisfy({{&expression, kind, least}}, range_of).answer;
}

TEST(Satisfy, FindsFactsForWhatCanHold) {
  for (const char* text : {"share > 80% and share < 80.001%", "count > 1 and count < 3", "one and not other", "not known(share)",
                           "x >= y and y > 5", "max(x, y) < 3 and known(x)", "share + 20% > 119%", "(share >= 30% or one) and not one",
                           "first(x, 7) <= 7 and not known(x)", "if(one, x, y) > 100 and not one", "x / y > 1000"}) {
    EXPECT_EQ(answer(text), Satisfied::yes) << text;
  }
}

TEST(Satisfy, ProvesWhatCannotHold) {
  for (const char* text : {"share > 80% and share < 80%", "count > 1 and count < 2", "one and not one", "share > 100%",
                           "known(x) and not known(x)", "share < 35% and not (share < 35%)", "max(share, 20%) < 20%", "count < 0",
                           "unknown > 3", "share + 20% > 120%", "clamp(x, 0, 1) > 1"}) {
    EXPECT_EQ(answer(text), Satisfied::no) << text;
  }
}

TEST(Satisfy, TellsThatSomethingDoesNotSurelyHold) {
  EXPECT_EQ(answer("one", Constraint::does_not_surely_hold), Satisfied::yes);
  EXPECT_EQ(answer("known(one) or not known(one)", Constraint::does_not_surely_hold), Satisfied::no);
}

TEST(Satisfy, WeighsNumbers) {
  EXPECT_EQ(answer("clamp(share / 100%, 0, 1)", Constraint::at_least, 0.9), Satisfied::yes);
  EXPECT_EQ(answer("clamp(0.4 * share / 100%, 0, 1)", Constraint::at_least, 0.5), Satisfied::no);
}

TEST(Satisfy, GivesFactsForWhichItHolds) {
  const Expression both = Expression::parse("share > 80% and count >= 3 and not one", names, "test").value();
  const Satisfied found = satisfy({{&both}}, range_of);
  ASSERT_EQ(found.answer, Satisfied::yes);
  EXPECT_EQ(both.truth([&](std::uint32_t slot) { return found.facts.at(slot); }), true);
}

}  // namespace
}  // namespace frx::testing
