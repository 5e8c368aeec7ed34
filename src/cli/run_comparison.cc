#include "cli/run_comparison.h"

#include <filesystem>

#include "base/text.h"
#include "cli/json_output.h"
#include "cli/ncu_analysis.h"
#include "cli/trace_analysis.h"
#include "render/run_comparison.h"
#include "report/run_analyst.h"
#include "report/trace_analyst.h"

namespace frx::cli {
namespace {

// The one of the two reports that the file has.
struct Analysed {
  std::unique_ptr<report::TraceReport> trace;
  std::unique_ptr<report::RunReport> run;

  const report::TraceReport* trace_report() const { return run ? run->trace.get() : trace.get(); }
  report::ComparedRun compared(std::string label) const {
    return run ? report::compared(*run, std::move(label)) : report::compared(*trace, std::move(label));
  }
};

Result<Analysed> analysed(const std::string& path, const report::AnalysisOptions& analysis, Io& io) {
  Analysed result;
  if (report::is_run_bundle(path)) {
    TRY_ASSIGN(AnalysedRun run, analysed_run(path, analysis));
    result.run = std::move(run.report);
    return result;
  }
  TRY_ASSIGN(const auto analyst, report::TraceAnalyst::create(analysis.data_directory, {analysis.arch_profile, analysis.gpu_model}));
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(path));
  Progress progress(io, path, source->size_hint());
  TRY_ASSIGN(result.trace, analyst->analyse(path, *source, progress.callback()));
  return result;
}

// "train.pt.trace.json.gz" -> "train", "runs/run-3f/" -> "run-3f".
std::string name_of_file(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string name = (file.has_filename() ? file : file.parent_path()).filename().string();
  return printable(name.substr(0, name.find('.', 1)));
}

}  // namespace

bool is_run(const std::string& path) { return report::is_run_bundle(path) || is_trace(path); }

std::pair<std::string, std::string> labels_of(const std::string& first_label, const std::string& first_path,
                                              const std::string& second_label, const std::string& second_path,
                                              std::pair<std::string, std::string> fallback) {
  std::pair<std::string, std::string> labels = {first_label.empty() ? name_of_file(first_path) : printable(first_label),
                                                second_label.empty() ? name_of_file(second_path) : printable(second_label)};
  return labels.first == labels.second ? std::move(fallback) : labels;
}

Result<int> compare_runs(const RunComparisonOptions& options, const report::AnalysisOptions& analysis, Io& io) {
  TRY_ASSIGN(const Analysed first, analysed(options.first, analysis, io));
  TRY_ASSIGN(const Analysed second, analysed(options.second, analysis, io));
  auto [first_label, second_label] = labels_of(options.first_label, options.first, options.second_label, options.second, {"A", "B"});
  const report::RunComparison comparison =
      report::compare(first.compared(std::move(first_label)), first.trace_report(), second.compared(std::move(second_label)),
                      second.trace_report(), options.noise_floor_pct / 100);
  if (options.format == "json") {
    write_json(io, "comparison", render::run_comparison_json(comparison));
  } else if (options.format == "markdown") {
    io.out.write(render::run_comparison_markdown(comparison));
  } else {
    io.out.write(render::run_comparison_text(comparison, style_of(io)));
  }
  return options.fail_on_regression && comparison.judgement.answer == derive::compare::Answer::worse ? 1 : 0;
}

}  // namespace frx::cli
