#include "cli/analysis.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/free_memory.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/nsys.h"
#include "cli/kernel_commands.h"
#include "ingest/format.h"
#include "knowledge/gpu_match.h"
#include "knowledge/presets.h"

namespace frx::cli {
void describe_analysis(Syntax& syntax, report::AnalysisOptions& options) {
  syntax.option("--gpu-model", "NAME", options.gpu_model, "the GPU, when the file does not say or is wrong: H100, 'RTX 4090', sm_86");
  syntax.note_preset("--gpu-model", options.gpu_is_fallback);
  syntax.option("--arch-profile", "YAML", options.arch_profile,
                "your own numbers for the GPU (peaks, SM count, limits) and thresholds of labels");
  syntax.option("--data", "DIR", options.data_directory, "YAML files laid over the built-in metrics, GPUs, labels and advice");
}

Progress::Progress(Io& io, std::string name, std::uint64_t total, std::function<Clock::time_point()> now)
    : io_(io), name_(std::move(name)), total_(total), now_(std::move(now)), started_(now_()), shown_(started_) {}

Progress::~Progress() {
  if (is_shown_) io_.err.write_as_it_is("\r\x1b[K");
}

std::function<void(std::uint64_t)> Progress::callback() {
  constexpr std::uint64_t worth_showing = std::uint64_t{64} << 20;
  if (!io_.err_is_terminal || total_ < worth_showing) return {};
  return [this](std::uint64_t bytes) {
    const Clock::time_point now = now_();
    if (now - shown_ < std::chrono::milliseconds(100)) return;  // a terminal is slow
    shown_ = now;
    is_shown_ = true;
    const double read = static_cast<double>(bytes), all = static_cast<double>(total_);
    const double seconds = std::chrono::duration<double>(now - started_).count(), rate = read / seconds;
    std::string line = fmt::format("reading {}: {} of {}, {}", shorten(printable(name_), 40), format_quantity(read, "byte"),
                                   format_quantity(all, "byte"), format_quantity(rate, "byte") + "/s");
    // A file that grows is longer than it was.
    if (rate > 0 && read < all) line += fmt::format(", {:.0f} s left", std::ceil((all - read) / rate));
    io_.err.write_as_it_is(fmt::format("\r{}\x1b[K", clip(line, static_cast<std::size_t>(std::max(io_.width - 1, 20)))));
  };
}

Session::Session(analyse::Options options, Io& io) : io_(io), progress_(std::make_shared<std::optional<Progress>>()) {
  options.host = io.host;
  options.progress = [this, progress = progress_](const std::string& name, std::uint64_t bytes) {
    return progress->emplace(io_, name, bytes).callback();
  };
  if (io.err_is_terminal) {
    options.files_done = [&io](std::size_t done, std::size_t all) {
      constexpr std::size_t worth_showing = 20;
      if (all > worth_showing) io.err.write_as_it_is(done < all ? fmt::format("\ranalysing code: {} of {} files", done, all) : "\r\x1b[K");
    };
  }
  context_ = std::make_shared<analyse::Context>(std::move(options));
  io.kept.push_back(context_);
}

Result<std::vector<analyse::Input>> Session::inputs(const std::vector<std::string>& paths) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context_->knowledge());
  TRY_ASSIGN(std::vector<analyse::Input> inputs, analyse::inputs_of(ingest::Source::at_each(paths), known->metrics));
  for (analyse::Input& input : inputs) TRY(export_report(input));
  return inputs;
}

// A report of Nsight Systems becomes its export, which is removed when the command has ended.
Result<> Session::export_report(analyse::Input& input, const std::string& called) {
  if (input.format != &ingest::nsys_report_format || input.source.path().empty()) return {};
  const std::optional<std::string> nsys = io_.host->program(called);
  if (!nsys) return {};  // the format says what to do
  TRY_ASSIGN(TemporaryDirectory made, TemporaryDirectory::make(std::filesystem::temp_directory_path().string()));
  const auto folder = std::make_shared<const TemporaryDirectory>(std::move(made));
  io_.kept.push_back(folder);
  const std::string database = folder->file("export.sqlite"), name = input.source.name();
  io_.log(LogLevel::info, "capture", fmt::format("exporting {} with nsys", printable(name)));
  TRY(capture::export_with_nsys(*nsys, input.source.path(), database, *io_.host));
  input.source = ingest::Source::at(database).named(name);
  input.format = &ingest::nsys_database_format;
  input.match = ingest::Match::certain;
  return {};
}

Result<analyse::Input> Session::input(const std::string& path, const std::string& nsys) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context_->knowledge());
  analyse::Input input = analyse::input_of(ingest::Source::at(path), known->metrics);
  TRY(export_report(input, nsys));
  return input;
}

Result<analyse::Analysis> Session::analyse(std::vector<analyse::Input> inputs) {
  const auto have = [&](ingest::Kind kind) { return std::ranges::find(inputs, kind, &analyse::Input::kind) != inputs.end(); };
  if (have(ingest::Kind::trace))
    return_large_blocks();
  else if (have(ingest::Kind::cuda))
    keep_freed_memory();
  Result<analyse::Analysis> analysis = analyse::analyse(std::move(inputs), *context_);
  progress_->reset();
  return analysis;
}

Result<analyse::Analysis> Session::analyse(const std::vector<std::string>& paths) {
  TRY_ASSIGN(std::vector<analyse::Input> all, inputs(paths));
  return analyse(std::move(all));
}

Result<const report::NcuReport*> Session::profile(analyse::Input input) {
  Result<const report::NcuReport*> report = analyse::analyse_profile(std::move(input), *context_);
  progress_->reset();
  return report;
}

Result<const report::NcuReport*> Session::profile(const std::string& path) {
  TRY_ASSIGN(analyse::Input one, input(path));
  return profile(std::move(one));
}

Result<std::unique_ptr<report::TraceReport>> Session::trace(analyse::Input input) {
  Result<std::unique_ptr<report::TraceReport>> report = analyse::analyse_trace(std::move(input), *context_);
  progress_->reset();
  return report;
}

Result<std::shared_ptr<const report::RunReport>> Session::run(analyse::Input input, report::Layouts layouts) {
  return analyse::analyse_run(std::move(input), *context_, layouts);
}

Result<std::optional<model::ComputeCapability>> capability_of(const std::string& gpu_model, const knowledge::GpuCatalogue& gpus) {
  TRY_ASSIGN(const knowledge::GpuMatch match, knowledge::match_option(gpus, gpu_model));
  return match.limits ? std::optional(match.limits->cc) : std::nullopt;
}

Result<std::optional<model::ComputeCapability>> live_capability(const std::string& gpu_model, const knowledge::Knowledge& known,
                                                                const Io& io) {
  if (!gpu_model.empty()) return capability_of(gpu_model, known.gpus);
  const std::string present = gpu_called(present_gpus(io));
  if (present.empty()) return std::optional<model::ComputeCapability>();
  const auto capability = capability_of(present, known.gpus);
  return capability ? *capability : std::nullopt;
}

void add_counters(std::vector<std::string>& counters, std::span<const std::string> more) {
  for (const std::string& one : more) {
    if (!one.empty() && std::ranges::find(counters, one) == counters.end()) counters.push_back(one);
  }
}

std::vector<std::string> counters_of_preset(std::string_view preset, const knowledge::Knowledge& known,
                                            std::optional<model::ComputeCapability> gpu, std::span<const std::string> besides) {
  const auto at = std::ranges::find(known.presets, preset, &knowledge::Preset::name);
  if (at == known.presets.end()) return {};
  std::vector<std::string> counters = counters_of(*at, known.metrics, gpu);
  add_counters(counters, besides);
  for (const knowledge::CountersNotOnGpu& lacking : at->not_on) {
    if (gpu != lacking.cc) continue;
    for (const model::Metric metric : lacking.metrics) std::erase(counters, counter_of(known.metrics[metric]));
  }
  return counters;
}

}  // namespace frx::cli
