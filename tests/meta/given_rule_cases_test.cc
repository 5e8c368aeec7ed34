// Every rule of data/code_rules/ptx and data/code_rules/cubin brings its own test cases; here they are run. (Those of
// data/code_rules/cuda are source code, see cuda_rule_cases_test.cc.)
//
//   cases:
//     - name: a third of the instructions
//       given: {global_memory_ratio: 0.34}
//       expect: fires          # or: silent
#include <gtest/gtest.h>

#include <set>

#include "advise/catalogue.h"
#include "derive/ptx/subject.h"
#include "detect/code_rules.h"
#include "ingest/ptx/categories.h"
#include "ingest/ptx/read_module.h"
#include "knowledge/code_labels.h"
#include "knowledge/code_rules.h"
#include "knowledge/knowledge.h"

namespace frx::testing {
namespace {

const knowledge::Knowledge& known() {
  static const knowledge::Knowledge all = knowledge::Knowledge::load("").value();
  return all;
}

const knowledge::CodeRules& rules(std::string_view kind) {
  static const knowledge::CodeRules ptx = knowledge::CodeRules::load(known().library, "ptx").value();
  static const knowledge::CodeRules cubin = knowledge::CodeRules::load(known().library, "cubin").value();
  return kind == "ptx" ? ptx : cubin;
}

model::CodeSubject subject_given(const Value& given) {
  model::CodeSubject subject;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Value value = given.value(i);
    if (const auto truth = value.boolean())
      subject.set(std::string(given.key(i)), *truth);
    else if (const auto number = value.number())
      subject.set(std::string(given.key(i)), *number);
    else
      subject.set(std::string(given.key(i)), std::string(value.text()));
  }
  return subject;
}

struct RuleCase {
  const knowledge::CodeRule* rule;
  Value entry;
  friend void PrintTo(const RuleCase& one, std::ostream* out) { *out << one.entry.where(); }
};

std::vector<RuleCase> rule_cases(std::string_view kind) {
  std::vector<RuleCase> cases;
  for (const knowledge::CodeRule& rule : rules(kind).all()) {
    for (std::size_t i = 0; i < rule.cases.size(); ++i) cases.push_back({&rule, rule.cases.item(i)});
  }
  return cases;
}

class GivenRuleCase : public ::testing::TestWithParam<RuleCase> {};

TEST_P(GivenRuleCase, HoldsAsItSays) {
  const auto& [rule, entry] = GetParam();
  const std::string_view expected = entry["expect"].text();
  ASSERT_TRUE(expected == "fires" || expected == "silent") << entry.where();
  EXPECT_EQ(detect::holds(*rule, subject_given(entry["given"]), entry["gpu"].text()), expected == "fires")
      << rule->id << ": " << entry["name"].text();
}

std::string case_name(const ::testing::TestParamInfo<RuleCase>& info) {
  return std::string(info.param.rule->id) + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Ptx, GivenRuleCase, ::testing::ValuesIn(rule_cases("ptx")), case_name);
INSTANTIATE_TEST_SUITE_P(Cubin, GivenRuleCase, ::testing::ValuesIn(rule_cases("cubin")), case_name);

class RulesOf : public ::testing::TestWithParam<const char*> {};

TEST_P(RulesOf, AreTriedBothWays) {
  for (const knowledge::CodeRule& rule : rules(GetParam()).all()) {
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < rule.cases.size(); ++i) seen.insert(rule.cases.item(i)["expect"].text());
    EXPECT_TRUE(seen.contains("fires") && seen.contains("silent")) << rule.where;
  }
}

TEST_P(RulesOf, LinkCardsThatExist) {
  static const advise::Catalogue catalogue = advise::Catalogue::load(known()).value();
  for (const knowledge::CodeRule& rule : rules(GetParam()).all()) {
    for (const std::string_view id : rule.recommendations) EXPECT_TRUE(catalogue.card(id)) << rule.where << " " << id;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RulesOf, ::testing::Values("ptx", "cubin"), [](const auto& info) { return std::string(info.param); });

// A column of global memory and one of a tile in shared memory.
constexpr const char* walks_columns = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
.maxnreg 32
{
  .shared .align 4 .b8 tile[4096];
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 128;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4];
  mul.wide.u32 %rd5, %r1, 8;
  add.s64 %rd5, %rd2, %rd5;
  st.global.u32 [%rd5], %r2;
  st.global.u32 [%rd5+4], %r2;
  shl.b32 %r3, %r1, 7;
  mov.u32 %r4, tile;
  add.s32 %r5, %r4, %r3;
  st.shared.u32 [%r5], %r2;
  ret;
}
)";

// A name nobody supplies would silently close a rule.
TEST(PtxRules, AskForFactsThatExist) {
  model::ptx::Module module = ingest::ptx::read_module("k.ptx", walks_columns).value();
  ingest::ptx::InstructionSet::load(known().library).value().describe(module);
  derive::ptx::Compiled compiled{.registers = 8, .stack_bytes = 0, .spill_store_bytes = 0, .spill_load_bytes = 0, .source = "ptxas"};
  const model::CodeSubject subject = subject_of(module, derive::ptx::kernel_facts(module, module.functions[0]), &compiled);
  for (const knowledge::CodeRule& rule : rules("ptx").all()) {
    for (const knowledge::CodeCondition& condition : rule.conditions)
      EXPECT_TRUE(subject.find(condition.fact)) << rule.where << " " << condition.fact;
    if (!rule.at.empty()) EXPECT_TRUE(subject.find(rule.at)) << rule.where << " at: " << rule.at;
    EXPECT_EQ(detect::filled(rule.message, subject).find('{'), std::string::npos)
        << rule.where << " " << detect::filled(rule.message, subject);
  }
}

TEST(PtxLabels, ScoresAreSharesAndFollowTheirPoints) {
  const knowledge::CodeLabels labels = knowledge::CodeLabels::load(known().library, "ptx").value();
  ASSERT_GE(labels.all().size(), 5u);
  for (const knowledge::CodeLabel& label : labels.all()) {
    for (const double at : {-1.0, 0.0, 0.5, 48.0, 64.0, 1e9}) {
      EXPECT_GE(label.score_at(at), 0) << label.id;
      EXPECT_LE(label.score_at(at), 1) << label.id;
    }
  }
  const auto pressure = std::ranges::find(labels.all(), "ptx_register_pressure", &knowledge::CodeLabel::id);
  EXPECT_DOUBLE_EQ(pressure->score_at(48), 0.50);
  EXPECT_DOUBLE_EQ(pressure->score_at(56), 0.625);
  EXPECT_DOUBLE_EQ(pressure->score_at(64), 0.75);
}

}  // namespace
}  // namespace frx::testing
