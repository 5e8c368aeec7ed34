#include "analyse/operators.h"

#include "analyse/analyse.h"

namespace frx::analyse {
namespace {

constexpr std::uint64_t largest_profile = std::uint64_t{1} << 30;

}  // namespace

Result<OperatorAnalysis> analyse_operators(Input input, report::OperatorGrouping grouping, Context& context) {
  OperatorAnalysis analysis;
  TRY_ASSIGN(const std::string_view head, input.source.head());
  if (report::may_be_operator_profile(head)) {
    TRY_ASSIGN(const std::string text, input.source.text(largest_profile));
    TRY_ASSIGN(analysis.report, report::read_operator_profile(input.source.name(), text, grouping));
    return analysis;
  }
  TRY_ASSIGN(model::Timeline timeline, read_timeline(input, context, context.options().progress));
  analysis.profile = report::operator_profile_of(std::move(timeline));
  analysis.report = report::operator_report_of(*analysis.profile, grouping);
  return analysis;
}

Result<report::OperatorReplay> analyse_replay(Input input, const report::ReplayRequest& request, Context& context) {
  TRY_ASSIGN(const std::string_view head, input.source.head());
  if (report::may_be_operator_profile(head)) {
    return fail(ErrorKind::malformed, "expected a recording, found a profile of operators, which has no inputs")
        .at(input.source.name())
        .hint("give the trace or the export that it was made of");
  }
  TRY_ASSIGN(model::Timeline timeline, read_timeline(input, context, context.options().progress, Arguments::of_every_operator));
  return report::operator_replay_of(report::operator_profile_of(std::move(timeline)), request);
}

std::optional<report::OperatorGrouping> operator_grouping(std::string_view word) {
  if (word == "op") return report::OperatorGrouping::by_operator;
  if (word == "module") return report::OperatorGrouping::by_module;
  if (word == "kernel") return report::OperatorGrouping::by_kernel;
  return std::nullopt;
}

}  // namespace frx::analyse
