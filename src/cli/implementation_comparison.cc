#include "cli/implementation_comparison.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "analyse/implementations.h"
#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/ncu.h"
#include "capture/program_compiler.h"
#include "capture/ptx_compiler.h"
#include "cli/analysis.h"
#include "cli/code_analysis.h"
#include "cli/print_answer.h"
#include "compose/answers.h"
#include "report/code_analyst.h"
#include "report/confirm_with_ptx.h"
#include "report/implementation_comparison.h"
#include "report/ncu_times.h"

namespace frx::cli {
namespace {

namespace fs = std::filesystem;
using report::EvidenceFailure;

using analyse::ReadImplementation;

// What reading needs to know beside the files.
struct Reading {
  const ImplementationOptions& options;
  const report::CodeAnalyst& analyst;
  const capture::Host& host;

  // Of the PTX in the file at `path`.
  report::PtxCompiler compiler_for(const std::string& path) const {
    return options.with_ptxas ? analyse::ptxas_for(path, host) : report::PtxCompiler();
  }
};

// What was compiled is in no file yet, and ptxas reads one.
Result<std::unique_ptr<report::PtxReport>> analyse_compiled(const std::string& name, std::string text, const Reading& reading) {
  if (!reading.options.with_ptxas) return reading.analyst.analyse_ptx(name, std::move(text));
  TRY_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make(reading.host.variable("TMPDIR").value_or("/tmp")));
  const std::string path = folder.file("kernel.ptx");
  TRY(write_file(path, text));
  return reading.analyst.analyse_ptx(name, std::move(text), reading.compiler_for(path));
}

Result<> compile(ReadImplementation& side, const Reading& reading) {
  const auto& [options, analyst, host] = reading;
  TRY_ASSIGN(capture::CompiledPtx ptx, capture::compile_to_ptx(side.path, analyst.gpu_architecture(), options.build_flags, host));
  const std::string name = fs::path(side.path).filename().replace_extension(".ptx").string();
  TRY_ASSIGN(side.ptx, analyse_compiled(name, std::move(ptx.text), reading));
  side.cuda->notes.push_back(
      fmt::format("compiled to PTX for {} by {}", side.ptx->target.empty() ? "an unknown GPU" : side.ptx->target, ptx.compiler));
  return {};
}

// PTX confirms or withdraws what the source seems to say. On one side only it would make that side look better.
void compile_both(ReadImplementation& first, ReadImplementation& second, const Reading& reading, std::vector<EvidenceFailure>& failures) {
  if (first.ptx && second.ptx) return;  // given, and shown beside the source
  for (ReadImplementation* side : {&first, &second}) {
    if (!side->cuda || side->ptx) continue;
    if (Result<> compiled = compile(*side, reading); !compiled)
      failures.push_back({"ptx", side->label, "compile", in_one_line(compiled.error())});
  }
  if (!first.cuda || !second.cuda || !first.ptx || !second.ptx) return;
  report::confirm_with_ptx(*first.cuda, *first.ptx);
  report::confirm_with_ptx(*second.cuda, *second.ptx);
}

// A program that failed has not done its work: the time of what it did do would make it look fast.
Result<const report::NcuReport*> profile(const ReadImplementation& side, const ImplementationOptions& options,
                                         const std::string& architecture, report::Analyst& analyst, Io& io) {
  if (!io.host->program("ncu"))  // asked before minutes of compiling
    return fail(ErrorKind::environment, "Nsight Compute (ncu) was not found, neither on PATH nor where CUDA installs it")
        .hint("install it, or profile where it is (frx ncu-command full -- ./your_app) and bring the files here: --ncu-a, --ncu-b");
  capture::NcuRequest request;
  TRY_ASSIGN(const std::optional<model::ComputeCapability> gpu, live_capability({}, analyst.knowledge(), io));
  request.counters = counters_of_preset("full", analyst.knowledge(), gpu);
  TRY_ASSIGN(const capture::CompiledProgram program, capture::compile_program(side.path, architecture, options.build_flags, *io.host));
  request.workload = {program.path};
  TRY_ASSIGN(const capture::NcuCapture captured, capture::profile_with_ncu(request, *io.host, options.time_limit));
  if (captured.application_code != 0)
    return fail(ErrorKind::environment, "{}", captured.notes.empty() ? "the program failed" : captured.notes.back());
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(captured.csv_path));
  return analyst.analyse("ncu of " + side.label, *source);
}

void profile_both(ReadImplementation& first, ReadImplementation& second, const ImplementationOptions& options,
                  const std::string& architecture, report::Analyst& analyst, Io& io, std::vector<EvidenceFailure>& failures) {
  for (ReadImplementation* side : {&first, &second}) {
    if (!side->cuda || side->ncu) continue;
    io.err.write(fmt::format("compiling and profiling {}\n", printable(side->path)));
    Result<const report::NcuReport*> report = profile(*side, options, architecture, analyst, io);
    if (report) {
      side->ncu = *report;
      continue;
    }
    Error error = std::move(report).error();
    const bool refused = error.kind == ErrorKind::malformed;
    // What ncu advises names the program, which is gone by now.
    if (!refused && error.hint.find("/program") != error.hint.npos)
      error.hint = "compile it and run it alone first; options go into --build-flags";
    failures.push_back({"ncu", side->label, refused ? "compile" : "run", in_one_line(error)});
  }
}

std::size_t unfollowed(const report::Implementation& side) { return side.cuda ? side.cuda->inspection.unfollowed() : 0; }

Result<int> judged(const report::ImplementationComparison& comparison, const ImplementationOptions& options) {
  if (!options.fail_on.empty()) {
    const model::Severity limit = model::severity_named(options.fail_on);
    const auto reached = std::ranges::count_if(comparison.changes(report::Change::appeared),
                                               [&](const report::FindingChange* change) { return change->second->severity >= limit; });
    if (reached > 0)
      return fail(ErrorKind::negative, "{} new in {} of severity {} or above", count_text(static_cast<std::size_t>(reached), "finding"),
                  comparison.second.label, options.fail_on);
    // A kernel that was not followed to its end has no findings, which proves nothing.
    const std::size_t before = unfollowed(comparison.first), now = unfollowed(comparison.second);
    if (now > before)
      return fail(ErrorKind::unreadable, "{} of {} too long or too deeply nested to follow to the end", count_text(now, "kernel"),
                  comparison.second.label);
  }
  return options.fail_on_regression && comparison.verdict.winner == report::Side::first ? 1 : 0;
}

std::optional<ingest::Source> source_at(const std::string& path) {
  return path.empty() ? std::nullopt : std::optional(ingest::Source::at(path));
}

analyse::ImplementationSources sources_of(const std::string& code, const std::string& ptx, const std::string& profile,
                                          const std::string& label, const std::string& kernel) {
  return {source_at(code), source_at(ptx), source_at(profile), label, kernel};
}

}  // namespace

Result<int> compare_implementations(const ImplementationOptions& options, const report::AnalysisOptions& analysis, Io& io) {
  Session session(analysis, io);
  TRY_ASSIGN(const report::CodeAnalyst* analyst, session.context().code());
  TRY_ASSIGN(const report::ComparisonKnowledge known, report::ComparisonKnowledge::load(analyst->knowledge()));
  TRY_ASSIGN(report::Analyst * profile_analyst, session.context().profiles());
  const Reading reading{options, *analyst, *io.host};
  analyse::ImplementationSources before =
      sources_of(options.first, options.first_ptx, options.first_ncu, options.first_label, options.first_kernel);
  analyse::ImplementationSources after =
      sources_of(options.second, options.second_ptx, options.second_ncu, options.second_label, options.second_kernel);
  TRY_ASSIGN(auto sides, analyse::read_code(before, after, *analyst, [&](const std::string& path) { return reading.compiler_for(path); }));
  auto& [first, second] = sides;
  std::vector<EvidenceFailure> failures;
  if (options.with_ptx || options.with_ncu) compile_both(first, second, reading, failures);
  TRY(analyse::read_profile(first, before, session.context()));
  TRY(analyse::read_profile(second, after, session.context()));
  if (options.with_ncu) profile_both(first, second, options, analyst->gpu_architecture(), *profile_analyst, io, failures);
  TRY(analyse::choose_kernel(first, options.first_kernel));
  TRY(analyse::choose_kernel(second, options.second_kernel));
  TRY_ASSIGN(const report::ImplementationComparison comparison, analyse::compared(first, second, known, std::move(failures)));
  TRY(print_answer(io, compose::answer_of(borrowed(comparison), options.mode != "comparison"), options.format));
  return judged(comparison, options);
}

}  // namespace frx::cli
