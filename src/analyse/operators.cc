#include "analyse/operators.h"

#include "analyse/analyse.h"
#include "analyse/kernels.h"
#include "report/operators/operator_details.h"
#include "report/operators/operator_diagnosis.h"

namespace frx::analyse {
namespace {

constexpr std::uint64_t largest_profile = std::uint64_t{1} << 30;

Result<> add_diagnoses(report::OperatorReport& report, Context& context) {
  TRY_ASSIGN(report::Analyst* const analyst, context.profiles());
  return report::diagnose_operators(report, *analyst);
}

}  // namespace

Result<report::OperatorProfile> read_recording(Input input, Context& context) {
  TRY_ASSIGN(model::Timeline timeline, read_timeline(input, context, context.options().progress, Detail::kernel_shapes));
  return report::operator_profile_of(std::move(timeline));
}

Result<OperatorCounters> read_counters(Input input, const report::OperatorManifest& manifest, const report::LayerPartition& layers,
                                       Context& context) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  OperatorCounters counters;
  TRY_ASSIGN(counters.definitions, knowledge::load_operator_counters(known->library, known->metrics));
  TRY_ASSIGN(const model::Session profile, read_launches(std::move(input), context));
  TRY_ASSIGN(counters.joined, report::join_counters(manifest, profile, known->metrics, layers));
  return counters;
}

Result<> add_details(report::OperatorReport& report, Context& context) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  TRY_ASSIGN(const auto categories, knowledge::OperatorCategories::load(known->library, known->classes));
  report::add_details(report, categories);
  return {};
}

Result<report::OperatorReport> report_of(const report::OperatorManifest& manifest, std::string_view source,
                                         const OperatorCounters& counters, Context& context) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  report::OperatorReport report = report::operator_report_of(manifest, source);
  TRY(add_details(report, context));
  report::add_counters(report, report::grouped_kernels(manifest), manifest, counters.joined, counters.definitions, known->metrics);
  TRY(add_diagnoses(report, context));
  return report;
}

Result<OperatorAnalysis> analyse_operators(Input input, report::OperatorGrouping grouping, Context& context,
                                           std::optional<Input> counters) {
  OperatorAnalysis analysis;
  TRY_ASSIGN(const std::string_view head, input.source.head());
  if (report::may_be_operator_profile(head)) {
    if (counters) return fail(ErrorKind::usage, "counters are joined with a recording, and this is a profile").at(input.source.name());
    TRY_ASSIGN(const std::string text, input.source.text(largest_profile));
    TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
    TRY_ASSIGN(analysis.report, report::read_operator_profile(input.source.name(), text, grouping, &known->metrics));
    TRY(add_details(analysis.report, context));
    TRY(add_diagnoses(analysis.report, context));
    return analysis;
  }
  TRY_ASSIGN(analysis.profile, read_recording(std::move(input), context));
  analysis.report = report::operator_report_of(*analysis.profile, grouping);
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  TRY_ASSIGN(const auto categories, knowledge::OperatorCategories::load(known->library, known->classes));
  report::add_details(analysis.report, *analysis.profile, grouping, *known, categories);
  if (!counters) return analysis;
  const report::OperatorManifest manifest = report::manifest_of(*analysis.profile);
  TRY_ASSIGN(analysis.counters, read_counters(std::move(*counters), manifest, {}, context));
  report::add_counters(analysis.report, report::grouped_kernels(manifest, *analysis.profile, grouping), manifest, analysis.counters->joined,
                       analysis.counters->definitions, known->metrics);
  TRY(add_diagnoses(analysis.report, context));
  return analysis;
}

Result<report::OperatorCapture> read_capture(Input input, const knowledge::OperatorCounters& counters, Context& context) {
  TRY_ASSIGN(const std::string_view head, input.source.head());
  if (!report::may_be_operator_profile(head)) {
    TRY_ASSIGN(const report::OperatorProfile profile, read_recording(std::move(input), context));
    return report::operator_capture_of(profile);
  }
  TRY_ASSIGN(const std::string text, input.source.text(largest_profile));
  return report::read_operator_capture(input.source.name(), text, counters);
}

Result<report::CaptureComparison> compare_captures(Input before, Input after, bool allow_different_batch, Context& context) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  TRY_ASSIGN(const knowledge::OperatorCounters counters, knowledge::load_operator_counters(known->library, known->metrics));
  TRY_ASSIGN(report::OperatorCapture first, read_capture(std::move(before), counters, context));
  TRY_ASSIGN(report::OperatorCapture second, read_capture(std::move(after), counters, context));
  return report::compare_captures(std::move(first), std::move(second), counters, allow_different_batch);
}

Result<report::OperatorReplay> analyse_replay(Input input, const report::ReplayRequest& request, Context& context) {
  TRY_ASSIGN(const std::string_view head, input.source.head());
  if (report::may_be_operator_profile(head)) {
    return fail(ErrorKind::malformed, "expected a recording, found a profile of operators, which has no inputs")
        .at(input.source.name())
        .hint("give the trace or the export that it was made of");
  }
  TRY_ASSIGN(model::Timeline timeline, read_timeline(input, context, context.options().progress, Detail::all_arguments));
  return report::operator_replay_of(report::operator_profile_of(std::move(timeline)), request);
}

std::optional<report::OperatorGrouping> operator_grouping(std::string_view word) {
  if (word == "op") return report::OperatorGrouping::by_operator;
  if (word == "module") return report::OperatorGrouping::by_module;
  if (word == "kernel") return report::OperatorGrouping::by_kernel;
  return std::nullopt;
}

}  // namespace frx::analyse
