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
  static const knowledge::CodeRules cuda = knowledge::CodeRules::load(known().library, "cuda").value();
  return kind == "ptx" ? ptx : kind == "cubin" ? cubin : cuda;
}

model::CodeSubject subject_given(const Value& given) {
  model::CodeSubject subject;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Value value = given.value(i);
    const std::optional<model::CodeFactId> id = model::code_fact_called(given.key(i));
    if (!id) {
      ADD_FAILURE() << value.where() << ": no fact '" << given.key(i) << "'";
    } else if (const auto truth = value.boolean()) {
      subject.set(*id, *truth);
    } else if (const auto number = value.number()) {
      subject.set(*id, *number);
    } else {
      subject.set(*id, std::string(value.text()));
    }
  }
  return subject;
}

const knowledge::CodeFactCatalogue& facts() {
  static const knowledge::CodeFactCatalogue all = knowledge::CodeFactCatalogue::load(known().library).value();
  return all;
}

void expect_as_declared(model::CodeFactId id, const model::CodeFact& fact) {
  using Definition = knowledge::CodeFactDefinition;
  const std::string_view name = model::code_fact_names[static_cast<std::size_t>(id)];
  const Definition& declared = facts()[id];
  EXPECT_EQ(fact.value.index(), declared.type == Definition::truth ? 0u : declared.type == Definition::number ? 1u : 2u) << name;
  const double* const number = std::get_if<double>(&fact.value);
  if (!number) return;
  EXPECT_GE(*number, declared.min.value_or(*number)) << name;
  EXPECT_LE(*number, declared.max.value_or(*number)) << name;
  if (declared.is_whole) EXPECT_EQ(*number, std::floor(*number)) << name;
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
  EXPECT_EQ(detect::holds(*rule, subject_given(entry["given"]), entry["gpu"].text()).value_or(false), expected == "fires")
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

// What a profile would show is a condition over the metrics of profiles.
TEST_P(RulesOf, ExpectInProfilesWhatCanBeMeasured) {
  const knowledge::Scope metrics = [](std::string_view name) -> std::optional<knowledge::Operand> {
    const auto metric = known().metrics.with_id(name);
    return metric ? std::optional(knowledge::Operand{metric->index, known().metrics[*metric].unit}) : std::nullopt;
  };
  for (const knowledge::CodeRule& rule : rules(GetParam()).all()) {
    if (!rule.ncu_signals) continue;
    const auto read = knowledge::Expression::parse(rule.ncu_signals.text(), metrics, rule.ncu_signals.where());
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_TRUE(read->is_truth()) << rule.ncu_signals.where();
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RulesOf, ::testing::Values("ptx", "cubin", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

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

// A fact that is declared and never supplied would suppress the rules that ask for it.
TEST(PtxFacts, AreSuppliedAsDeclared) {
  model::ptx::Module module = ingest::ptx::read_module("k.ptx", walks_columns).value();
  ingest::ptx::InstructionSet::load(known().library).value().describe(module);
  derive::ptx::Compiled compiled{.registers = 8, .stack_bytes = 0, .spill_store_bytes = 0, .spill_load_bytes = 0, .source = "ptxas"};
  const model::CodeSubject subject = subject_of(module, derive::ptx::kernel_facts(module, module.functions[0]), &compiled);
  for (std::size_t i = 0; i < model::code_fact_count; ++i) {
    const auto id = static_cast<model::CodeFactId>(i);
    const std::string_view name = model::code_fact_names[i];
    const bool is_declared = facts().of("ptx_kernel", name).has_value();
    // Only where such an access is costly.
    const bool is_optional = name.ends_with("_sentence");
    EXPECT_TRUE((subject.find(id) != nullptr) == is_declared || is_optional) << name;
    if (subject.find(id)) expect_as_declared(id, *subject.find(id));
  }
}

const knowledge::CodeLabels& labels() {
  static const knowledge::CodeLabels all = knowledge::CodeLabels::load(known().library, "ptx").value();
  return all;
}

TEST(PtxLabels, AnswerAsTheirCasesSay) {
  for (const knowledge::CodeLabel& label : labels().all()) {
    std::set<std::string_view> shown;
    for (std::size_t i = 0; i < label.cases.size(); ++i) {
      const Value entry = label.cases.item(i);
      const model::CodeSubject file = subject_given(entry["given"]);
      const std::optional<bool> holds = label.when.truth(knowledge::lookup_in(file));
      EXPECT_EQ(entry["expect"].text(), !holds ? "cannot tell" : *holds ? "fires" : "clear") << entry.where();
      shown.insert(entry["expect"].text());
      if (!holds.value_or(false)) continue;
      ASSERT_TRUE(entry["score"].number()) << entry.where();
      EXPECT_DOUBLE_EQ(label.score.number(knowledge::lookup_in(file)).value_or(-1), *entry["score"].number()) << entry.where();
    }
    EXPECT_EQ(shown.size(), 3u) << label.where << ": a case for each of fires, clear and cannot tell";
  }
}

}  // namespace
}  // namespace frx::testing
