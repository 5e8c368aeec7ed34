// A run bundle: what the SDK recorded, with the traces of the profiler in it.

#include "analyse/analyzer.h"

namespace frx::analyse {
namespace {

bool run_takes(std::span<const Input> inputs) { return inputs.size() == 1 && inputs[0].kind() == ingest::Kind::run_bundle; }

Result<AnyReport> analyse_only(std::vector<Input>& inputs, Context& context) {
  TRY_ASSIGN(std::shared_ptr<const report::RunReport> report, analyse_bundle(inputs.front(), context, report::Layouts::left_out));
  return AnyReport(std::move(report));
}

}  // namespace

Result<std::shared_ptr<const report::RunReport>> analyse_bundle(Input& input, Context& context, report::Layouts layouts) {
  TRY_ASSIGN(const report::RunAnalyst* analyst, context.runs());
  TRY_ASSIGN(const ingest::RunBundle bundle, ingest::RunBundle::open(input.source));
  TRY_ASSIGN(std::shared_ptr<report::RunReport> report, analyst->analyse(bundle, layouts));
  if (context.options().scope == "steady_state" && !report->steady_state) {
    return fail(ErrorKind::not_enough, "the run has too few completed steps for a steady state").at(bundle.path()).hint("--scope run");
  }
  return std::shared_ptr<const report::RunReport>(std::move(report));
}

constinit const Analyzer run_analyzer = {
    .id = "run",
    .needs = "one run bundle",
    .gives = "why the steps of a run take as long as they do",
    .takes = run_takes,
    .analyse = analyse_only,
};

}  // namespace frx::analyse
