#include "report/implementation_comparison.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.h"
#include "base/units.h"
#include "report/implementation_catches.h"
#include "report/ncu_comparison.h"

namespace frx::report {
namespace {

using Basis = ImplementationVerdict::Basis;

// The reasons for the winner first.
void add_dimension_reasons(ImplementationComparison& c) {
  for (const bool for_winner : {true, false}) {
    for (const DimensionScore& score : c.scores.dimensions) {
      const std::optional<Side> winner = score.winner(c.card->tie_band);
      if (!winner || *winner == Side::neither || (*winner == c.verdict.winner) != for_winner) continue;
      const std::string because = score.reasons.empty() ? "" : ": " + join(score.reasons, ", ");
      const std::string_view against = for_winner || c.verdict.winner == Side::neither ? "" : "against it: ";
      c.verdict.reasons.push_back(
          fmt::format("{}{} {:.2f} -> {:.2f}{}", against, score.dimension->display, *score.first, *score.second, because));
    }
  }
}

// A tie although something was fixed: why that does not decide.
void add_unscored_reasons(ImplementationComparison& c) {
  if (c.verdict.winner != Side::neither) return;
  for (const knowledge::UnscoredRule& rule : c.card->unscored) {
    std::vector<const FindingChange*> moved;
    for (const Change which : {Change::resolved, Change::appeared}) {
      std::ranges::copy_if(c.changes(which), std::back_inserter(moved),
                           [&](const FindingChange* change) { return change->code == rule.rule; });
    }
    for (const std::string& sentence : sentences_of(moved))
      c.verdict.reasons.push_back(fmt::format("{}, which scores nothing: {}", sentence, rule.why));
  }
}

// True when the times of both sides are of the same work and determine which is faster, or that they are equal.
bool judge_by_time(ImplementationComparison& c) {
  if (!c.ncu.is_available) return false;
  const NcuComparison profiles = compare(*c.first.ncu, *c.second.ncu, c.first.label, c.second.label);
  c.notes.insert(c.notes.end(), profiles.caveats.begin(), profiles.caveats.end());
  using derive::compare::Answer;
  const ProfileJudgement& judgement = profiles.judgement;
  if (!judgement.is_comparable) return false;
  c.verdict.basis = Basis::kernel_time;
  c.verdict.winner = judgement.answer == Answer::better ? Side::second : judgement.answer == Answer::worse ? Side::first : Side::neither;
  c.verdict.first_us = profiles.baseline_us;
  c.verdict.second_us = profiles.optimized_us;
  c.verdict.reasons.push_back(fmt::format("kernel time {} -> {} ({:.2f}x)", format_quantity(*profiles.baseline_us * 1e3, "ns"),
                                          format_quantity(*profiles.optimized_us * 1e3, "ns"), *profiles.speedup));
  if (!judgement.why_not.empty()) c.verdict.reasons.push_back(judgement.why_not);
  return true;
}

void judge_by_score(ImplementationComparison& c) {
  if (!c.scores.first) return;
  c.verdict.basis = Basis::scorecard;
  const double difference = *c.scores.second - *c.scores.first;
  if (std::abs(difference) >= c.card->tie_band) c.verdict.winner = difference > 0 ? Side::second : Side::first;
  // A result that may be wrong is no improvement, whatever it costs. Where time was measured, a person has seen what it computes.
  const std::vector<const FindingChange*> doubts = doubts_about(c, c.verdict.winner);
  if (doubts.empty()) return;
  c.verdict.reasons.push_back(fmt::format("{} scores more, and may compute something else: {} holds for it alone",
                                          (c.verdict.winner == Side::second ? c.second : c.first).label, doubts.front()->code));
  c.verdict.winner = c.verdict.winner == Side::second ? Side::first : Side::second;
}

void add_incomplete(const Implementation& side, std::vector<std::string>& notes) {
  if (!side.cuda) return;
  if (const std::size_t incomplete = side.cuda->inspection.unfollowed(); incomplete > 0)
    notes.push_back(fmt::format("{}: {} too long or too deeply nested to follow to the end; findings may be missing, so it is not scored",
                                side.label, count_text(incomplete, "kernel")));
}

// Which kernels were taken as the same work, and which have no counterpart: findings of those are listed and score nothing.
void add_pairing(const FindingChanges& changes, const Implementation& first, const Implementation& second,
                 std::vector<std::string>& notes) {
  for (const derive::compare::KernelPair& pair : changes.pairs) {
    const std::string kernels = changes.kernel_of(pair);
    if (!pair.is_on_both_sides()) {
      notes.push_back(fmt::format("only in {}, and so not scored: {}", (pair.first.empty() ? second : first).label, kernels));
    } else if (pair.first.size() > 1 || pair.second.size() > 1 ||
               changes.first_kernels[pair.first[0]] != changes.second_kernels[pair.second[0]]) {
      notes.push_back("other names, taken for the same work: " + kernels);
    }
  }
}

void add_notes(ImplementationComparison& c) {
  for (const Implementation* side : {&c.first, &c.second}) {
    if (side->cuda) {
      for (const std::string& note : side->cuda->notes) c.notes.push_back(fmt::format("{}: {}", side->label, note));
    }
    add_incomplete(*side, c.notes);
  }
  if (c.source_changes) {
    add_pairing(*c.source_changes, c.first, c.second, c.notes);
  } else if (c.ptx_changes) {
    add_pairing(*c.ptx_changes, c.first, c.second, c.notes);
  }
}

Evidence evidence_of(const Implementation& side) {
  Evidence evidence;
  if (side.has_source()) evidence.add(*side.cuda);
  if (side.has_ptx()) evidence.add(*side.ptx);
  if (side.has_ncu()) evidence.add(*side.ncu);
  return evidence;
}

}  // namespace

std::vector<const FindingChange*> ImplementationComparison::changes(Change change) const {
  std::vector<const FindingChange*> all;
  for (const std::optional<FindingChanges>* layer : {&source_changes, &ptx_changes}) {
    if (!*layer) continue;
    for (const FindingChange& one : (*layer)->all) {
      const knowledge::UnscoredRule* unscored = card->unscored_rule(one.code);
      if (one.change() == change && !(unscored && unscored->is_remark)) all.push_back(&one);
    }
  }
  return all;
}

Result<ComparisonKnowledge> ComparisonKnowledge::load(const knowledge::Knowledge& knowledge) {
  ComparisonKnowledge known;
  TRY_ASSIGN(known.card, knowledge::Scorecard::load(knowledge.library));
  TRY_ASSIGN(known.diagnoses, knowledge::load_reconciliation(knowledge.library, knowledge.metrics));
  known.metrics = &knowledge.metrics;
  return known;
}

ImplementationComparison compare(Implementation first, Implementation second, const ComparisonKnowledge& known,
                                 std::vector<EvidenceFailure> failures) {
  ImplementationComparison c;
  c.first = std::move(first);
  c.second = std::move(second);
  c.failures = std::move(failures);
  c.card = &known.card;
  c.source = source_diff(c.first, c.second);
  c.ptx = ptx_diff(c.first, c.second);
  c.ncu = ncu_diff(c.first, c.second);
  if (c.source.is_available) c.source_changes = changes_in_source(*c.first.cuda, *c.second.cuda);
  if (c.ptx.is_available) c.ptx_changes = changes_in_ptx(*c.first.ptx, *c.second.ptx);
  c.scores = score(c.first, c.second, c.source_changes ? &*c.source_changes : nullptr, c.ptx_changes ? &*c.ptx_changes : nullptr, c.ncu,
                   known.card);
  if (!judge_by_time(c)) judge_by_score(c);
  add_dimension_reasons(c);
  add_unscored_reasons(c);
  c.tradeoffs = tradeoffs_of(c);
  c.still_unknown = still_unknown_in(c);
  c.hints = hints_for(c);
  c.first_evidence = reconcile(evidence_of(c.first), known.diagnoses, *known.metrics);
  c.second_evidence = reconcile(evidence_of(c.second), known.diagnoses, *known.metrics);
  add_notes(c);
  return c;
}

}  // namespace frx::report
