// Several layers of evidence about one program: code, a profile, a run. What each says is reconciled.

#include <algorithm>

#include "analyse/analyzer.h"
#include "report/fleet_report.h"

namespace frx::analyse {
namespace {

using ingest::Kind;

// Of measurements one each: two profiles or two runs are compared, not reconciled.
bool layers_takes(std::span<const Input> inputs) {
  const auto count = [&](Kind kind) { return std::ranges::count(inputs, kind, &Input::kind); };
  const bool known =
      std::ranges::none_of(inputs, [](const Input& input) { return input.kind() == Kind::other || input.kind() == Kind::compiler_log; });
  const bool has_code = std::ranges::any_of(inputs, [](const Input& input) { return is_code(input.kind()); });
  const auto measured = count(Kind::profile) + count(Kind::trace) + count(Kind::rank_summary) + count(Kind::run_bundle);
  return inputs.size() > 1 && known && (has_code || (measured > 1 && count(Kind::profile) < measured && count(Kind::profile) > 0));
}

Result<> add_measured(Input& input, Context& context, report::Evidence& evidence) {
  const std::string name = input.source.name();
  if (input.kind() == Kind::run_bundle) {
    TRY_ASSIGN(const std::shared_ptr<const report::RunReport> run, analyse_run(std::move(input), context));
    evidence.add(name, run->scope().diagnosis);
  } else {
    TRY_ASSIGN(const report::NcuReport* profile, analyse_profile(std::move(input), context));
    evidence.add(*profile);
  }
  return {};
}

// Files of one folder are one program, so all code is analysed together.
Result<> add_all_code(std::vector<Input> inputs, Context& context, report::Evidence& evidence) {
  if (inputs.empty()) return {};
  TRY_ASSIGN(const Analysis analysis, analyse(std::move(inputs), context));
  for (const CodeUnit& unit : analysis.as<CodeReport>()->units) {
    if (!unit.unread.empty()) return Failure{unit.unread.front().error};
    unit.add_to(evidence);
  }
  return {};
}

// Several are the ranks of one run. A trace alone is read as one, also when the traces of several ranks were merged in it.
Result<> add_traces(std::vector<Input> inputs, Context& context, report::Evidence& evidence) {
  if (inputs.empty()) return {};
  const std::string name = inputs.front().source.name();
  if (inputs.size() == 1 && inputs.front().kind() == Kind::trace) {
    TRY_ASSIGN(const std::unique_ptr<report::TraceReport> trace,
               analyse_trace(std::move(inputs.front()), context, report::Layouts::included));
    evidence.add(name, trace->scope().diagnosis);
    if (trace->layouts) evidence.add(*trace->layouts);
    evidence.add_layout_copies(trace->program.layout_copy_share.value_or(0));
    return {};
  }
  TRY_ASSIGN(const std::shared_ptr<const report::RanksReport> ranks, analyse_few_ranks(inputs, context));
  if (!ranks) {
    return fail(ErrorKind::not_enough, "more than {} ranks are not joined with other sources", report::most_ranks_one_by_one)
        .at(name)
        .hint("analyse the ranks alone, and the other sources with the trace of one rank");
  }
  evidence.add(ranks->source, ranks->ranks.size() == 1 ? ranks->ranks.front().trace->scope().diagnosis : ranks->scope.diagnosis);
  return {};
}

Result<AnyReport> reconcile_all(std::vector<Input>& inputs, Context& context) {
  report::Evidence evidence;
  std::vector<Input> code, traces;
  for (Input& input : inputs) {
    if (is_code(input.kind())) {
      code.push_back(std::move(input));
    } else if (input.kind() == Kind::trace || input.kind() == Kind::rank_summary) {
      traces.push_back(std::move(input));
    } else {
      TRY(add_measured(input, context, evidence));
    }
  }
  TRY(add_traces(std::move(traces), context, evidence));
  TRY(add_all_code(std::move(code), context, evidence));
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  TRY_ASSIGN(std::shared_ptr<report::EvidenceReport> report, report::reconcile(std::move(evidence), *known));
  return AnyReport(std::shared_ptr<const report::EvidenceReport>(std::move(report)));
}

}  // namespace

constinit const Analyzer layers_analyzer = {
    .id = "layers",
    .needs = "sources of several layers of one program",
    .gives = "what they say together, and what would settle what they leave open",
    .takes = layers_takes,
    .analyse = reconcile_all,
};

}  // namespace frx::analyse
