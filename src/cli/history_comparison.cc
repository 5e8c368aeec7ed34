#include "cli/history_comparison.h"

#include <memory>
#include <tuple>

#include "analyse/kept_answers.h"
#include "compose/answers.h"
#include "compose/kernel_answers.h"
#include "compose/layout_diff.h"
#include "history/json_in.h"
#include "report/baselines.h"
#include "report/expertise.h"
#include "report/kernels/profile_diff.h"
#include "report/kernels/read_full_profile.h"
#include "report/layout/layout_diff.h"

namespace frx::cli {
namespace {

using answer::Json;
using derive::compare::BaselineSpread;

constexpr std::size_t layout_rows = 20;

Json document_in(const history::Record& record) { return history::json_in(record.document).value_or(Json()); }

// What keeps a comparison alive while its answer is printed.
template <typename Comparison, typename... Kept>
std::shared_ptr<const Comparison> kept_with(Comparison comparison, Kept... kept) {
  auto whole = std::make_shared<std::tuple<Comparison, Kept...>>(std::move(comparison), std::move(kept)...);
  return {whole, &std::get<0>(*whole)};
}

Result<HistoryComparison> compare_runs_kept(const ComparedRecord& first, const ComparedRecord& second,
                                            const std::vector<history::Record>& further) {
  report::ComparedRun a = analyse::kept_run(document_in(first.record), first.label);
  report::ComparedRun b = analyse::kept_run(document_in(second.record), second.label);
  std::optional<BaselineSpread> spread;
  std::vector<report::ComparedRun> others;
  for (const history::Record& one : further) others.push_back(analyse::kept_run(document_in(one), one.id.substr(0, 12)));
  if (!others.empty()) {
    if (Result<BaselineSpread> found = report::spread_of_runs(a, others)) spread = *found;
  }
  auto comparison = std::make_shared<const report::RunComparison>(
      report::compare(std::move(a), nullptr, std::move(b), nullptr, derive::compare::default_noise_floor, spread));
  const bool is_worse = comparison->judgement.answer == derive::compare::Answer::worse;
  return HistoryComparison{compose::answer_of(std::move(comparison)), is_worse};
}

Result<HistoryComparison> compare_profiles_kept(const ComparedRecord& first, const ComparedRecord& second,
                                                const std::vector<history::Record>& further) {
  TRY_ASSIGN(const std::shared_ptr<const report::Expertise> expertise, report::Expertise::load(""));
  const auto side = [&](const history::Record& record, const std::string& label) {
    return std::make_shared<const report::NcuReport>(analyse::kept_profile(document_in(record), label, expertise->knowledge()));
  };
  const auto a = side(first.record, first.label), b = side(second.record, second.label);
  std::optional<BaselineSpread> spread;
  std::vector<report::NcuReport> others;
  for (const history::Record& one : further) others.push_back(*side(one, one.id.substr(0, 12)));
  if (!others.empty()) {
    if (Result<BaselineSpread> found = report::spread_of_profiles(*a, others)) spread = *found;
  }
  report::NcuComparison made = report::compare(*a, *b, first.label, second.label, spread);
  const bool is_worse = made.outcome == "regressed" || made.judgement.answer == derive::compare::Answer::worse;
  answer::Answer answer = compose::answer_of(kept_with(std::move(made), a, b, expertise));
  return HistoryComparison{std::move(answer), is_worse};
}

Result<HistoryComparison> compare_layouts_kept(const ComparedRecord& first, const ComparedRecord& second) {
  TRY_ASSIGN(report::LayoutRecord a, report::read_layout_record(first.label, first.record.document));
  TRY_ASSIGN(report::LayoutRecord b, report::read_layout_record(second.label, second.record.document));
  auto diff = std::make_shared<const report::LayoutDiff>(report::diff_layouts(std::move(a), std::move(b)));
  const bool is_worse = report::exit_code_of(*diff, report::LayoutFailure::worse) == 1;
  return HistoryComparison{compose::answer_of(std::move(diff), layout_rows), is_worse};
}

Result<HistoryComparison> compare_kernels_kept(const ComparedRecord& first, const ComparedRecord& second) {
  const auto profile_in = [](const ComparedRecord& side) {
    const Json document = document_in(side.record);
    return report::read_full_profile(side.label, document.contains("profile") ? document["profile"].dump() : std::string());
  };
  TRY_ASSIGN(const model::FullProfile a, profile_in(first));
  TRY_ASSIGN(const model::FullProfile b, profile_in(second));
  auto diff = std::make_shared<const report::ProfileDiff>(report::diff_profiles(a, b, first.label, second.label));
  const bool is_worse = report::exit_code_of(*diff) == 1;
  return HistoryComparison{compose::answer_of(std::move(diff)), is_worse};
}

}  // namespace

Result<HistoryComparison> compare_records(const ComparedRecord& first, const ComparedRecord& second,
                                          const std::vector<history::Record>& further) {
  const std::string& schema = first.record.schema;
  if (schema != second.record.schema) {
    return fail(ErrorKind::not_enough, "answers of two kinds cannot be compared: {} and {}", schema, second.record.schema)
        .hint("compare with a record of the same series: --against last or best");
  }
  if (schema == "trace_analysis_v1" || schema == "run_analysis_v1") return compare_runs_kept(first, second, further);
  if (schema == "ncu_analysis_v1") return compare_profiles_kept(first, second, further);
  if (schema == "layout.v1") return compare_layouts_kept(first, second);
  if (schema == "kernel_profile_v1") return compare_kernels_kept(first, second);
  return fail(ErrorKind::not_enough, "there is no comparison of two answers of {}", schema)
      .hint("answers about traces, runs, profiles, kernels and layouts are compared; frx history trend shows numbers of any kind");
}

}  // namespace frx::cli
