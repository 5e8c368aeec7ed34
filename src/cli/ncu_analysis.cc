#include "cli/ncu_analysis.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "knowledge/presets.h"
#include "render/explain.h"
#include "report/code_analyst.h"
#include "report/evidence.h"
#include "render/json.h"

namespace frx::cli {
namespace {

struct Other {
  std::string_view suffix, what, hint;
};

// Files people hand over that are something else; reading them is no use.
constexpr Other others[] = {
    {".nsys-rep", "an Nsight Systems report", "this version reads Nsight Compute profiles: ncu -o report ./your_app"},
    {".sqlite", "an Nsight Systems database", "this version reads Nsight Compute profiles: ncu -o report ./your_app"},
    {".ptx", "PTX", "frx analyze reads it: frx analyze kernel.ptx"},
    {".cubin", "compiled device code", "frx analyze reads it: frx analyze kernel.cubin"},
    {".cu", "CUDA source", "frx analyze reads it; beside a profile: frx explain report.csv --source FILE"},
    {".zip", "a run bundle", "this version reads Nsight Compute profiles only"},
};

}  // namespace

void describe_analysis(Syntax& syntax, report::AnalysisOptions& options) {
  syntax.option("--gpu-model", "NAME", options.gpu_model, "the GPU, when the file does not say or is wrong: H100, 'RTX 4090', sm_86");
  syntax.option("--arch-profile", "YAML", options.arch_profile, "your own numbers for the GPU (peaks, SM count, limits), thresholds for runs");
  syntax.option("--data", "DIR", options.data_directory, "YAML files laid over the built-in metrics, GPUs, labels and advice");
}

render::Style style_of(const Io& io) { return {io.width, io.colour}; }

Progress::Progress(Io& io, std::string name, std::uint64_t total) : io_(io), name_(std::move(name)), total_(total) {}

Progress::~Progress() {
  if (shown_ >= 0) io_.err.write("\r\x1b[K");
}

std::function<void(std::uint64_t)> Progress::callback() {
  constexpr std::uint64_t worth_showing = std::uint64_t{64} << 20;
  if (!io_.err_is_terminal || total_ < worth_showing) return {};
  return [this](std::uint64_t bytes) {
    const int percent = static_cast<int>(100 * bytes / total_);
    if (percent == shown_) return;
    shown_ = percent;
    io_.err.write(fmt::format("\rreading {} {} %", shorten(printable(name_), 50), percent));
  };
}

Result<> expect_ncu_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return fail(ErrorKind::unreadable, "expected an Nsight Compute profile, found a directory").at(path).hint(
        "give the report or the CSV itself; run bundles are not read by this version");
  }
  if (!std::filesystem::exists(path, error)) return {};  // opening it says so
  for (const Other& other : others) {
    if (path.size() > other.suffix.size() && equals_ignoring_case(path.substr(path.size() - other.suffix.size()), other.suffix)) {
      return fail(ErrorKind::malformed, "expected an Nsight Compute profile, found {}", other.what).at(path).hint(std::string(other.hint));
    }
  }
  return {};
}

Result<const report::NcuReport*> analyse_file(report::Analyst& analyst, const std::string& path, Io& io) {
  TRY(expect_ncu_file(path));
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(path));
  Progress progress(io, path, source->size_hint());
  return analyst.analyse(path, *source, progress.callback());
}

namespace {

// What the source shows, and what it says together with the profile.
struct SourceEvidence {
  std::unique_ptr<report::CodeAnalyst> analyst;  // what the reports point into
  std::unique_ptr<report::CudaReport> code;
  std::unique_ptr<report::EvidenceReport> together;
};

Result<SourceEvidence> source_evidence(const report::NcuReport& report, const std::string& path, const std::string& text) {
  SourceEvidence result;
  report::AnalysisOptions options;
  options.gpu_model = report.sm_version;
  TRY_ASSIGN(result.analyst, report::CodeAnalyst::create(options));
  TRY_ASSIGN(result.code, result.analyst->inspect_cuda({{path, text}}));
  report::Evidence evidence;
  evidence.add(*result.code);
  evidence.add(report);
  TRY_ASSIGN(result.together, report::reconcile(std::move(evidence), result.analyst->knowledge()));
  return result;
}

}  // namespace

Result<std::vector<std::string>> counters_of_preset(const std::string& preset, const report::Analyst& analyst) {
  const knowledge::Knowledge& known = analyst.knowledge();
  TRY_ASSIGN(const std::vector<knowledge::Preset> presets, knowledge::load_presets(known.library, known.metrics));
  const auto at = std::ranges::find(presets, preset, &knowledge::Preset::name);
  return at == presets.end() ? std::vector<std::string>() : counters_of(*at, known.metrics);
}

Result<> write_explain_files(const report::NcuReport& report, const ExplainOptions& options, Io& io) {
  render::ExplainInput input{report, {}, {}};
  if (!options.source_path.empty()) {
    if (Result<std::string> source = read_file(options.source_path, std::uint64_t{16} << 20)) {
      input.kernel_source_path = options.source_path;
      input.kernel_source = std::move(*source);
    } else {
      io.err.write(fmt::format("{}: {}; the brief is written without it\n", io.program, to_string(source.error())));
    }
  }
  SourceEvidence source;
  if (!input.kernel_source.empty()) {
    if (Result<SourceEvidence> found = source_evidence(report, input.kernel_source_path, input.kernel_source)) {
      source = std::move(*found);
      input.code = source.code.get();
      input.together = source.together.get();
    } else {
      io.err.write(fmt::format("{}: {}; the brief is written without its findings\n", io.program, to_string(found.error())));
    }
  }
  const std::filesystem::path directory(options.directory);
  TRY(write_file(directory / "frx_summary.txt", render::explain_summary_text(input)));
  TRY(write_file(directory / "frx_llm_prompt.txt", render::explain_prompt_text(input)));
  return write_file(directory / "frx_evidence.json", render::json_text(render::explain_json(input)));
}

}  // namespace frx::cli
