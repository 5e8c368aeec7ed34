// Rules that no facts can satisfy, cards that no rule can propose, and names that no condition uses.
//
// The search (support/satisfy.h) takes facts to be independent within their declared ranges; thresholds that a user may
// lay over ours may have any value up to twice the default.
#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "advise/catalogue.h"
#include "knowledge/code_labels.h"
#include "knowledge/code_rules.h"
#include "knowledge/run_labels.h"
#include "support/satisfy.h"

namespace frx::testing {
namespace {

using advise::Domain;
using advise::domain_count;
using advise::Names;
using knowledge::Expression;
using knowledge::Operand;

const knowledge::Knowledge& all_knowledge() {
  static const knowledge::Knowledge all = knowledge::Knowledge::load("").value();
  return all;
}
const advise::Catalogue& catalogue() {
  static const advise::Catalogue all = advise::Catalogue::load(all_knowledge()).value();
  return all;
}
const Names& names() { return catalogue().names(); }
const knowledge::CodeFactCatalogue& code_facts() {
  static const knowledge::CodeFactCatalogue all = knowledge::CodeFactCatalogue::load(all_knowledge().library).value();
  return all;
}

SlotRange declared(const knowledge::FactDefinition& fact) {
  constexpr double many = 1e12;
  return {fact.min.value_or(-many), fact.max.value_or(many), fact.is_whole || fact.type == knowledge::FactDefinition::truth};
}

const std::vector<knowledge::FactDefinition>& run_facts() {
  static const std::vector<knowledge::FactDefinition> all = [] {
    std::vector<knowledge::FactDefinition> facts;
    const Value list = all_knowledge().library.file("data/facts/run.yaml")["facts"];
    for (std::size_t i = 0; i < list.size(); ++i) facts.push_back(knowledge::read_fact(list.item(i)).value());
    return facts;
  }();
  return all;
}

SlotRange range_of(Domain domain, std::uint32_t slot) {
  namespace slots = advise::slots;
  constexpr double many = 1e12;
  if (slot >= slots::other_domain) return {0, 0, true, true, false};
  if (slot >= slots::threshold && slot < slots::label) {
    const std::uint32_t offset = slot - slots::threshold;
    if (offset % 2 != 0) return {0, 1, true, false, true};
    return {0, 2 * names().thresholds().of_slot(offset), false, false, true};
  }
  if (slot >= slots::fact && slot < slots::threshold) return declared(names().facts(domain)[slot - slots::fact]);
  if (domain == Domain::run) return declared(run_facts()[slot]);
  if (domain == Domain::ptx) return declared(code_facts()[static_cast<model::CodeFactId>(slot)]);
  if (slot >= slots::program_class) return {1, 1, true, true, true};
  if (slot >= slots::kernel_class) return {0, 1, true, false, true};
  const knowledge::MetricDefinition& metric = all_knowledge().metrics[model::Metric{static_cast<std::uint16_t>(slot)}];
  return {0, metric.max.value_or(metric.unit_text == "%" ? 100 : many), false};
}

// The names of a domain, in which the state of a label is its condition: what a rule asks is then asked of facts alone.
class Vocabulary {
 public:
  explicit Vocabulary(Domain domain) : domain_(domain) {}

  const Expression& read(std::string_view text) {
    const auto scope = [this](std::string_view name) { return operand(name); };
    return *kept_.emplace_back(std::make_unique<Expression>(Expression::parse(text, scope, std::string(text)).value()));
  }

  // True where the label holds: of several entries of one label any, but none that is unproven.
  const Expression& label(std::string_view id) { return entry(id, "when"); }
  const Expression& score(std::string_view id) { return entry(id, "score"); }

  Satisfied satisfied(const std::vector<Constraint>& constraints) const {
    return satisfy(constraints, [this](std::uint32_t slot) { return range_of(domain_, slot); });
  }

 private:
  std::optional<Operand> operand(std::string_view name) {
    for (const Names::Signal& signal : names().signals(domain_)) {
      if (signal.id == name) return Operand{.meaning = &read(signal.is.text())};
    }
    if (name.starts_with("label.") && name.ends_with(".score")) return Operand{.meaning = &score(name.substr(6, name.size() - 12))};
    if (name.starts_with("label.")) return Operand{.meaning = &label(name.substr(6))};
    return names().find(domain_, name);
  }

  const Expression& entry(std::string_view id, std::string_view key) {
    if (domain_ == Domain::kernel) return of_root(all_knowledge().library.file("data/bottlenecks/" + std::string(id) + ".yaml"), key);
    if (domain_ == Domain::run) return of_root(all_knowledge().library.file("data/run_labels/" + std::string(id) + ".yaml"), key);
    std::string all;
    const Value entries = all_knowledge().library.file("data/code_labels/ptx.yaml")["labels"];
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Value one = entries.item(i);
      if (one["id"].text() != id || one["proof"].text() == "unproven") continue;
      if (key == "score" && !all.empty()) continue;
      all += (all.empty() ? "(" : " or (") + std::string(one[key].text()) + ")";
    }
    return read(all);
  }
  // Without a condition it is said where nothing else is.
  const Expression& of_root(const Value& root, std::string_view key) {
    return read(root[key] ? root[key].text() : key == "when" ? "0 < 1" : "1");
  }

  Domain domain_;
  std::deque<std::unique_ptr<Expression>> kept_;
};

// Beside the condition of the rule: its bottleneck holds, strongly enough, and nothing suppresses it.
std::vector<Constraint> constraints_of(const advise::Rule& rule, Vocabulary& words) {
  std::vector<Constraint> all{{&words.label(rule.bottleneck), Constraint::holds},
                              {&words.score(rule.bottleneck), Constraint::at_least, rule.min_score}};
  if (rule.when) all.push_back({&words.read(rule.when.text()), Constraint::holds});
  if (rule.suppressed_if) all.push_back({&words.read(rule.suppressed_if.text()), Constraint::does_not_surely_hold});
  return all;
}

Satisfied::Answer proposes(const advise::Rule& rule, const advise::Card& card) {
  Vocabulary words(rule.domain);
  std::vector<Constraint> constraints = constraints_of(rule, words);
  if (card.never_when) constraints.push_back({&words.read(card.never_when.text()), Constraint::does_not_surely_hold});
  return words.satisfied(constraints).answer;
}

TEST(Reachable, EveryRuleOfAdviceCanHold) {
  for (const advise::Rule& rule : catalogue().rules()) {
    Vocabulary words(rule.domain);
    EXPECT_EQ(words.satisfied(constraints_of(rule, words)).answer, Satisfied::yes)
        << rule.where << ": no facts satisfy " << rule.id << ", its label and what suppresses it";
  }
}

TEST(Reachable, EveryCardIsProposedForSomeFacts) {
  std::set<const advise::Card*> proposed;
  for (const advise::Rule& rule : catalogue().rules()) {
    for (const advise::Card* card : rule.cards) {
      const Satisfied::Answer answer = proposes(rule, *card);
      if (answer == Satisfied::yes) proposed.insert(card);
      EXPECT_NE(answer, Satisfied::no) << rule.where << ": " << rule.id << " can never propose " << card->id;
    }
  }
  for (const advise::Card& card : catalogue().cards()) {
    EXPECT_TRUE(proposed.contains(&card)) << card.where << ": no rule proposes " << card.id << " for any facts";
  }
}

// What leads says what to do about it: of each cause some rule proposes a card.
TEST(Reachable, EveryCauseHasACardForSomeFacts) {
  std::set<std::string_view> answered;
  for (const advise::Rule& rule : catalogue().rules()) {
    for (const advise::Card* card : rule.cards) {
      if (proposes(rule, *card) == Satisfied::yes) answered.insert(rule.bottleneck);
    }
  }
  for (const Value& root : all_knowledge().library.folder("bottlenecks")) {
    if (root["kind"].text() == "symptom") continue;
    EXPECT_TRUE(answered.contains(root["id"].text())) << root.where() << ": nothing is advised for " << root["id"].text();
  }
  for (const Value& root : all_knowledge().library.folder("run_labels")) {
    if (root["kind"].text() != "cause") continue;
    EXPECT_TRUE(answered.contains(root["id"].text())) << root.where() << ": nothing is advised for " << root["id"].text();
  }
}

TEST(Reachable, WhatIsWithheldCanBe) {
  for (const advise::WithheldRule& rule : catalogue().withheld()) {
    Vocabulary words(*names().domain_of(rule.bottleneck));
    EXPECT_EQ(words.satisfied({{&words.label(rule.bottleneck)}, {&words.read(rule.when.text())}}).answer, Satisfied::yes) << rule.id;
  }
}

TEST(Reachable, EverySignalCanHoldAndCanFail) {
  for (const Domain domain : {Domain::kernel, Domain::run, Domain::ptx}) {
    for (const Names::Signal& signal : names().signals(domain)) {
      Vocabulary words(domain);
      const Expression& condition = words.read(signal.id);
      if (!condition.is_truth()) continue;
      EXPECT_EQ(words.satisfied({{&condition}}).answer, Satisfied::yes) << signal.is.where() << ": " << signal.id << " never holds";
      EXPECT_EQ(words.satisfied({{&condition, Constraint::does_not_surely_hold}}).answer, Satisfied::yes)
          << signal.is.where() << ": " << signal.id << " always holds";
    }
  }
}

TEST(Reachable, EveryLabelCanHold) {
  for (const Domain domain : {Domain::kernel, Domain::run, Domain::ptx}) {
    for (const std::string_view id : names().labels(domain)) {
      Vocabulary words(domain);
      EXPECT_EQ(words.satisfied({{&words.label(id)}}).answer, Satisfied::yes) << id;
    }
  }
}

TEST(Reachable, EveryRuleAboutCodeCanHold) {
  const auto range = [](std::uint32_t slot) { return declared(code_facts()[static_cast<model::CodeFactId>(slot)]); };
  for (const char* kind : {"cuda", "ptx", "cubin"}) {
    const knowledge::CodeRules rules = knowledge::CodeRules::load(all_knowledge().library, kind).value();
    for (const knowledge::CodeRule& rule : rules.all()) {
      EXPECT_EQ(satisfy({{&rule.when}}, range).answer, Satisfied::yes) << rule.where << ": no facts satisfy " << rule.id;
      for (const auto& [sm, special] : rule.architectures) {
        if (special.when.empty()) continue;
        EXPECT_EQ(satisfy({{&special.when}}, range).answer, Satisfied::yes)
            << rule.where << ": no facts satisfy " << rule.id << " on " << sm;
      }
    }
  }
}

// ---- Names

// The words of an expression that may be names.
void add_words(std::string_view text, std::set<std::string>& into) {
  std::string word;
  for (const char c : std::string(text) + " ") {
    const bool is_part = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (is_part) {
      word += c;
    } else if (!word.empty()) {
      into.insert(std::exchange(word, {}));
    }
  }
}

// Every name that rules, cards and named expressions of advice ask for.
std::set<std::string> names_asked_for() {
  std::set<std::string> asked{"num_gpus"};
  for (const Value& root : all_knowledge().library.folder("recommendations")) {
    for (const char* key : {"never_when", "unverified_when"}) add_words(root[key].text(), asked);
    for (const char* list : {"rules", "withheld"}) {
      for (std::size_t i = 0; i < root[list].size(); ++i) {
        for (const char* key : {"when", "suppressed_if"}) add_words(root[list].item(i)[key].text(), asked);
        for (const std::string_view name : root[list].item(i)["evidence"].texts()) asked.emplace(name);
      }
    }
  }
  for (const Domain domain : {Domain::kernel, Domain::run, Domain::ptx}) {
    for (const Names::Signal& signal : names().signals(domain)) add_words(signal.is.text(), asked);
  }
  return asked;
}

TEST(NamesOfAdvice, AreReadable) {
  const Result<> checked = names().check();
  EXPECT_TRUE(checked) << to_string(checked.error());
}

TEST(NamesOfAdvice, AreAskedForOrDocumented) {
  const std::set<std::string> asked = names_asked_for();
  for (const Domain domain : {Domain::kernel, Domain::run, Domain::ptx}) {
    for (const Names::Signal& signal : names().signals(domain)) {
      EXPECT_NE(asked.contains(std::string(signal.id)), signal.is_documented_only)
          << signal.is.where() << ": " << signal.id
          << (signal.is_documented_only ? " is asked for after all" : ": no condition asks for it");
      EXPECT_FALSE(signal.words.empty()) << signal.is.where();
    }
  }
}

TEST(NamesOfAdvice, MeanOneThing) {
  for (const Domain domain : {Domain::kernel, Domain::run, Domain::ptx}) {
    std::set<std::string_view> seen;
    for (const Names::Signal& signal : names().signals(domain)) {
      EXPECT_TRUE(seen.insert(signal.id).second) << signal.is.where() << ": a second " << signal.id;
      if (domain == Domain::kernel) EXPECT_FALSE(all_knowledge().metrics.with_id(signal.id)) << signal.id << " is a metric";
      EXPECT_FALSE(names().thresholds().find(signal.id)) << signal.id << " is a threshold";
    }
  }
}

// A label that no rule answers and no name asks about leads to nothing.
TEST(LabelsOfEveryKind, AreAnsweredOrAskedFor) {
  std::set<std::string> used = names_asked_for();
  for (const advise::Rule& rule : catalogue().rules()) used.insert("label." + std::string(rule.bottleneck));
  for (const Domain domain : {Domain::kernel, Domain::run, Domain::ptx}) {
    for (const std::string_view id : names().labels(domain)) {
      EXPECT_TRUE(used.contains("label." + std::string(id))) << id << ": no rule answers it and no condition asks about it";
    }
  }
}

// The documented signals of kernels, runs and PTX; those that are metrics or facts have their names.
TEST(NamesOfAdvice, AreTheDocumentedOnes) {
  const auto expect = [](Domain domain, std::initializer_list<std::string_view> documented) {
    for (const std::string_view name : documented) EXPECT_TRUE(names().find(domain, name)) << name;
  };
  expect(Domain::kernel, {"memory_bandwidth_saturated",
                          "memory_bandwidth_high",
                          "dram_throughput_pct",
                          "tensor_core_underutilized",
                          "tensor_core_inactive",
                          "tensor_core_utilization_pct",
                          "l1_cache_miss_heavy",
                          "l1_cache_hit_rate_pct",
                          "l2_cache_miss_heavy",
                          "l2_cache_hit_rate_pct",
                          "uncoalesced_global_loads",
                          "avg_global_load_sectors_per_request",
                          "issue_efficiency_low",
                          "issue_efficiency_very_low",
                          "issue_slot_utilization_pct",
                          "eligible_warps_low",
                          "scheduler_active_low",
                          "occupancy_good",
                          "occupancy_low",
                          "occupancy_limited_by_registers",
                          "occupancy_limited_by_shared_memory",
                          "occupancy_limited_by_block_size",
                          "avg_occupancy_pct",
                          "warp_stall_is_memory",
                          "warp_stall_is_sync",
                          "warp_stall_is_compute",
                          "memory_stall_fraction",
                          "avg_barrier_stall_pct",
                          "avg_math_throttle_stall_pct",
                          "avg_registers_per_thread",
                          "mfu_pct",
                          "mfu_low",
                          "arithmetic_intensity",
                          "achieved_tflops",
                          "peak_tflops",
                          "peak_bw_gbps",
                          "memory_utilization_pct",
                          "roofline_ceiling_tflops",
                          "roofline_estimated",
                          "framework_pytorch",
                          "mixed_precision_enabled",
                          "is_distributed",
                          "num_gpus"});
  expect(Domain::run, {"low_gpu_activity",
                       "very_low_gpu_activity",
                       "gpu_util_pct",
                       "unstable_gpu_util",
                       "input_frac",
                       "input_pipeline_stalled",
                       "input_pipeline_severe",
                       "h2d_frac",
                       "h2d_copy_low",
                       "h2d_copy_stalled",
                       "h2d_copy_severe",
                       "sync_frac",
                       "sync_heavy",
                       "sync_severe",
                       "memory_near_capacity",
                       "memory_pressure_moderate",
                       "memory_peak_ratio",
                       "shapes_unstable",
                       "shapes_highly_unstable",
                       "shape_volatility",
                       "has_profiler_data",
                       "profiler_windows",
                       "framework_pytorch",
                       "mixed_precision_enabled",
                       "num_gpus"});
  expect(Domain::ptx,
         {"ptx_has_register_spills", "ptx_high_register_count", "ptx_very_high_register_count", "ptx_max_register_count",
          "ptx_global_memory_heavy", "ptx_max_global_memory_ratio", "ptx_no_shared_memory", "ptx_has_fp64", "ptx_has_fp64_arithmetic",
          "ptx_has_fp64_data_movement", "ptx_branch_divergence_risk", "ptx_max_branch_density", "mixed_precision_enabled", "num_gpus"});
}

// Facts of static analysis that no rule, label or message asks for.
const std::set<std::string_view> documented_facts = {
    "shared_memory_tiling", "has_loop",       "coalesced_access_count", "read_only_or_constant_cache",
    "virtual_registers",    "register_limit", "static_shared_bytes",    "divergent_branch_density"};

void add_fact_words(const Value& value, std::set<std::string>& into) {
  if (value.is_text()) add_words(value.text(), into);
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value.is_map() && value.key(i) == "cases") continue;
    add_fact_words(value.is_map() ? value.value(i) : value.item(i), into);
  }
}

TEST(CodeFacts, AreAskedForOrDocumented) {
  std::set<std::string> asked = names_asked_for();
  for (const char* folder : {"code_rules", "code_labels"}) {
    for (const Value& root : all_knowledge().library.folder(folder)) add_fact_words(root, asked);
  }
  for (const std::string_view name : model::code_fact_names) {
    EXPECT_NE(asked.contains(std::string(name)), documented_facts.contains(name)) << "data/facts/code: " << name;
  }
}

TEST(CodeFacts, AreDeclaredWithTheirMeaning) {
  for (std::size_t i = 0; i < model::code_fact_count; ++i) {
    const auto& fact = code_facts()[static_cast<model::CodeFactId>(i)];
    EXPECT_NE(fact.subjects, 0) << model::code_fact_names[i];
    EXPECT_FALSE(fact.meaning.empty()) << model::code_fact_names[i];
  }
}

TEST(FactsOfAdvice, AreDeclaredWithTheirMeaning) {
  for (const Domain domain : {Domain::kernel, Domain::run, Domain::ptx}) {
    const auto declared_facts = names().facts(domain);
    for (std::size_t i = 0; i < declared_facts.size(); ++i) {
      EXPECT_EQ(declared_facts[i].id, advise::fact_names(domain)[i]);
      EXPECT_FALSE(declared_facts[i].meaning.empty()) << declared_facts[i].id;
    }
  }
}

}  // namespace
}  // namespace frx::testing
