#include "report/implementation_catches.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace frx::report {
namespace {

using Basis = ImplementationVerdict::Basis;

constexpr double large_occupancy_shift = 20;  // points, as in docs/contract.md

Side other(Side side) { return side == Side::first ? Side::second : side == Side::second ? Side::first : Side::neither; }

const DimensionScore* dimension(const ImplementationComparison& c, std::string_view id) {
  const auto at = std::ranges::find(c.scores.dimensions, id, [](const DimensionScore& score) { return score.dimension->id; });
  return at == c.scores.dimensions.end() ? nullptr : &*at;
}

bool compares(const ImplementationComparison& c, std::string_view id) {
  const DimensionScore* score = dimension(c, id);
  return score && score->is_comparable();
}

std::string change_of(const NumberRow& row) {
  return fmt::format("{} {:.4g} -> {:.4g}{}{}", row.label, *row.first, *row.second, row.unit.empty() ? "" : " ", row.unit);
}

// Which side needs fewer registers: as measured, otherwise by PTX.
const NumberRow* register_row(const ImplementationComparison& c) {
  const NumberRow* measured = c.ncu.number("registers_per_thread");
  if (measured && measured->better()) return measured;
  return c.ptx.number("register_count");
}

// The catches of docs/contract.md: fewer registers are meant to raise occupancy.
void add_register_tradeoffs(const ImplementationComparison& c, std::vector<Tradeoff>& all) {
  const NumberRow *registers = register_row(c), *occupancy = c.ncu.number("avg_occupancy_pct");
  if (!occupancy || !occupancy->better() || !registers || !registers->better()) return;
  const Side fewer = *registers->better(), fuller = *occupancy->better();
  const std::vector<std::string> evidence = {change_of(*registers), change_of(*occupancy)};
  if (fewer == Side::second && fuller == Side::first) {
    all.push_back({"register_pressure_improved_but_occupancy_regressed", "medium",
                   "registers went down and achieved occupancy too: something else limits how many warps are resident", evidence});
  } else if (fewer == Side::first && fuller == Side::second) {
    all.push_back({"occupancy_improved_but_register_pressure_regressed", "medium",
                   "occupancy went up although each thread needs more registers: see that nothing spills", evidence});
  } else if (fewer == Side::neither && std::abs(*occupancy->second - *occupancy->first) >= large_occupancy_shift) {
    all.push_back({"large_occupancy_shift",
                   "low",
                   "occupancy moved far and registers did not: only time tells whether that helps",
                   {change_of(*occupancy)}});
  }
}

bool is_of_registers_and_launch(const DimensionScore& a, const DimensionScore& b) {
  const std::string_view ids[] = {a.dimension->id, b.dimension->id};
  return std::ranges::count(ids, "register_efficiency") == 1 && std::ranges::count(ids, "launch_efficiency") == 1;
}

// One dimension better, another worse; registers against occupancy are reported above.
void add_opposite_dimensions(const ImplementationComparison& c, std::vector<Tradeoff>& all) {
  const bool registers_reported = std::ranges::any_of(
      all, [](const Tradeoff& one) { return one.label.ends_with("occupancy_regressed") || one.label.starts_with("occupancy_improved"); });
  for (const DimensionScore& better : c.scores.dimensions) {
    if (better.winner(c.card->tie_band) != Side::second) continue;
    for (const DimensionScore& worse : c.scores.dimensions) {
      if (worse.winner(c.card->tie_band) != Side::first) continue;
      if (registers_reported && is_of_registers_and_launch(better, worse)) continue;
      all.push_back({fmt::format("{}_improved_but_{}_regressed", better.dimension->id, worse.dimension->id),
                     "medium",
                     fmt::format("{} got better, {} worse", better.dimension->display, worse.dimension->display),
                     {fmt::format("{} {:.2f} -> {:.2f}", better.dimension->id, *better.first, *better.second),
                      fmt::format("{} {:.2f} -> {:.2f}", worse.dimension->id, *worse.first, *worse.second)}});
    }
  }
}

// The winner has a finding that makes its result possibly wrong, and the other side has not.
void add_doubts_about_winner(const ImplementationComparison& c, std::vector<Tradeoff>& all) {
  for (const FindingChange* change : doubts_about(c, c.verdict.winner)) {
    all.push_back({"winner_may_be_wrong",
                   "high",
                   fmt::format("{} may compute something else: {} holds for it alone",
                               (c.verdict.winner == Side::second ? c.second : c.first).label, change->code),
                   {std::string(change->either().message.view())}});
  }
}

void add_disagreement(const ImplementationComparison& c, std::vector<Tradeoff>& all) {
  if (c.verdict.basis != Basis::kernel_time || !c.scores.first) return;
  const double difference = *c.scores.second - *c.scores.first;
  if (std::abs(difference) < c.card->tie_band) return;
  const Side by_score = difference > 0 ? Side::second : Side::first;
  if (c.verdict.winner != other(by_score)) return;
  all.push_back({"scorecard_disagrees_with_kernel_time",
                 "low",
                 "the scores favour the slower side; time decides",
                 {fmt::format("score {:.3f} -> {:.3f}", *c.scores.first, *c.scores.second)}});
}

}  // namespace

std::vector<const FindingChange*> doubts_about(const ImplementationComparison& c, Side side) {
  std::vector<const FindingChange*> doubts;
  if (!c.source_changes || side == Side::neither) return doubts;
  for (const FindingChange& change : c.source_changes->all) {
    const bool alone = change.change() == (side == Side::second ? Change::appeared : Change::resolved);
    if (alone && c.card->is_about_correctness(change.code)) doubts.push_back(&change);
  }
  return doubts;
}

std::vector<Tradeoff> tradeoffs_of(const ImplementationComparison& c) {
  std::vector<Tradeoff> all;
  add_doubts_about_winner(c, all);
  add_register_tradeoffs(c, all);
  add_opposite_dimensions(c, all);
  add_disagreement(c, all);
  return all;
}

std::vector<std::string> still_unknown_in(const ImplementationComparison& c) {
  std::vector<std::string> unknown;
  if (c.verdict.basis != Basis::kernel_time) unknown.emplace_back("which is faster: no kernel time of the same work on both sides");
  if (!compares(c, "register_efficiency")) unknown.emplace_back("register usage and spills");
  if (!c.ncu.is_available) {
    unknown.insert(unknown.end(), {"DRAM traffic and cache hit rates", "tensor core utilization", "achieved occupancy", "why warps stall"});
  } else if (const DimensionScore* compute = dimension(c, "compute_efficiency"); !compute || compute->layer != "ncu") {
    unknown.emplace_back("scheduler and issue slot utilization");
  }
  return unknown;
}

std::vector<UpgradeHint> hints_for(const ImplementationComparison& c) {
  std::vector<UpgradeHint> hints;
  const auto was_tried = [&](std::string_view layer) {
    return std::ranges::find(c.failures, layer, &EvidenceFailure::layer) != c.failures.end();
  };
  const bool has_source = c.first.cuda || c.second.cuda;
  if (!c.ptx.is_available && has_source && !was_tried("ptx") && !compares(c, "register_efficiency"))
    hints.push_back({"--with-ptx", "compiles the CUDA source and compares registers, spills and instructions"});
  if (c.ncu.is_available) return hints;
  const std::string flags = c.first.has_ncu() ? "--ncu-b FILE" : c.second.has_ncu() ? "--ncu-a FILE" : "--ncu-a FILE --ncu-b FILE";
  const bool can_run = c.first.cuda && c.second.cuda && !was_tried("ncu");
  hints.push_back({can_run ? "--with-ncu, or " + flags : flags,
                   "brings kernel time, DRAM and caches, occupancy and stall reasons, and lets time decide"});
  return hints;
}

}  // namespace frx::report
