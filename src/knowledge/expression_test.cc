#include "knowledge/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace frx::knowledge {
namespace {

// Five names: a share, a time in microseconds, bytes, a plain number and a condition.
std::optional<Operand> names(std::string_view name) {
  if (name == "share") return Operand{0, *parse_unit("%"), false};
  if (name == "time") return Operand{1, *parse_unit("us"), false};
  if (name == "bytes") return Operand{2, *parse_unit("byte"), false};
  if (name == "count") return Operand{3, {}, false};
  if (name == "flag") return Operand{4, {}, true};
  return std::nullopt;
}

using Values = std::map<std::uint32_t, double>;

Expression parsed(std::string_view text) {
  Result<Expression> expression = Expression::parse(text, names, "rules.yaml:7");
  EXPECT_TRUE(expression) << text << ": " << to_string(expression.error());
  return expression ? *expression : Expression();
}
std::string refusal(std::string_view text) {
  const Result<Expression> expression = Expression::parse(text, names, "rules.yaml:7");
  return expression ? "accepted" : to_string(expression.error());
}
Lookup lookup(const Values& values) {
  return [values](std::uint32_t slot) -> std::optional<double> {
    const auto found = values.find(slot);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}
std::optional<double> number(std::string_view text, const Values& values = {}) { return parsed(text).number(lookup(values)); }
std::optional<bool> truth(std::string_view text, const Values& values = {}) { return parsed(text).truth(lookup(values)); }

TEST(Expression, CalculatesWithTheUsualPrecedence) {
  EXPECT_EQ(number("2 + 3 * 4"), 14);
  EXPECT_EQ(number("(2 + 3) * 4"), 20);
  EXPECT_EQ(number("10 - 2 - 3"), 5);
  EXPECT_EQ(number("-2 * 3"), -6);
  EXPECT_EQ(number("8 / 2 / 2"), 2);
  EXPECT_EQ(number("ceil(7 / 2)"), 4);
  EXPECT_EQ(number("ceil(count)"), std::nullopt);
}

TEST(Expression, BringsEveryOperandToBaseUnits) {
  EXPECT_EQ(number("time", {{1, 3}}), 3000);  // us -> ns
  EXPECT_EQ(number("5 us"), 5000);
  EXPECT_EQ(number("1 GB/s"), 1);  // byte per ns
  EXPECT_EQ(truth("time > 2 us", {{1, 3}}), true);
  EXPECT_EQ(truth("bytes / time > 1 GB/s", {{2, 4000}, {1, 3}}), true);
  EXPECT_EQ(to_string(parsed("bytes / time").dimension()), "byte/ns");
}

TEST(Expression, RefusesMixedUnitsWithTheColumn) {
  EXPECT_EQ(refusal("share + time"), "rules.yaml:7: column 13: cannot add '%' and 'ns' in 'share + time'");
  EXPECT_EQ(refusal("share > 5"), "rules.yaml:7: column 10: cannot compare '%' and 'a plain number' in 'share > 5'");
  EXPECT_EQ(refusal("bytes < 5 us"), "rules.yaml:7: column 13: cannot compare 'byte' and 'ns' in 'bytes < 5 us'");
  EXPECT_NE(refusal("max(share, time)").find("cannot combine"), std::string::npos);
  EXPECT_NE(refusal("flag + 1").find("cannot add 'a condition' and 'a plain number'"), std::string::npos);
  EXPECT_NE(refusal("share and flag").find("cannot join with 'and'"), std::string::npos);
}

TEST(Expression, LetsABareZeroMeetAnyUnit) {
  EXPECT_EQ(truth("share > 0", {{0, 1}}), true);
  EXPECT_EQ(truth("0 < time", {{1, 1}}), true);
}

// `busy` is the name of a condition, `parts` of three numbers, `nothing` of no value.
std::optional<Operand> names_of_more(std::string_view name) {
  static const Expression busy = parsed("share > 50% or flag"), nothing = parsed("unknown");
  static const std::vector<Operand> parts = {{.slot = 5, .unit = *parse_unit("us"), .name = "a"},
                                             {.slot = 6, .unit = *parse_unit("us"), .name = "b"},
                                             {.slot = 7, .unit = *parse_unit("us"), .name = "c"}};
  if (name == "busy") return Operand{.meaning = &busy};
  if (name == "nothing") return Operand{.meaning = &nothing};
  if (name == "parts") return Operand{.each = parts};
  return names(name);
}
std::vector<std::uint32_t> slots_in(const Expression& expression) { return {expression.slots().begin(), expression.slots().end()}; }

Expression of_more(std::string_view text) { return Expression::parse(text, names_of_more, "rules.yaml:7").value(); }

TEST(Expression, PutsTheMeaningOfANameInItsPlace) {
  const Expression both = of_more("not busy and count > 3");
  EXPECT_EQ(slots_in(both), (std::vector<std::uint32_t>{0, 4, 3}));
  EXPECT_EQ(both.truth(lookup({{0, 40}, {4, 0}, {3, 5}})), true);
  EXPECT_EQ(both.truth(lookup({{0, 60}, {3, 5}})), false);
  EXPECT_EQ(both.truth(lookup({{0, 40}, {3, 5}})), std::nullopt);
  EXPECT_EQ(of_more("if(busy, 2 * (1 + count), 0)").number(lookup({{4, 1}, {3, 5}})), 12);
  EXPECT_EQ(of_more("known(nothing)").truth(lookup({})), false);
}

TEST(Expression, AsksSeveralValuesUnderOneName) {
  EXPECT_EQ(of_more("max(parts)").number(lookup({{5, 1}, {7, 3}})), 3000);
  EXPECT_EQ(of_more("max(parts) > 2 us or total(parts , time) < 1 us").text(), "max(a, b, c) > 2 us or total(a, b, c , time) < 1 us");
  EXPECT_EQ(of_more("total(parts, time)").number(lookup({{6, 2}, {1, 3}})), 5000);
  EXPECT_EQ(of_more("total(parts)").number(lookup({})), std::nullopt);
  EXPECT_EQ(of_more("sum(parts)").number(lookup({{5, 1}, {7, 3}})), std::nullopt);
  const Result<Expression> alone = Expression::parse("parts > 1 us", names_of_more, "rules.yaml:7");
  ASSERT_FALSE(alone);
  EXPECT_NE(alone.error().message.find("of several"), std::string::npos) << alone.error().message;
  EXPECT_FALSE(Expression::parse("clamp(parts, 1 us, 2 us)", names_of_more, "rules.yaml:7"));
}

TEST(Expression, LeavesOutWhatDecidesNothing) {
  int asked = 0;
  const Lookup counting = [&](std::uint32_t slot) -> std::optional<double> {
    ++asked;
    return slot == 4 ? std::optional(0.0) : std::nullopt;
  };
  EXPECT_EQ(parsed("flag and share > 1% and time > 1 us").truth(counting), false);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(parsed("not flag or share > 1%").truth(counting), true);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(parsed("(share > 1% or not flag) and (flag or time > 1 us)").truth(counting), std::nullopt);
}

TEST(Expression, RefusesNamesThatGrowWithoutEnd) {
  std::vector<Expression> grown{parsed("count + 1")};
  Result<Expression> next = grown.back();
  for (int i = 0; i < 40 && next; ++i) {
    const Scope scope = [&](std::string_view) { return Operand{.meaning = &grown.back()}; };
    next = Expression::parse("x + x + x", scope, "rules.yaml:7");
    if (next) grown.push_back(*next);
  }
  ASSERT_FALSE(next);
  EXPECT_NE(next.error().message.find("a shorter expression"), std::string::npos);
}

TEST(Expression, RefusesWhatItCannotRead) {
  EXPECT_EQ(refusal("nothing_known > 1"),
            "rules.yaml:7: column 1: expected the name of a metric or a defined value, found 'nothing_known > 1' in 'nothing_known > 1'");
  EXPECT_NE(refusal("1 +").find("column 4: expected a number, a name or '(', found the end"), std::string::npos);
  EXPECT_NE(refusal("(1").find("expected ')'"), std::string::npos);
  EXPECT_NE(refusal("1 2").find("expected an operator or the end"), std::string::npos);
  EXPECT_NE(refusal("").find("expected a number"), std::string::npos);
  EXPECT_NE(refusal("not share").find("a condition after 'not'"), std::string::npos);
  EXPECT_NE(refusal("-flag").find("a number after '-'"), std::string::npos);
  EXPECT_NE(refusal("share == 3").find("expected an operator or the end"), std::string::npos);
  EXPECT_NE(refusal("clamp(1, 2)").find("takes 3 operands, found 2"), std::string::npos);
}

TEST(Expression, LimitsItsDepthAndLength) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '(') + "1" + std::string(depth, ')'); };
  EXPECT_EQ(refusal(nested(50)), "accepted");
  EXPECT_NE(refusal(nested(500)).find("expected less nesting"), std::string::npos);
  EXPECT_NE(refusal(std::string(4000, '-') + "1").find("expected less nesting"), std::string::npos);
  EXPECT_NE(refusal(std::string(5000, ' ') + "1").find("at most 4096 characters"), std::string::npos);
  std::string negated;
  for (int i = 0; i < 300; ++i) negated += "not ";
  EXPECT_NE(refusal(negated + "flag").find("expected less nesting"), std::string::npos);
}

TEST(Expression, KeepsTheUnknownUnknownInArithmetic) {
  EXPECT_EQ(number("count + 1"), std::nullopt);
  EXPECT_EQ(number("0 * count"), std::nullopt);
  EXPECT_EQ(truth("share > 50%"), std::nullopt);
  EXPECT_EQ(number("1 / 0"), std::nullopt);
  EXPECT_EQ(number("count / 0", {{3, 1}}), std::nullopt);
}

TEST(Expression, FollowsKleenesLogic) {
  const Values yes{{4, 1}};
  const Values no{{4, 0}};
  EXPECT_EQ(truth("flag or share > 50%", yes), true);
  EXPECT_EQ(truth("flag or share > 50%", no), std::nullopt);
  EXPECT_EQ(truth("flag and share > 50%", no), false);
  EXPECT_EQ(truth("flag and share > 50%", yes), std::nullopt);
  EXPECT_EQ(truth("share > 50% and flag", no), false);
  EXPECT_EQ(truth("share > 50% or flag", yes), true);
  EXPECT_EQ(truth("not flag", yes), false);
  EXPECT_EQ(truth("not flag"), std::nullopt);
  EXPECT_EQ(truth("not not flag", yes), true);
}

TEST(Expression, BindsAndTighterThanOr) {
  EXPECT_EQ(truth("flag or flag and share > 50%", {{4, 1}}), true);
  EXPECT_EQ(truth("(flag or flag) and share > 50%", {{4, 1}, {0, 10}}), false);
}

TEST(ExpressionFunction, KnownAsksWhetherAValueIsThere) {
  EXPECT_EQ(truth("known(share)"), false);
  EXPECT_EQ(truth("known(share)", {{0, 0}}), true);
}

TEST(ExpressionFunction, FirstTakesTheFirstPresentOne) {
  EXPECT_EQ(number("first(count, 7)"), 7);
  EXPECT_EQ(number("first(count, 7)", {{3, 2}}), 2);
  EXPECT_EQ(number("first(count, count)"), std::nullopt);
}

TEST(ExpressionFunction, MinAndMaxLookAtThePresentOnes) {
  EXPECT_EQ(number("min(3, count, 2)"), 2);
  EXPECT_EQ(number("max(3, count, 2)"), 3);
  EXPECT_EQ(number("max(count)"), std::nullopt);
}

TEST(ExpressionFunction, SumNeedsAllOfThem) {
  EXPECT_EQ(number("sum(1, 2, count)", {{3, 4}}), 7);
  EXPECT_EQ(number("sum(1, 2, count)"), std::nullopt);
}

TEST(ExpressionFunction, AbsClampAndLog2) {
  EXPECT_EQ(number("abs(-3)"), 3);
  EXPECT_EQ(number("clamp(5, 0, 1)"), 1);
  EXPECT_EQ(number("clamp(-5, 0, 1)"), 0);
  EXPECT_EQ(number("clamp(count, 0, 1)"), std::nullopt);
  EXPECT_EQ(number("log2(8)"), 3);
  EXPECT_EQ(number("log2(0)"), std::nullopt);
  EXPECT_EQ(number("log2(-1)"), std::nullopt);
}

TEST(ExpressionFunction, IfNeedsOnlyTheSideItTakes) {
  EXPECT_EQ(number("if(flag, 1, count)", {{4, 1}}), 1);
  EXPECT_EQ(number("if(flag, 1, count)", {{4, 0}}), std::nullopt);
  EXPECT_EQ(number("if(flag, 1, 2)"), std::nullopt);
  EXPECT_NE(refusal("if(count, 1, 2)").find("a condition as the first operand of if()"), std::string::npos);
}

TEST(ExpressionFunction, RampIsZeroAtItsStartAndOneAtItsEnd) {
  EXPECT_EQ(number("ramp(share, 50%, 90%)", {{0, 40}}), 0);
  EXPECT_EQ(number("ramp(share, 50%, 90%)", {{0, 70}}), 0.5);
  EXPECT_EQ(number("ramp(share, 50%, 90%)", {{0, 99}}), 1);
  EXPECT_EQ(number("ramp(share, 90%, 50%)", {{0, 60}}), 0.75);  // falling
  EXPECT_EQ(number("ramp(share, 50%, 50%)", {{0, 60}}), std::nullopt);
  EXPECT_TRUE(parsed("ramp(share, 50%, 90%)").dimension().is_plain_number());
}

TEST(Expression, ListsWhatItReadsOnceInOrder) {
  EXPECT_EQ(slots_in(parsed("time > 1 us and share > 1% and time > 2 us")), (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(parsed("share > 1%").text(), "share > 1%");
  EXPECT_TRUE(parsed("share > 1%").is_truth());
  EXPECT_FALSE(parsed("share").is_truth());
}

}  // namespace
}  // namespace frx::knowledge
