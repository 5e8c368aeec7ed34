#include <cmath>

#include "compose/documents.h"
#include "compose/payloads.h"

namespace frx::compose {
namespace {

using report::FindingChange;
using report::FindingChanges;
using report::Implementation;
using report::ImplementationComparison;
using report::LayerDiff;
using report::NumberRow;
using report::Side;

std::optional<std::string_view> side_name(const std::optional<Side>& side) {
  return side ? std::optional(report::name_of(*side)) : std::nullopt;
}

// Counts as whole numbers.
answer::Rounded count_or_number(const std::optional<double>& value) {
  constexpr double largest = 1e15;
  const bool is_count = value && std::abs(*value) < largest && std::trunc(*value) == *value;
  return rounded(value, is_count ? 0 : 4);
}

void put_numbers(JsonObject& out, const NumberRow& row) {
  const std::optional<double> delta = row.first && row.second ? std::optional(*row.second - *row.first) : std::nullopt;
  out.add("a", count_or_number(row.first), "b", count_or_number(row.second), "delta", count_or_number(delta));
}

void put_rows(JsonObject& out, const LayerDiff& diff) {
  out.add("available", diff.is_available);
  for (const NumberRow& row : diff.numbers) {
    out.object(row.key, [&](JsonObject& inner) {
      put_numbers(inner, row);
      inner.add("better", side_name(row.better()));
    });
  }
  for (const report::TruthRow& row : diff.truths) {
    const bool both = row.first && row.second;
    out.object(row.key, [&](JsonObject& inner) {
      inner.add("a", row.first, "b", row.second, "resolved_in_b", when(both, both && *row.first && !*row.second), "introduced_in_b",
                when(both, both && !*row.first && *row.second));
    });
  }
  for (const report::WordsRow& row : diff.words) {
    out.object(row.key, [&](JsonObject& inner) {
      inner.add("a", row.first, "b", row.second, "added_in_b", row.added(), "removed_in_b", row.removed());
    });
  }
  for (const report::TextRow& row : diff.texts)
    out.object(row.key, [&](JsonObject& inner) { inner.add("a", unless_empty(row.first), "b", unless_empty(row.second)); });
}

void put_mix_diff(JsonObject& out, const LayerDiff& diff) {
  for (const NumberRow& row : diff.mix) out.object(row.key, &row, put_numbers);
}

void put_change(JsonObject& out, const FindingChange& change, const knowledge::Scorecard& card) {
  const knowledge::UnscoredRule* unscored = card.unscored_rule(change.code);
  out.add("code", change.code, "kernel", unless_empty(change.kernel), "change", report::name_of(change.change()), "comparable",
          change.is_comparable, "scored", !unscored && change.is_comparable, "remark", unscored && unscored->is_remark, "places_a",
          change.first_places, "places_b", change.second_places);
  out.object("a", change.first, put_finding);
  out.object("b", change.second, put_finding);
}

void put_findings(JsonObject& out, const std::optional<FindingChanges>& changes, const knowledge::Scorecard& card) {
  out.object("findings_diff", changes, [&](JsonObject& inner, const FindingChanges& all) {
    inner.add("resolved_in_b", all.codes(report::Change::resolved), "new_in_b", all.codes(report::Change::appeared), "shared",
              all.codes(report::Change::persistent));
    inner.list("by_kernel", all.all, [&](JsonObject& one, const FindingChange& change) { put_change(one, change, card); });
  });
}

void put_layers(JsonObject& out, const Implementation& side) {
  out.add("cuda_source", side.has_source(), "ptx", side.has_ptx(), "ncu_csv", side.has_ncu());
}

void put_scorecard(JsonObject& out, const ImplementationComparison& c) {
  for (const report::DimensionScore& score : c.scores.dimensions) {
    out.object(score.dimension->id, [&](JsonObject& inner) {
      inner.add("score_a", score.first, "score_b", score.second, "weight", score.dimension->weight, "available", score.is_comparable(),
                "winner", side_name(score.winner(c.card->tie_band)), "layer", unless_empty(score.layer), "reasons", score.reasons);
    });
  }
}

std::optional<std::string_view> basis_name(report::ImplementationVerdict::Basis basis) {
  using Basis = report::ImplementationVerdict::Basis;
  return basis == Basis::kernel_time ? std::optional<std::string_view>("kernel_gpu_time")
         : basis == Basis::scorecard ? std::optional<std::string_view>("scorecard")
                                     : std::nullopt;
}

// The documented form and the one of the documented program, both.
void put_implementation_verdict(JsonObject& out, const ImplementationComparison& c) {
  const bool scored = c.scores.first.has_value(), timed = c.verdict.first_us.has_value();
  const auto won_by = [&](Side side) {
    std::vector<std::string_view> won;
    for (const report::DimensionScore& score : c.scores.dimensions) {
      if (score.winner(c.card->tie_band) == side) won.push_back(score.dimension->id);
    }
    return won;
  };
  out.add("overall_winner", report::name_of(c.verdict.winner), "basis", basis_name(c.verdict.basis), "score_a", c.scores.first, "score_b",
          c.scores.second, "score_delta", scored ? std::optional(*c.scores.second - *c.scores.first) : std::nullopt, "kernel_time_us_a",
          c.verdict.first_us, "kernel_time_us_b", c.verdict.second_us, "kernel_speedup_x",
          timed ? std::optional(*c.verdict.first_us / *c.verdict.second_us) : std::nullopt);
  out.object("dimensions", [&](JsonObject& inner) {
    for (const report::DimensionScore& score : c.scores.dimensions)
      inner.add(score.dimension->id, side_name(score.winner(c.card->tie_band)));
  });
  out.add("dimensions_won_by_a", won_by(Side::first), "dimensions_won_by_b", won_by(Side::second), "reasons", c.verdict.reasons, "sentence",
          verdict_sentence(c));
}

}  // namespace

void put_evidence_failures(JsonObject& out, const ImplementationComparison& c) {
  out.list("evidence_failures", c.failures, [](JsonObject& inner, const report::EvidenceFailure& failure) {
    inner.add("layer", failure.layer, "target", failure.target, "step", failure.step, "reason", failure.reason);
  });
}

void put_implementation_comparison(JsonObject& out, const ImplementationComparison& c) {
  out.add("schema", "comparison_v1", "label_a", c.first.label, "label_b", c.second.label, "source_a", c.first.source, "source_b",
          c.second.source);
  out.object("data_availability", [&](JsonObject& inner) {
    inner.object("a", &c.first, put_layers);
    inner.object("b", &c.second, put_layers);
  });
  out.object("static_diff", [&](JsonObject& inner) {
    put_rows(inner, c.source);
    put_findings(inner, c.source_changes, *c.card);
  });
  out.object("ptx_diff", [&](JsonObject& inner) {
    put_rows(inner, c.ptx);
    inner.object("instruction_mix_diff", &c.ptx, put_mix_diff);
    put_findings(inner, c.ptx_changes, *c.card);
  });
  out.object("ncu_diff", &c.ncu, put_rows);
  out.object("scorecard", &c, put_scorecard);
  out.object("verdict", &c, put_implementation_verdict);
  out.list("tradeoffs", c.tradeoffs, [](JsonObject& inner, const report::Tradeoff& one) {
    inner.add("label", one.label, "severity", one.severity, "message", one.message, "evidence", one.evidence);
  });
  out.add("still_unknown", c.still_unknown);
  out.list("upgrade_hints", c.hints,
           [](JsonObject& inner, const report::UpgradeHint& hint) { inner.add("flag", hint.flag, "gain", hint.gain); });
  out.add("notes", c.notes);
}

}  // namespace frx::compose
