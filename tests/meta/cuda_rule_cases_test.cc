// Every rule of data/code_rules/cuda brings its own test cases; here they are run.
//
//   cases:
//     - name: neighbouring threads a row apart
//       source: | ...
//       expect: fires            # or: silent
//       gpu: sm_90               # optional; sm_80 otherwise
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "derive/cuda/inspect.h"
#include "detect/cuda_findings.h"
#include "ingest/cuda/read_source.h"
#include "knowledge/code_rules.h"
#include "knowledge/knowledge.h"
#include "meta/repository.h"

namespace frx::testing {
namespace {

const knowledge::CodeRules& cuda_rules() {
  static const knowledge::Library library = knowledge::Library::builtin();
  static const knowledge::CodeRules all = knowledge::CodeRules::load(library, "cuda").value();
  return all;
}

const knowledge::SmLimits* limits_of(std::string_view sm) {
  static const knowledge::Knowledge known = knowledge::Knowledge::load("").value();
  for (const knowledge::SmLimits& limits : known.gpus.all_limits()) {
    if (limits.family_key == sm) return &limits;
  }
  return nullptr;
}

struct CudaRuleCase {
  const knowledge::CodeRule* rule;
  Value entry;

  friend void PrintTo(const CudaRuleCase& one, std::ostream* out) { *out << one.entry.where(); }
};

std::vector<CudaRuleCase> cuda_rule_cases() {
  std::vector<CudaRuleCase> all;
  for (const knowledge::CodeRule& rule : cuda_rules().all()) {
    for (std::size_t i = 0; i < rule.cases.size(); ++i) all.push_back({&rule, rule.cases.item(i)});
  }
  return all;
}

std::string cuda_case_name(const ::testing::TestParamInfo<CudaRuleCase>& info) {
  std::string name(info.param.rule->id);
  name += "__";
  for (const char c : info.param.entry["name"].text()) {
    const bool keep = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (keep || name.back() != '_') name += keep ? c : '_';
  }
  return name;
}

class CudaRuleCases : public ::testing::TestWithParam<CudaRuleCase> {};

TEST_P(CudaRuleCases, AnswersAsItsYamlSays) {
  const auto& [rule, entry] = GetParam();
  const std::string_view gpu = entry["gpu"] ? entry["gpu"].text() : "sm_80";
  ASSERT_NE(limits_of(gpu), nullptr) << entry.where() << ": " << gpu;
  const std::vector<model::cuda::Source> sources{ingest::cuda::read_source("case.cu", std::string(entry["source"].text())).value()};
  EXPECT_EQ(sources[0].errors, 0u) << entry.where() << ": the source is not understood";
  const model::cuda::Inspection inspection = derive::cuda::inspect(sources, {limits_of(gpu)});
  const std::vector<model::Finding> findings = detect::examine_cuda(cuda_rules(), inspection, sources, gpu).findings;
  const auto at = std::ranges::find(findings, rule->id, &model::Finding::id);
  EXPECT_EQ(at == findings.end() ? "silent" : "fires", entry["expect"].text()) << entry.where();
  if (at == findings.end()) return;
  EXPECT_GT(at->place().line, 0u);
  EXPECT_GT(at->place().column, 0u);
  EXPECT_FALSE(at->snippet.empty());
  EXPECT_FALSE(at->kernel.empty());
  EXPECT_EQ(at->message.view().find('{'), std::string::npos) << "a fact of the message is not known: " << at->message.view();
}

INSTANTIATE_TEST_SUITE_P(Data, CudaRuleCases, ::testing::ValuesIn(cuda_rule_cases()), cuda_case_name);

TEST(CudaRules, AreTheDocumentedOnesInTheirOrder) {
  const std::vector<std::string_view> documented = {"uncoalesced_access",
                                                    "no_shared_memory_tiling",
                                                    "missing_vectorized_loads",
                                                    "unnecessary_syncthreads",
                                                    "conditional_syncthreads",
                                                    "shared_memory_without_barrier",
                                                    "sync_inside_tight_loop",
                                                    "warp_level_sync_misuse",
                                                    "no_thread_indexing_detected",
                                                    "missing_obvious_bounds_guard",
                                                    "bounds_check_inside_hot_loop",
                                                    "excessive_branching",
                                                    "warp_divergence",
                                                    "high_register_pressure",
                                                    "large_static_shared_memory",
                                                    "possible_shared_memory_bank_conflict",
                                                    "low_theoretical_occupancy",
                                                    "poor_block_size_subwarp",
                                                    "poor_block_size_unaligned",
                                                    "fp32_only_matmul",
                                                    "missing_wmma_mma_path",
                                                    "dimensions_not_tensor_core_friendly",
                                                    "missing_barrier_between_phases",
                                                    "warp_synchronous_without_syncwarp",
                                                    "grid_exchange_without_sync",
                                                    "divergent_collective",
                                                    "full_mask_in_divergent_code",
                                                    "lock_without_fence"};
  std::vector<std::string_view> ours;
  for (const knowledge::CodeRule& rule : cuda_rules().all()) ours.push_back(rule.id);
  ASSERT_GE(ours.size(), documented.size());
  ours.resize(documented.size());  // rules that the documentation does not have stand behind them
  EXPECT_EQ(ours, documented);
}

TEST(CudaRules, AreShownToFireAndToBeSilent) {
  for (const knowledge::CodeRule& rule : cuda_rules().all()) {
    std::set<std::string_view> shown;
    for (std::size_t i = 0; i < rule.cases.size(); ++i) shown.insert(rule.cases.item(i)["expect"].text());
    EXPECT_TRUE(shown.contains("fires")) << rule.where << ": no case in which " << rule.id << " fires";
    EXPECT_TRUE(shown.contains("silent")) << rule.where << ": no case in which " << rule.id << " is silent";
  }
}

TEST(CudaRules, LinkOnlyCardsThatThereAre) {
  for (const knowledge::CodeRule& rule : cuda_rules().all()) {
    for (const std::string_view card : rule.recommendations) {
      EXPECT_TRUE(fs::exists(repository() / "data/recommendations" / (std::string(card) + ".yaml"))) << rule.where << ": " << card;
    }
  }
}

TEST(CudaRules, SayWhatToDoAndWhatWouldRefuteThem) {
  for (const knowledge::CodeRule& rule : cuda_rules().all()) {
    EXPECT_FALSE(rule.suggestion.empty()) << rule.where;
    EXPECT_FALSE(rule.refute.empty()) << rule.where;
  }
}

}  // namespace
}  // namespace frx::testing
