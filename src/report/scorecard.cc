#include "report/scorecard.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <unordered_map>

#include "base/text.h"

namespace frx::report {
namespace {

using derive::compare::KernelPair;
using knowledge::Scorecard;
using knowledge::ScoreDimension;

using Scores = std::pair<std::optional<double>, std::optional<double>>;

// The mean over pairs of kernels that differ. Kernels that are alike on both sides count for neither, and would hide one that was fixed
// among many.
class PairedMean {
 public:
  void add(double first, double second) {
    Sum& sum = first == second ? alike_ : different_;
    sum.first += first;
    sum.second += second;
    ++sum.count;
  }
  Scores scores() const {
    const Sum& sum = different_.count > 0 ? different_ : alike_;
    if (sum.count == 0) return {};
    return {sum.first / sum.count, sum.second / sum.count};
  }

 private:
  struct Sum {
    double first = 0, second = 0, count = 0;
  };
  Sum alike_, different_;
};

constexpr std::size_t reasons_at_most = 3;  // of registers, which differ in almost every kernel

std::string moved(std::string_view what, double first, double second, std::string_view unit) {
  return fmt::format("{} {:.4g} -> {:.4g}{}{}", what, first, second, unit.empty() ? "" : " ", unit);
}

// What each kernel reads for each byte that it writes, by name; of several with one name the first one counts.
using Reads = std::unordered_map<std::string_view, std::optional<double>>;
Reads reads_of(const CudaReport& report) {
  Reads reads;
  for (const model::cuda::Kernel& kernel : report.inspection.kernels) reads.emplace(kernel.name, kernel.global_reads_per_write);
  return reads;
}

// The same of a group of kernels: the most; absent when that is unknown of one.
std::optional<double> reads_of(const Reads& reads, const std::vector<std::string>& symbols, const std::vector<std::size_t>& group) {
  double most = 0;
  for (const std::size_t i : group) {
    const auto kernel = reads.find(symbols[i]);
    if (kernel == reads.end() || !kernel->second) return std::nullopt;
    most = std::max(most, *kernel->second);
  }
  return most > 0 ? std::optional(most) : std::nullopt;
}

// The share of its score that is left to the side that reads more, for each pair; 1 where that is unknown.
using SharesLeft = std::vector<std::pair<double, double>>;
SharesLeft shares_by_reads(const Implementation& first, const Implementation& second, const FindingChanges& changes, const Scorecard& card,
                           std::vector<std::string>& reasons) {
  SharesLeft left(changes.pairs.size(), {1, 1});
  const Reads of_first = reads_of(*first.cuda), of_second = reads_of(*second.cuda);
  for (std::size_t i = 0; i < changes.pairs.size(); ++i) {
    const KernelPair& pair = changes.pairs[i];
    if (!changes.is_comparable[i] || !pair.is_on_both_sides()) continue;
    const auto a = reads_of(of_first, changes.first_symbols, pair.first), b = reads_of(of_second, changes.second_symbols, pair.second);
    if (!a || !b) continue;
    const double ratio = std::max(*a, *b) / std::min(*a, *b);
    if (ratio < card.reads_ignored_below) continue;
    (*a > *b ? left[i].first : left[i].second) = 1 / (1 + std::log(ratio) / std::log(card.reads_halved_at));
    if (reasons.size() < reasons_at_most)
      reasons.push_back(moved("bytes read for each one written", *a, *b, "") + " (" + changes.kernel_of(pair) + ")");
  }
  return left;
}

// Each finding of the dimension subtracts its share of the remaining score.
Scores by_findings(const FindingChanges& changes, const std::vector<std::string_view>& rules, const Scorecard& card,
                   std::vector<std::string>& reasons, SharesLeft left = {}) {
  left.resize(changes.pairs.size(), {1, 1});
  std::vector<const FindingChange*> gone_or_new;
  for (const FindingChange& change : changes.all) {
    if (!change.is_comparable || std::ranges::find(rules, change.code) == rules.end()) continue;
    if (change.first) left[change.pair].first *= 1 - card.penalty_of(*change.first);
    if (change.second) left[change.pair].second *= 1 - card.penalty_of(*change.second);
    if (change.change() != Change::persistent) gone_or_new.push_back(&change);
  }
  const std::vector<std::string> sentences = sentences_of(gone_or_new);
  reasons.insert(reasons.begin(), sentences.begin(), sentences.end());
  PairedMean mean;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (changes.is_comparable[i]) mean.add(left[i].first, left[i].second);
  }
  return mean.scores();
}

// Registers and spills of a kernel, or of the one of a group that needs most.
struct RegisterUse {
  std::optional<double> compiled, estimated;  // by a compiler; from the values alive at once
  bool spills = false, probably_spills = false;

  void add(const RegisterUse& other) {
    compiled = std::max(compiled, other.compiled);
    estimated = std::max(estimated, other.estimated);
    spills = spills || other.spills;
    probably_spills = probably_spills || other.probably_spills;
  }
  std::optional<double> registers(bool by_compiler) const { return by_compiler ? compiled : estimated; }
  bool is_spilling(bool by_compiler) const { return by_compiler ? spills : probably_spills; }
};
using RegisterUses = std::map<std::string_view, RegisterUse>;  // by symbol

RegisterUses register_uses(const PtxReport& report) {
  RegisterUses uses;
  for (const diagnose::PtxKernel& kernel : report.diagnosis.kernels) {
    RegisterUse use;
    if (const auto registers = derive::ptx::registers_of(kernel.facts, nullptr)) use.estimated = *registers;
    if (kernel.compiled) use.compiled = derive::ptx::registers_of(kernel.facts, kernel.compiled);
    use.spills = kernel.compiled && kernel.compiled->spill_store_bytes.value_or(0) > 0;
    use.probably_spills = kernel.probably_spills;
    uses[kernel.facts.name].add(use);
  }
  return uses;
}

RegisterUse use_of(const RegisterUses& uses, const std::vector<std::string>& symbols, const std::vector<std::size_t>& group) {
  RegisterUse most;
  for (const std::size_t i : group) {
    if (const auto at = uses.find(symbols[i]); at != uses.end()) most.add(at->second);
  }
  return most;
}

double register_score(double registers, bool spills, const Scorecard& card) {
  const double raw = std::clamp(1 - (registers - card.registers_full) / (card.registers_none - card.registers_full), 0.0, 1.0);
  return spills ? raw * (1 - card.spill_penalty) : raw;
}

Scores by_registers_of_ptx(const Implementation& first, const Implementation& second, const FindingChanges& changes, const Scorecard& card,
                           std::vector<std::string>& reasons) {
  const RegisterUses of_first = register_uses(*first.ptx), of_second = register_uses(*second.ptx);
  PairedMean mean;
  for (const KernelPair& pair : changes.pairs) {
    const RegisterUse a = use_of(of_first, changes.first_symbols, pair.first);
    const RegisterUse b = use_of(of_second, changes.second_symbols, pair.second);
    // An estimate is held against an estimate: what a compiler says replaces it where it said so of both.
    const bool known = a.compiled && b.compiled;
    const auto of_a = a.registers(known), of_b = b.registers(known);
    if (!of_a || !of_b) continue;
    const bool a_spills = a.is_spilling(known), b_spills = b.is_spilling(known);
    mean.add(register_score(*of_a, a_spills, card), register_score(*of_b, b_spills, card));
    if (reasons.size() >= reasons_at_most) continue;
    const std::string kernel = changes.kernel_of(pair);
    if (*of_a != *of_b) reasons.push_back(moved("registers per thread", *of_a, *of_b, "") + " (" + kernel + ")");
    if (a_spills != b_spills) reasons.push_back(fmt::format("spills {} ({})", b_spills ? "are new" : "are gone", kernel));
  }
  return mean.scores();
}

// A counter that is a score by itself, or is converted to one.
struct Counter {
  std::string_view key;
  double weight = 1;
  std::function<double(double)> score = [](double percent) { return std::clamp(percent / 100, 0.0, 1.0); };
};

// The weighted mean over counters that both sides have.
Scores by_counters(const LayerDiff& ncu, const std::vector<Counter>& counters, std::vector<std::string>& reasons) {
  double first = 0, second = 0, weights = 0;
  for (const Counter& counter : counters) {
    const NumberRow* row = ncu.number(counter.key);
    if (!row || !row->first || !row->second) continue;
    first += counter.weight * counter.score(*row->first);
    second += counter.weight * counter.score(*row->second);
    weights += counter.weight;
    if (*row->first != *row->second) reasons.push_back(moved(row->label, *row->first, *row->second, row->unit));
  }
  if (weights == 0) return {};
  return {first / weights, second / weights};
}

// The counters of each dimension. Weights among them are those of the reference implementation, without the share that rewarded an idle
// DRAM: its utilisation means nothing without the time, and time decides anyway. Tensor cores that neither side uses are no fault of either
// and not counted.
std::vector<Counter> counters_of(std::string_view dimension, const LayerDiff& ncu, const Scorecard& card) {
  if (dimension == "memory_efficiency")
    return {{.key = "avg_l1_cache_hit_rate_pct", .weight = 0.4}, {.key = "avg_l2_cache_hit_rate_pct", .weight = 0.3}};
  if (dimension == "launch_efficiency") return {{.key = "avg_occupancy_pct"}};
  if (dimension == "register_efficiency")
    return {{.key = "registers_per_thread", .score = [&card](double registers) { return register_score(registers, false, card); }}};
  if (dimension != "compute_efficiency") return {};
  std::vector<Counter> counters = {
      {.key = "avg_issue_slot_utilization_pct", .weight = 0.6},
      {.key = "memory_stall_fraction", .weight = 0.2, .score = [](double share) { return 1 - std::clamp(share, 0.0, 1.0); }}};
  const NumberRow* tensor = ncu.number("avg_tensor_core_utilization_pct");
  if (tensor && (tensor->first.value_or(0) > 1 || tensor->second.value_or(0) > 1))
    counters.push_back({.key = "avg_tensor_core_utilization_pct", .weight = 0.2});
  return counters;
}

// The input of all scores.
struct ScoredEvidence {
  const Implementation &first, &second;
  const FindingChanges *source, *ptx;
  const LayerDiff& ncu;
  const Scorecard& card;
};

bool take(DimensionScore& score, std::string_view layer, const Scores& scores) {
  if (!scores.first || !scores.second) return false;
  score.layer = layer;
  score.first = scores.first;
  score.second = scores.second;
  return true;
}

DimensionScore scored(const ScoreDimension& dimension, const ScoredEvidence& e) {
  DimensionScore score;
  score.dimension = &dimension;
  if (take(score, "ncu", by_counters(e.ncu, counters_of(dimension.id, e.ncu, e.card), score.reasons))) return score;
  if (dimension.id == "register_efficiency") {
    if (e.ptx) take(score, "ptx", by_registers_of_ptx(e.first, e.second, *e.ptx, e.card, score.reasons));
    return score;
  }
  if (e.source) {
    SharesLeft left;
    if (dimension.id == "memory_efficiency") left = shares_by_reads(e.first, e.second, *e.source, e.card, score.reasons);
    if (take(score, "source", by_findings(*e.source, dimension.cuda, e.card, score.reasons, std::move(left)))) return score;
  }
  if (e.ptx && !dimension.ptx.empty()) take(score, "ptx", by_findings(*e.ptx, dimension.ptx, e.card, score.reasons));
  return score;
}

void add_totals(ScoredImplementations& all) {
  double first = 0, second = 0, weights = 0;
  for (const DimensionScore& score : all.dimensions) {
    if (!score.is_comparable()) continue;
    first += score.dimension->weight * *score.first;
    second += score.dimension->weight * *score.second;
    weights += score.dimension->weight;
  }
  if (weights == 0) return;
  all.first = first / weights;
  all.second = second / weights;
}

}  // namespace

std::optional<Side> DimensionScore::winner(double tie_band) const {
  if (!is_comparable()) return {};
  if (std::abs(*first - *second) < tie_band) return Side::neither;
  return *first > *second ? Side::first : Side::second;
}

ScoredImplementations score(const Implementation& first, const Implementation& second, const FindingChanges* source,
                            const FindingChanges* ptx, const LayerDiff& ncu, const knowledge::Scorecard& card) {
  const ScoredEvidence evidence{first, second, source, ptx, ncu, card};
  ScoredImplementations all;
  for (const ScoreDimension& dimension : card.dimensions) all.dimensions.push_back(scored(dimension, evidence));
  add_totals(all);
  return all;
}

}  // namespace frx::report
