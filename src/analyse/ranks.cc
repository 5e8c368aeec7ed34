// Traces and summaries of traces: of one process, or of all ranks of one run.

#include "analyse/analyzer.h"
#include "analyse/summaries.h"
#include "compose/answers.h"

namespace frx::analyse {
namespace {

bool is_of_ranks(ingest::Kind kind) { return kind == ingest::Kind::trace || kind == ingest::Kind::rank_summary; }
bool ranks_takes(std::span<const Input> inputs) { return !inputs.empty() && all_are(inputs, is_of_ranks); }

// What the report calls the traces together.
std::string name_of_all(const std::vector<Input>& inputs) {
  if (!inputs.front().folder.empty()) return inputs.front().folder;
  const std::string& first = inputs.front().source.name();
  return inputs.size() == 1 ? first : fmt::format("{} and {} more", first, inputs.size() - 1);
}

// Of the trace that answers for the run, whether it has the scope that was asked for.
Result<> expect_scope(const Context& context, const report::TraceReport& trace, const std::string& source) {
  if (context.options().scope != "steady_state" || trace.steady_state) return {};
  return fail(ErrorKind::not_enough, "the trace has too few completed steps for a steady state").at(source).hint("--scope run");
}

Result<AnyReport> analyse_as_fleet(RankInputs& ranks, std::string name, Context& context) {
  TRY_ASSIGN(const report::TraceAnalyst* analyst, context.traces());
  std::vector<std::string> notes;
  TRY_ASSIGN(const std::vector<report::FleetEntry> entries, ranks.fleet(notes));
  TRY_ASSIGN(std::shared_ptr<const report::FleetReport> fleet, report::analyse_fleet(*analyst, std::move(name), entries, std::move(notes)));
  TRY(expect_scope(context, *fleet->trace, fleet->source));
  return AnyReport(std::make_shared<const answer::Answer>(compose::answer_of(std::move(fleet))));
}

using FewRanks = std::shared_ptr<const report::RanksReport>;

Result<FewRanks> analyse_one_by_one(RankInputs& ranks, std::string name, Context& context) {
  TRY_ASSIGN(const report::TraceAnalyst* analyst, context.traces());
  const std::vector<report::TraceFile> files = ranks.files();
  TRY_ASSIGN(std::shared_ptr<report::RanksReport> report,
             report::analyse_ranks(*analyst, std::move(name), files, context.options().progress));
  TRY(expect_scope(context, *report->ranks[report->answering].trace, report->source));
  return FewRanks(std::move(report));
}

Result<AnyReport> analyse_all(std::vector<Input>& inputs, Context& context) {
  RankInputs ranks(inputs, context);
  if (ranks.count() > report::most_ranks_one_by_one) return analyse_as_fleet(ranks, name_of_all(inputs), context);
  TRY_ASSIGN(FewRanks report, analyse_one_by_one(ranks, name_of_all(inputs), context));
  return AnyReport(std::move(report));
}

}  // namespace

Result<FewRanks> analyse_few_ranks(std::vector<Input>& inputs, Context& context) {
  RankInputs ranks(inputs, context);
  if (ranks.count() > report::most_ranks_one_by_one) return FewRanks();
  return analyse_one_by_one(ranks, name_of_all(inputs), context);
}

constinit const Analyzer ranks_analyzer = {
    .id = "ranks",
    .needs = "traces of one run",
    .gives = "where the time of a step goes, and which rank the others wait for",
    .takes = ranks_takes,
    .analyse = analyse_all,
};

}  // namespace frx::analyse
