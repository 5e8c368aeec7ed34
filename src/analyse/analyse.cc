#include "analyse/analyse.h"

#include <algorithm>

#include "analyse/analyzer.h"
#include "base/text.h"
#include "ingest/observation.h"

namespace frx::analyse {
namespace {

using ingest::Kind;
using ingest::Source;

constexpr const Analyzer* registry[] = {
#define FRX_ANALYZER(name) &name##_analyzer,
#include "analyse/analyzers.def"
#undef FRX_ANALYZER
};

Failure no_analyzer(std::span<const Input> inputs) {
  if (inputs.size() == 1 && inputs.front().kind() == Kind::compiler_log) {
    return fail(ErrorKind::usage, "analyze: {} says nothing alone", inputs.front().format->title)
        .at(inputs.front().source.name())
        .hint("give it with the code it is about: frx analyze kernel.ptx --ptxas-log FILE");
  }
  return fail(ErrorKind::usage, "analyze: expected one profile, found {} files", inputs.size())
      .hint(
          "several files at once are read when all of them are code, or traces of the ranks of one run; two profiles: --before and "
          "--after");
}

Result<> expect(Kind wanted, const Input& input) {
  // JSON may be many things: the reader of what is wanted says what it misses.
  const bool is_unsure = input.kind() == Kind::trace && input.match != ingest::Match::certain;
  if (input.kind() == wanted || is_unsure) return {};
  const std::string& name = input.source.name();
  if (!input.format) {  // a folder
    return fail(ErrorKind::unreadable, "expected {}, found a directory", name_of(wanted)).at(name).hint("give one of its files");
  }
  const std::string_view hint = input.format->hint;
  return fail(ErrorKind::malformed, "expected {}, found {}", name_of(wanted), input.format->title)
      .at(name)
      .hint(hint.empty() ? "frx analyze reads it: frx analyze " + shell_quote(name) : std::string(hint));
}

template <typename Report>
Result<Report> analysed(Kind wanted, const Analyzer& analyzer, Input input, Context& context) {
  TRY(expect(wanted, input));
  input.source.stop_with(context.options().stop);
  std::vector<Input> inputs;
  inputs.push_back(std::move(input));
  TRY_ASSIGN(AnyReport report, analyzer.analyse(inputs, context));
  return std::get<Report>(std::move(report));
}

}  // namespace

std::span<const Analyzer* const> analyzers() { return registry; }

const Analyzer* analyzer_for(std::span<const Input> inputs) {
  const auto chosen = std::ranges::find_if(registry, [&](const Analyzer* analyzer) { return analyzer->takes(inputs); });
  return chosen == std::end(registry) ? nullptr : *chosen;
}

Result<Analysis> analyse(std::vector<Input> inputs, Context& context) {
  for (Input& input : inputs) input.source.stop_with(context.options().stop);
  const Analyzer* chosen = analyzer_for(inputs);
  if (!chosen) return no_analyzer(inputs);
  TRY_ASSIGN(AnyReport report, chosen->analyse(inputs, context));
  return Analysis{chosen->id, std::move(report)};
}

Result<Analysis> analyse(std::vector<Source> sources, Context& context) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  TRY_ASSIGN(std::vector<Input> inputs, inputs_of(std::move(sources), known->metrics));
  return analyse(std::move(inputs), context);
}

Result<const report::NcuReport*> analyse_profile(Input input, Context& context) {
  return analysed<const report::NcuReport*>(Kind::profile, profile_analyzer, std::move(input), context);
}

Result<std::shared_ptr<const report::RunReport>> analyse_run(Input input, Context& context, report::Layouts layouts) {
  TRY(expect(Kind::run_bundle, input));
  input.source.stop_with(context.options().stop);
  return analyse_bundle(input, context, layouts);
}

Result<std::shared_ptr<const report::RunReport>> analyse_run(const std::string& folder, Context& context, report::Layouts layouts) {
  return analyse_run(Input{Source::at(folder), &ingest::run_bundle_format}, context, layouts);
}

Result<std::shared_ptr<const report::PtxReport>> analyse_ptx(Input input, Context& context) {
  if (!input.format && !input.source.is_folder()) input.format = &ingest::ptx_format;  // its reader says what it misses
  TRY_ASSIGN(const auto code, analysed<std::shared_ptr<const CodeReport>>(Kind::ptx, code_analyzer, std::move(input), context));
  const CodeUnit& unit = code->units.front();
  if (unit.error) return Failure{*unit.error};
  return std::shared_ptr<const report::PtxReport>(code, unit.ptx.get());
}

Result<std::unique_ptr<report::TraceReport>> analyse_trace(Input input, Context& context, report::Layouts layouts) {
  TRY(expect(Kind::trace, input));
  TRY_ASSIGN(const report::TraceAnalyst* analyst, context.traces());
  TRY_ASSIGN(model::Timeline timeline, read_timeline(input, context, context.options().progress,
                                                     layouts == report::Layouts::included ? Detail::all_arguments : Detail::usual));
  return analyst->analyse(std::move(timeline), layouts);
}

Result<model::Timeline> read_timeline(Input& input, Context& context, const report::OpenEach& open_each, Detail detail) {
  input.source.stop_with(context.options().stop);
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  ingest::ReadOptions options{known->metrics};
  options.all_arguments = detail == Detail::all_arguments;
  options.kernel_shapes = detail != Detail::usual;
  if (open_each) options.progress = open_each(input.source.name(), input.source.size_hint());
  TRY_ASSIGN(ingest::Observation observation, ingest::observe(input.source, input.format, options));
  if (auto* const timeline = std::get_if<model::Timeline>(&observation.model)) return std::move(*timeline);
  return fail(ErrorKind::malformed, "expected a trace").at(input.source.name());
}

}  // namespace frx::analyse
