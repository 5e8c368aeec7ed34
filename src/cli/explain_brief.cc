#include "cli/explain_brief.h"

#include <array>

#include "base/files.h"
#include "cli/print_answer.h"
#include "compose/answers.h"
#include "report/finding_tiers.h"

namespace frx::cli {
namespace {

constexpr std::uint64_t largest_source = std::uint64_t{16} << 20;

}  // namespace

std::optional<compose::KernelSource> source_for_brief(const std::string& path, Io& io) {
  if (path.empty()) return {};
  Result<std::string> text = read_file(path, largest_source);
  if (text) return compose::KernelSource{path, std::move(*text)};
  io.err.write(fmt::format("{}: {}; the brief is written without it\n", io.program, to_string(text.error())));
  return {};
}

Brief::Brief(const report::NcuReport& report, const std::string& source_path, const report::AnalysisOptions& analysis, Io& io)
    : input_{report} {
  std::optional<compose::KernelSource> source = source_for_brief(source_path, io);
  if (!source) return;
  input_.source = std::move(*source);
  if (Result<> inspected = inspect_source(analysis); !inspected)
    io.err.write(fmt::format("{}: {}; the brief is written without its findings\n", io.program, to_string(inspected.error())));
}

Result<> Brief::inspect_source(report::AnalysisOptions analysis) {
  if (analysis.gpu_model.empty()) analysis.gpu_model = input_.report.sm_version;
  TRY_ASSIGN(analyst_, report::CodeAnalyst::create(analysis));
  TRY_ASSIGN(code_, analyst_->inspect_cuda({{input_.source.path, input_.source.text}}));
  report::Evidence evidence;
  evidence.add(*code_);
  evidence.add(input_.report);
  TRY_ASSIGN(together_, report::reconcile(std::move(evidence), analyst_->knowledge()));
  report::settle_findings(std::array{code_.get()});
  input_.code = code_.get();
  input_.together = together_.get();
  return {};
}

answer::Answer Brief::answer() const { return compose::answer_of(borrowed(input_.report), input_); }

}  // namespace frx::cli
