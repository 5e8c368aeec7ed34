#include "report/operators/capture_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "derive/trace/work_times.h"

namespace frx::report {
namespace {

using derive::compare::Answer;
using derive::compare::Doubt;
using derive::compare::Judgement;

// The time in each iteration; empty where there are iterations without any, for then they are of different work.
std::vector<double> times_of(const OperatorCapture& capture, const std::vector<std::uint32_t>& rows) {
  std::map<std::uint32_t, double> sums;
  for (const std::uint32_t row : rows) {
    for (const IterationTime& time : capture.operators[row].times) sums[time.iteration] += static_cast<double>(time.gpu_ns);
  }
  std::vector<double> times;
  if (sums.size() != capture.iteration_ns.size()) return times;
  for (const auto& [iteration, ns] : sums) times.push_back(ns);
  return times;
}

Judgement judged(const std::vector<double>& before, const std::vector<double>& after) {
  Judgement judgement = derive::compare::judge(before, after);
  if (std::min(judgement.first, judgement.second) >= fewest_iterations) return judgement;
  judgement.answer = Answer::cannot_tell;
  judgement.doubt = Doubt::too_few;
  return judgement;
}

struct Sum {
  std::optional<double> ns, kernels;
};

Sum sum_of(const OperatorCapture& capture, const std::vector<std::uint32_t>& rows) {
  if (rows.empty()) return {};
  double ns = 0, kernels = 0;
  for (const std::uint32_t row : rows) {
    ns += static_cast<double>(capture.operators[row].gpu_ns);
    kernels += static_cast<double>(capture.operators[row].kernels);
  }
  return {ns / capture.iterations(), kernels / capture.iterations()};
}

std::vector<RowPart> parts_of(const OperatorCapture& capture, const std::vector<std::uint32_t>& rows) {
  std::vector<RowPart> parts;
  for (const std::uint32_t row : rows) {
    const CapturedOperator& one = capture.operators[row];
    parts.push_back({one.name, one.shapes, static_cast<double>(one.gpu_ns) / capture.iterations(),
                     static_cast<double>(one.kernels) / capture.iterations()});
  }
  return parts;
}

RowStatus status_of(const RowMatch& match, const Judgement& judgement) {
  if (match.kind == RowMatch::Kind::fused) return RowStatus::fused;
  if (match.kind == RowMatch::Kind::split) return RowStatus::split;
  if (match.before.empty()) return RowStatus::added;
  if (match.after.empty()) return RowStatus::removed;
  if (judgement.answer == Answer::better) return RowStatus::faster;
  if (judgement.answer == Answer::worse) return RowStatus::slower;
  return judgement.doubt == Doubt::within_noise ? RowStatus::same : RowStatus::inconclusive;
}

// Shares of percent move by points, others by shares of themselves.
bool is_moved(std::string_view member, double before, double after) {
  constexpr double least_points = 1, least_share = 0.05;
  const bool is_percent = member.ends_with("_pct") || member.ends_with("_hit_rate") || member == "achieved_occupancy";
  if (is_percent && std::abs(after - before) < least_points) return false;
  return std::abs(after - before) > least_share * std::max(std::abs(before), std::abs(after));
}

void add_counters(CaptureRow& row, const CapturedOperator& before, const CapturedOperator& after,
                  const knowledge::OperatorCounters& counters) {
  for (std::size_t i = 0; i < std::min(before.counters.size(), after.counters.size()); ++i) {
    const auto &first = before.counters[i], &second = after.counters[i];
    const std::string_view member = counters.counters[i].member;
    if (first && second) row.counters.push_back({member, *first, *second, is_moved(member, *first, *second)});
  }
  const bool is_time_known = row.status == RowStatus::faster || row.status == RowStatus::slower || row.status == RowStatus::same;
  if (row.counters.empty() || !is_time_known) return;
  const bool has_moved = std::ranges::any_of(row.counters, &RowCounter::is_moved), has_time = row.status != RowStatus::same;
  row.agreement = has_moved ? (has_time ? Agreement::both_moved : Agreement::counters_only)
                            : (has_time ? Agreement::time_only : Agreement::neither_moved);
}

class Comparer {
 public:
  Comparer(CaptureComparison& comparison, const knowledge::OperatorCounters& counters) : to_(comparison), counters_(counters) {}

  void add(const RowMatch& match) {
    CaptureRow row;
    const std::vector<double> before = times_of(to_.before, match.before), after = times_of(to_.after, match.after);
    if (!before.empty() && !after.empty()) row.judgement = judged(before, after);
    row.status = status_of(match, row.judgement);
    name(row, match);
    const Sum first = sum_of(to_.before, match.before), second = sum_of(to_.after, match.after);
    row.before_ns = first.ns;
    row.before_kernels = first.kernels;
    row.after_ns = second.ns;
    row.after_kernels = second.kernels;
    if (match.kind != RowMatch::Kind::plain) {
      row.parts_before = parts_of(to_.before, match.before);
      row.parts_after = parts_of(to_.after, match.after);
    } else if (match.before.size() == 1 && match.after.size() == 1) {
      add_counters(row, to_.before.operators[match.before.front()], to_.after.operators[match.after.front()], counters_);
    }
    to_.rows.push_back(std::move(row));
  }

 private:
  void name(CaptureRow& row, const RowMatch& match) const {
    const bool is_after = match.before.empty() || match.kind == RowMatch::Kind::fused;
    const CapturedOperator& one = is_after ? to_.after.operators[match.after.front()] : to_.before.operators[match.before.front()];
    row.name = one.name;
    row.is_scope = one.is_scope;
    if (!to_.by_shapes || match.kind != RowMatch::Kind::plain || match.before.size() > 1 || match.after.size() > 1) return;
    row.shapes = one.shapes;
    if (!match.before.empty() && !match.after.empty() && to_.after.operators[match.after.front()].shapes != one.shapes)
      row.shapes_after = to_.after.operators[match.after.front()].shapes;
  }

  CaptureComparison& to_;
  const knowledge::OperatorCounters& counters_;
};

Result<> check_iterations(const OperatorCapture& before, const OperatorCapture& after) {
  for (const OperatorCapture* side : {&before, &after}) {
    if (side->kernels == 0) return fail(ErrorKind::not_enough, "no kernels were recorded in its iterations").at(side->source);
    if (side->ns_per_iteration() <= 0) return fail(ErrorKind::not_enough, "its kernels have no durations").at(side->source);
  }
  const bool has_before = before.iterations_by != IterationSource::none, has_after = after.iterations_by != IterationSource::none;
  if (has_before == has_after) return {};
  const OperatorCapture &marked = has_before ? before : after, &other = has_before ? after : before;
  return fail(ErrorKind::not_enough, "nothing marks its iterations, while {} has {}, so times of an iteration cannot be compared",
              printable(marked.source), marked.iteration_ns.size())
      .at(other.source)
      .hint(other.how_to_mark.empty() ? "frx operators profile SCRIPT --measure-iters 10 marks them" : other.how_to_mark);
}

// Of operators on both sides, most are launched the same number of times as often after as before: not because of a change, but because
// that many more iterations were captured.
std::optional<double> factor_of_launches(const CaptureComparison& comparison) {
  std::map<double, std::size_t> seen;
  std::size_t rows = 0;
  for (const CaptureRow& row : comparison.rows) {
    if (!row.before_kernels || !row.after_kernels || row.name.empty()) continue;
    ++seen[*row.after_kernels / *row.before_kernels];
    ++rows;
  }
  for (const auto& [factor, count] : seen) {
    if (factor != 1 && rows > 1 && 10 * count >= 8 * rows) return factor;
  }
  return std::nullopt;
}

void judge_total(CaptureComparison& comparison, const std::string& other_batch) {
  const CaptureFacts &before = comparison.before.facts, &after = comparison.after.facts;
  if (!before.device_name.empty() && !after.device_name.empty() && before.device_name != after.device_name)
    comparison.not_comparable.push_back(
        fmt::format("the GPUs differ: {} and {}", printable(before.device_name), printable(after.device_name)));
  if (!other_batch.empty()) comparison.not_comparable.push_back("the batch differs: " + other_batch);
  const auto factor = factor_of_launches(comparison);
  if (factor && comparison.before.iterations_by == IterationSource::none)
    comparison.not_comparable.push_back(fmt::format(
        "operators are launched {:.4g} times as often after as before, so the captures have different numbers of iterations", *factor));
  comparison.judgement = judged(comparison.before.iteration_ns, comparison.after.iteration_ns);
  switch (comparison.judgement.doubt) {
    case Doubt::too_few: comparison.why_not = "too_few_iterations"; break;
    case Doubt::within_noise: comparison.why_not = "within_noise"; break;
    case Doubt::too_scattered: comparison.why_not = "too_scattered"; break;
    case Doubt::none: break;
  }
  if (comparison.not_comparable.empty()) return;
  comparison.judgement.answer = Answer::cannot_tell;
  comparison.why_not = "not_comparable";
}

}  // namespace

std::string_view name_of(RowStatus status) {
  switch (status) {
    case RowStatus::same: return "same";
    case RowStatus::faster: return "faster";
    case RowStatus::slower: return "slower";
    case RowStatus::inconclusive: return "inconclusive";
    case RowStatus::added: return "new";
    case RowStatus::removed: return "removed";
    case RowStatus::fused: return "fused";
    case RowStatus::split: return "split";
  }
  return {};
}

std::string_view name_of(Agreement agreement) {
  switch (agreement) {
    case Agreement::unknown: return "";
    case Agreement::neither_moved: return "neither_moved";
    case Agreement::both_moved: return "both_moved";
    case Agreement::counters_only: return "counters_only";
    case Agreement::time_only: return "time_only";
  }
  return {};
}

std::string_view name_of(BatchCheck check) {
  switch (check) {
    case BatchCheck::same: return "same";
    case BatchCheck::different: return "different";
    case BatchCheck::unknown: return "unknown";
  }
  return {};
}

std::string_view shown_name(std::string_view row) { return row.empty() ? derive::trace::work_without_operator : row; }

Result<CaptureComparison> compare_captures(OperatorCapture before, OperatorCapture after, const knowledge::OperatorCounters& counters,
                                           bool allow_different_batch) {
  TRY(check_iterations(before, after));
  CaptureComparison comparison;
  comparison.before = std::move(before);
  comparison.after = std::move(after);
  comparison.by_shapes = comparison.before.has_shapes() && comparison.after.has_shapes();
  const std::vector<RowMatch> matches = match_rows(comparison.before, comparison.after, comparison.by_shapes);
  std::string other_batch;
  comparison.batch = check_batch(comparison.before, comparison.after, matches, other_batch);
  if (comparison.batch == BatchCheck::different && !allow_different_batch)
    return fail(ErrorKind::not_enough, "the batch differs, so times cannot be compared: {}", other_batch)
        .at(comparison.after.source)
        .hint("capture both with the same inputs, or compare them all the same with --allow-different-batch");
  Comparer comparer(comparison, counters);
  for (const RowMatch& match : matches) comparer.add(match);
  std::ranges::stable_sort(comparison.rows, [](const CaptureRow& a, const CaptureRow& b) {
    const double first = std::abs(a.change_ns()), second = std::abs(b.change_ns());
    return first != second ? first > second : std::pair(a.name, a.shapes) < std::pair(b.name, b.shapes);
  });
  std::vector<std::uint32_t> all(comparison.after.operators.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  comparison.remaining = parts_of(comparison.after, all);
  std::ranges::stable_sort(comparison.remaining, std::ranges::greater{}, &RowPart::ns);
  judge_total(comparison, other_batch);
  add_caveats(comparison);
  return comparison;
}

}  // namespace frx::report
