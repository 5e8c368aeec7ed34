#include "cli/explain_brief.h"

#include <filesystem>

#include "base/files.h"
#include "render/json.h"
#include "render/ptx_brief.h"

namespace frx::cli {
namespace {

constexpr std::uint64_t largest_source = std::uint64_t{16} << 20;

// "" with a warning when it cannot be read.
std::string source_at(const std::string& path, Io& io) {
  if (path.empty()) return {};
  Result<std::string> source = read_file(path, largest_source);
  if (source) return std::move(*source);
  io.err.write(fmt::format("{}: {}; the brief is written without it\n", io.program, to_string(source.error())));
  return {};
}

// The files of docs/contract.md, section 4.5.
Result<> write_files(const std::string& directory, const std::string& summary, const std::string& prompt, const render::Json& evidence) {
  const std::filesystem::path folder(directory);
  TRY(write_file(folder / "frx_summary.txt", summary));
  TRY(write_file(folder / "frx_llm_prompt.txt", prompt));
  return write_file(folder / "frx_evidence.json", render::json_text(evidence));
}

}  // namespace

Brief::Brief(const report::NcuReport& report, const std::string& source_path, const report::AnalysisOptions& analysis, Io& io)
    : input_{report, {}, {}} {
  input_.kernel_source = source_at(source_path, io);
  if (input_.kernel_source.empty()) return;
  input_.kernel_source_path = source_path;
  if (Result<> inspected = inspect_source(analysis); !inspected)
    io.err.write(fmt::format("{}: {}; the brief is written without its findings\n", io.program, to_string(inspected.error())));
}

Result<> Brief::inspect_source(report::AnalysisOptions analysis) {
  if (analysis.gpu_model.empty()) analysis.gpu_model = input_.report.sm_version;
  TRY_ASSIGN(analyst_, report::CodeAnalyst::create(analysis));
  TRY_ASSIGN(code_, analyst_->inspect_cuda({{input_.kernel_source_path, input_.kernel_source}}));
  report::Evidence evidence;
  evidence.add(*code_);
  evidence.add(input_.report);
  TRY_ASSIGN(together_, report::reconcile(std::move(evidence), analyst_->knowledge()));
  input_.code = code_.get();
  input_.together = together_.get();
  return {};
}

std::string Brief::prompt() const { return render::explain_prompt_text(input_); }

Result<> Brief::write_into(const std::string& directory) const {
  return write_files(directory, render::explain_summary_text(input_), prompt(), render::explain_json(input_));
}

Result<> write_ptx_brief(const report::PtxReport& report, const ExplainOptions& options, Io& io) {
  render::PtxBrief brief{report, {}, source_at(options.source_path, io)};
  if (!brief.kernel_source.empty()) brief.kernel_source_path = options.source_path;
  return write_files(options.directory, render::ptx_brief_summary(brief), render::ptx_brief_prompt(brief), render::ptx_brief_json(brief));
}

}  // namespace frx::cli
