// Traces of the PyTorch profiler: of one process, or of all ranks of one run.

#include "analyse/analyzer.h"

namespace frx::analyse {
namespace {

bool is_trace(ingest::Kind kind) { return kind == ingest::Kind::trace; }
bool ranks_takes(std::span<const Input> inputs) { return !inputs.empty() && all_are(inputs, is_trace); }

// What the report calls the traces together.
std::string name_of_all(const std::vector<Input>& inputs) {
  if (!inputs.front().folder.empty()) return inputs.front().folder;
  const std::string& first = inputs.front().source.name();
  return inputs.size() == 1 ? first : fmt::format("{} and {} more", first, inputs.size() - 1);
}

Result<AnyReport> analyse_all(std::vector<Input>& inputs, Context& context) {
  TRY_ASSIGN(const report::TraceAnalyst* analyst, context.traces());
  std::vector<report::TraceFile> files;
  for (Input& input : inputs)
    files.push_back({input.source.name(), [&](const report::OpenEach& open_each) { return read_timeline(input, context, open_each); }});
  TRY_ASSIGN(std::shared_ptr<report::RanksReport> report,
             report::analyse_ranks(*analyst, name_of_all(inputs), files, context.options().progress));
  if (context.options().scope == "steady_state" && !report->ranks[report->answering].trace->steady_state) {
    return fail(ErrorKind::not_enough, "the trace has too few completed steps for a steady state").at(report->source).hint("--scope run");
  }
  return AnyReport(std::shared_ptr<const report::RanksReport>(std::move(report)));
}

}  // namespace

constinit const Analyzer ranks_analyzer = {
    .id = "ranks",
    .needs = "traces of one run",
    .gives = "where the time of a step goes, and which rank the others wait for",
    .takes = ranks_takes,
    .analyse = analyse_all,
};

}  // namespace frx::analyse
