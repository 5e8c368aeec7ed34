#include "cli/ncu_analysis.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "knowledge/presets.h"

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
  syntax.option("--arch-profile", "YAML", options.arch_profile, "your own numbers for the GPU (peaks, SM count, limits) and thresholds of labels");
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

Result<std::vector<std::string>> counters_of_preset(const std::string& preset, const report::Analyst& analyst) {
  const knowledge::Knowledge& known = analyst.knowledge();
  TRY_ASSIGN(const std::vector<knowledge::Preset> presets, knowledge::load_presets(known.library, known.metrics));
  const auto at = std::ranges::find(presets, preset, &knowledge::Preset::name);
  return at == presets.end() ? std::vector<std::string>() : counters_of(*at, known.metrics);
}

}  // namespace frx::cli
