#include "cli/implementation_comparison.h"

#include <algorithm>
#include <filesystem>
#include <memory>

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

constexpr std::uint64_t largest_file = std::uint64_t{4} << 30;

// The reports of one side.
struct ReadSide {
  std::string path, label;
  std::unique_ptr<report::CudaReport> cuda;
  std::unique_ptr<report::PtxReport> ptx;
  const report::NcuReport* ncu = nullptr;
  std::unique_ptr<report::NcuReport> one_kernel;  // of the profile, when one was asked for

  report::Implementation implementation() const { return {label, printable(path), cuda.get(), ptx.get(), ncu}; }
};

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

Result<> read_ptx(ReadSide& side, const std::string& path, const Reading& reading) {
  TRY_ASSIGN(std::string text, read_file(path, largest_file));
  TRY_ASSIGN(side.ptx, reading.analyst.analyse_ptx(path, std::move(text), reading.compiler_for(path)));
  return {};
}

Result<> read(ReadSide& side, const std::string& code, const std::string& ptx, const Reading& reading) {
  if (!ptx.empty()) TRY(read_ptx(side, ptx, reading));
  if (code.empty()) return {};
  ingest::Source source = ingest::Source::at(code);
  TRY_ASSIGN(const ingest::Recognised found, ingest::recognise(source, reading.analyst.knowledge().metrics));
  TRY_ASSIGN(std::string text, source.text(largest_file));
  if (found.format && found.format->kind == ingest::Kind::ptx) {
    TRY_ASSIGN(side.ptx, reading.analyst.analyse_ptx(source.name(), std::move(text), reading.compiler_for(source.path())));
    return {};
  }
  std::vector<std::pair<std::string, std::string>> program;
  program.emplace_back(source.name(), std::move(text));
  TRY_ASSIGN(side.cuda, reading.analyst.inspect_cuda(std::move(program)));
  return {};
}

// What was compiled is in no file yet, and ptxas reads one.
Result<std::unique_ptr<report::PtxReport>> analyse_compiled(const std::string& name, std::string text, const Reading& reading) {
  if (!reading.options.with_ptxas) return reading.analyst.analyse_ptx(name, std::move(text));
  TRY_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make(reading.host.variable("TMPDIR").value_or("/tmp")));
  const std::string path = folder.file("kernel.ptx");
  TRY(write_file(path, text));
  return reading.analyst.analyse_ptx(name, std::move(text), reading.compiler_for(path));
}

Result<> compile(ReadSide& side, const Reading& reading) {
  const auto& [options, analyst, host] = reading;
  TRY_ASSIGN(capture::CompiledPtx ptx, capture::compile_to_ptx(side.path, analyst.gpu_architecture(), options.build_flags, host));
  const std::string name = fs::path(side.path).filename().replace_extension(".ptx").string();
  TRY_ASSIGN(side.ptx, analyse_compiled(name, std::move(ptx.text), reading));
  side.cuda->notes.push_back(
      fmt::format("compiled to PTX for {} by {}", side.ptx->target.empty() ? "an unknown GPU" : side.ptx->target, ptx.compiler));
  return {};
}

// PTX confirms or withdraws what the source seems to say. On one side only it would make that side look better.
void compile_both(ReadSide& first, ReadSide& second, const Reading& reading, std::vector<EvidenceFailure>& failures) {
  if (first.ptx && second.ptx) return;  // given, and shown beside the source
  for (ReadSide* side : {&first, &second}) {
    if (!side->cuda || side->ptx) continue;
    if (Result<> compiled = compile(*side, reading); !compiled)
      failures.push_back({"ptx", side->label, "compile", in_one_line(compiled.error())});
  }
  if (!first.cuda || !second.cuda || !first.ptx || !second.ptx) return;
  report::confirm_with_ptx(*first.cuda, *first.ptx);
  report::confirm_with_ptx(*second.cuda, *second.ptx);
}

Result<> read_profiles(ReadSide& first, ReadSide& second, const ImplementationOptions& options, Session& session) {
  if (!options.first_ncu.empty()) {
    TRY_ASSIGN(first.ncu, session.profile(options.first_ncu));
  }
  if (!options.second_ncu.empty()) {
    TRY_ASSIGN(second.ncu, session.profile(options.second_ncu));
  }
  return {};
}

// Of each side that has a profile.
Result<> choose_kernels(ReadSide& first, ReadSide& second, const ImplementationOptions& options) {
  for (auto& [side, kernel] : {std::pair(&first, &options.first_kernel), std::pair(&second, &options.second_kernel)}) {
    if (kernel->empty() || !side->ncu) continue;
    TRY_ASSIGN(report::NcuReport alone, report::profile_of_kernel(*side->ncu, *kernel));
    side->one_kernel = std::make_unique<report::NcuReport>(std::move(alone));
    side->ncu = side->one_kernel.get();
  }
  return {};
}

// A program that failed has not done its work: the time of what it did do would make it look fast.
Result<const report::NcuReport*> profile(const ReadSide& side, const ImplementationOptions& options, const std::string& architecture,
                                         report::Analyst& analyst, Io& io) {
  if (!io.host->program("ncu"))  // asked before minutes of compiling
    return fail(ErrorKind::environment, "Nsight Compute (ncu) was not found, neither on PATH nor where CUDA installs it")
        .hint("install it, or profile where it is (frx ncu-command full -- ./your_app) and bring the files here: --ncu-a, --ncu-b");
  capture::NcuRequest request;
  TRY_ASSIGN(request.counters, counters_of_preset("full", analyst.knowledge()));
  TRY_ASSIGN(const capture::CompiledProgram program, capture::compile_program(side.path, architecture, options.build_flags, *io.host));
  request.workload = {program.path};
  TRY_ASSIGN(const capture::NcuCapture captured, capture::profile_with_ncu(request, *io.host, options.time_limit));
  if (captured.application_code != 0)
    return fail(ErrorKind::environment, "{}", captured.notes.empty() ? "the program failed" : captured.notes.back());
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(captured.csv_path));
  return analyst.analyse("ncu of " + side.label, *source);
}

void profile_both(ReadSide& first, ReadSide& second, const ImplementationOptions& options, const std::string& architecture,
                  report::Analyst& analyst, Io& io, std::vector<EvidenceFailure>& failures) {
  for (ReadSide* side : {&first, &second}) {
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

Result<> expect_shared_layer(const report::ImplementationComparison& comparison, const ReadSide& first, const ReadSide& second) {
  if (first.cuda && second.cuda) return {};
  if (comparison.ptx.is_available || comparison.ncu.is_available || (first.ptx && second.ptx)) return {};
  return fail(ErrorKind::not_enough,
              "compare: the two sides have no evidence of one kind (CUDA source, PTX, profile) that could be compared")
      .hint((first.cuda && second.ptx) || (second.cuda && first.ptx) ? "--with-ptx compiles the source"
                                                                     : "give source, PTX or a profile of both");
}

std::size_t unfollowed(const report::Implementation& side) {
  if (!side.cuda) return 0;
  return static_cast<std::size_t>(std::ranges::count(side.cuda->inspection.kernels, false, &model::cuda::Kernel::is_complete));
}

Result<int> judged(const report::ImplementationComparison& comparison, const ImplementationOptions& options) {
  if (!options.fail_on.empty()) {
    const model::Severity limit = severity_named(options.fail_on);
    const auto reached = std::ranges::count_if(comparison.changes(report::Change::appeared),
                                               [&](const report::FindingChange* change) { return change->second->severity >= limit; });
    if (reached > 0)
      return fail(ErrorKind::negative, "{} new in {} of severity {} or above", count_text(static_cast<std::size_t>(reached), "finding"),
                  comparison.second.label, options.fail_on);
    // What nobody can follow has no findings.
    const std::size_t before = unfollowed(comparison.first), now = unfollowed(comparison.second);
    if (now > before)
      return fail(ErrorKind::unreadable, "{} of {} too long or too deeply nested to follow to the end", count_text(now, "kernel"),
                  comparison.second.label);
  }
  return options.fail_on_regression && comparison.verdict.winner == report::Side::first ? 1 : 0;
}

std::string first_given(std::initializer_list<std::string_view> paths) {
  return std::string(*std::ranges::find_if(paths, [](std::string_view path) { return !path.empty(); }));
}

std::string name_of(const std::string& path) { return ingest::Source::at(path).name(); }

std::string label_of(const std::string& given, const std::string& path) { return printable(given.empty() ? file_name_in(path) : given); }

}  // namespace

Result<int> compare_implementations(const ImplementationOptions& options, const report::AnalysisOptions& analysis, Io& io) {
  Session session(analysis, io);
  TRY_ASSIGN(const report::CodeAnalyst* analyst, session.context().code());
  TRY_ASSIGN(const report::ComparisonKnowledge known, report::ComparisonKnowledge::load(analyst->knowledge()));
  TRY_ASSIGN(report::Analyst * profile_analyst, session.context().profiles());
  ReadSide first, second;
  first.path = name_of(first_given({options.first, options.first_ptx, options.first_ncu}));
  second.path = name_of(first_given({options.second, options.second_ptx, options.second_ncu}));
  first.label = label_of(options.first_label, first.path);
  second.label = label_of(options.second_label, second.path);
  if (first.label == second.label) std::tie(first.label, second.label) = std::pair("A", "B");
  const Reading reading{options, *analyst, *io.host};
  TRY(read(first, options.first, options.first_ptx, reading));
  TRY(read(second, options.second, options.second_ptx, reading));
  std::vector<EvidenceFailure> failures;
  if (options.with_ptx || options.with_ncu) compile_both(first, second, reading, failures);
  TRY(read_profiles(first, second, options, session));
  if (options.with_ncu) profile_both(first, second, options, analyst->gpu_architecture(), *profile_analyst, io, failures);
  TRY(choose_kernels(first, second, options));
  const report::ImplementationComparison comparison =
      report::compare(first.implementation(), second.implementation(), known, std::move(failures));
  TRY(expect_shared_layer(comparison, first, second));
  TRY(print_answer(io, compose::answer_of(borrowed(comparison), options.mode != "comparison"), options.format));
  return judged(comparison, options);
}

}  // namespace frx::cli
