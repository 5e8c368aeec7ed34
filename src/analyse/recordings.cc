#include "analyse/recordings.h"

#include <filesystem>

#include "base/text.h"
#include "report/baselines.h"
#include "report/ncu_times.h"

namespace frx::analyse {
namespace {

report::ComparedRun compared(const ReadRecording& one, std::string label) {
  return one.run ? report::compared(*one.run, std::move(label)) : report::compared(*one.trace, std::move(label));
}

Result<Input> input_at(ingest::Source source, Context& context) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  return input_of(std::move(source), known->metrics);
}

Result<ReadRecording> read(ingest::Source source, report::Layouts layouts, Context& context) {
  TRY_ASSIGN(Input input, input_at(std::move(source), context));
  ReadRecording result;
  if (input.kind() == ingest::Kind::run_bundle) {
    TRY_ASSIGN(result.run, analyse_run(std::move(input), context, layouts));
  } else {
    TRY_ASSIGN(result.trace, analyse_trace(std::move(input), context, layouts));
  }
  return result;
}

// The endings by which recordings are known.
constexpr std::string_view recording_endings[] = {".gz", ".json", ".trace", ".pt", ".zip", ".csv", ".txt", ".log"};

// "train.pt.trace.json.gz" -> "train", "report.v1.csv" -> "report.v1", "runs/run-3f/" -> "run-3f".
std::string name_of_file(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string name = (file.has_filename() ? file : file.parent_path()).filename().string();
  std::string_view stem = name;
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view ending : recording_endings) {
      if (stem.size() <= ending.size() || !stem.ends_with(ending)) continue;
      stem.remove_suffix(ending.size());
      found = true;
    }
  }
  return printable(stem);
}

std::pair<std::string, std::string> labels_of(const RecordingSources& options) {
  std::pair<std::string, std::string> labels = {
      options.first_label.empty() ? name_of_file(options.first.name()) : printable(options.first_label),
      options.second_label.empty() ? name_of_file(options.second.name()) : printable(options.second_label)};
  return labels.first == labels.second ? std::pair(options.first_name, options.second_name) : labels;
}

using MaybeSpread = std::optional<derive::compare::BaselineSpread>;

Result<MaybeSpread> spread_of_runs(std::vector<ingest::Source> baselines, const report::ComparedRun& first, Context& context) {
  if (baselines.empty()) return MaybeSpread();
  std::vector<report::ComparedRun> runs;
  for (ingest::Source& baseline : baselines) {
    std::string name = name_of_file(baseline.name());
    TRY_ASSIGN(const ReadRecording run, read(std::move(baseline), report::Layouts::left_out, context));
    runs.push_back(compared(run, std::move(name)));
  }
  TRY_ASSIGN(const derive::compare::BaselineSpread spread, report::spread_of_runs(first, runs));
  return MaybeSpread(spread);
}

// All of a profile, or one kernel of it.
Result<report::NcuReport> profile_of(ingest::Source source, const std::string& kernel, Context& context) {
  TRY_ASSIGN(Input input, input_at(std::move(source), context));
  TRY_ASSIGN(const report::NcuReport* whole, analyse_profile(std::move(input), context));
  if (kernel.empty()) return *whole;
  return report::profile_of_kernel(*whole, kernel);
}

Result<MaybeSpread> spread_of_profiles(std::vector<ingest::Source> baselines, const std::string& kernel, const report::NcuReport& first,
                                       Context& context) {
  if (baselines.empty()) return MaybeSpread();
  std::vector<report::NcuReport> profiles;
  for (ingest::Source& baseline : baselines) {
    TRY_ASSIGN(report::NcuReport profile, profile_of(std::move(baseline), kernel, context));
    profiles.push_back(std::move(profile));
  }
  TRY_ASSIGN(const derive::compare::BaselineSpread spread, report::spread_of_profiles(first, profiles));
  return MaybeSpread(spread);
}

}  // namespace

Result<std::unique_ptr<ComparedRuns>> compare_runs(RecordingSources sources, Context& context) {
  auto [first_label, second_label] = labels_of(sources);
  auto result = std::make_unique<ComparedRuns>();
  TRY_ASSIGN(result->first, read(std::move(sources.first), report::Layouts::included, context));
  TRY_ASSIGN(result->second, read(std::move(sources.second), report::Layouts::included, context));
  report::ComparedRun before = compared(result->first, std::move(first_label));
  TRY_ASSIGN(const MaybeSpread baselines, spread_of_runs(std::move(sources.baselines), before, context));
  result->comparison = report::compare(std::move(before), result->first.trace_report(), compared(result->second, std::move(second_label)),
                                       result->second.trace_report(), sources.noise_floor_pct / 100, baselines);
  return result;
}

Result<std::unique_ptr<ComparedProfiles>> compare_profiles(RecordingSources sources, Context& context) {
  auto labels = labels_of(sources);
  const bool are_of_one_file = sources.first.name() == sources.second.name();
  auto result = std::make_unique<ComparedProfiles>();
  auto& [first, second, comparison] = *result;
  TRY_ASSIGN(first, profile_of(std::move(sources.first), sources.first_kernel, context));
  TRY_ASSIGN(second, profile_of(std::move(sources.second), sources.second_kernel, context));
  // Two kernels of one file are called by their names.
  const bool by_kernel = are_of_one_file && first.kernels.size() == 1 && second.kernels.size() == 1;
  if (by_kernel && sources.first_label.empty() && sources.second_label.empty())
    labels = {first.kernels[0].short_name, second.kernels[0].short_name};
  TRY_ASSIGN(const MaybeSpread baselines, spread_of_profiles(std::move(sources.baselines), sources.first_kernel, first, context));
  comparison = report::compare(first, second, labels.first, labels.second, baselines);
  return result;
}

}  // namespace frx::analyse
