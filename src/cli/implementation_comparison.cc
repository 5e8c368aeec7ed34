#include "cli/implementation_comparison.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "capture/ncu.h"
#include "capture/program_compiler.h"
#include "capture/ptx_compiler.h"
#include "cli/code_analysis.h"
#include "cli/json_output.h"
#include "cli/ncu_analysis.h"
#include "render/code_findings.h"
#include "render/evidence.h"
#include "render/implementation_comparison.h"
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

  report::PtxCompiler compiler_for(const std::string& path) const {
    return options.with_ptxas ? ptxas_for(path, host) : report::PtxCompiler();
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
  if (code_kind_of(code) == CodeKind::ptx) return read_ptx(side, code, reading);
  TRY_ASSIGN(std::string text, read_file(code, largest_file));
  std::vector<std::pair<std::string, std::string>> program;
  program.emplace_back(code, std::move(text));
  TRY_ASSIGN(side.cuda, reading.analyst.inspect_cuda(std::move(program)));
  return {};
}

Result<> compile(ReadSide& side, const Reading& reading) {
  TRY_ASSIGN(capture::CompiledPtx ptx, capture::compile_to_ptx(side.path, reading.analyst.gpu_architecture(), reading.options.build_flags, reading.host));
  const std::string name = fs::path(side.path).filename().replace_extension(".ptx").string();
  // ptxas reads a file.
  std::optional<TemporaryDirectory> folder;
  if (reading.options.with_ptxas) {
    TRY_ASSIGN(folder, TemporaryDirectory::make(reading.host.variable("TMPDIR").value_or("/tmp")));
    TRY(write_file(folder->file("kernel.ptx"), ptx.text));
  }
  TRY_ASSIGN(side.ptx, reading.analyst.analyse_ptx(name, std::move(ptx.text), folder ? reading.compiler_for(folder->file("kernel.ptx")) : report::PtxCompiler()));
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

Result<> read_profiles(ReadSide& first, ReadSide& second, const ImplementationOptions& options, report::Analyst& analyst, Io& io) {
  if (!options.first_ncu.empty()) {
    TRY_ASSIGN(first.ncu, analyse_file(analyst, options.first_ncu, io));
  }
  if (!options.second_ncu.empty()) {
    TRY_ASSIGN(second.ncu, analyse_file(analyst, options.second_ncu, io));
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
  TRY_ASSIGN(request.counters, counters_of_preset("full", analyst));
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

// Those that stand in the second alone.
std::vector<model::CodeFinding> new_findings(const report::ImplementationComparison& comparison) {
  std::vector<model::CodeFinding> found;
  for (const report::FindingChange* change : comparison.changes(report::Change::appeared)) found.push_back(*change->second);
  return found;
}

void print(const report::ImplementationComparison& comparison, const ImplementationOptions& options, Io& io) {
  if (options.format == "markdown") {
    io.out.write(render::implementation_comparison_markdown(comparison));
  } else if (options.format == "sarif") {
    io.out.write(render::json_text(render::sarif_json(new_findings(comparison), {}, FRX_VERSION)) + "\n");
  } else if (options.format == "github") {
    io.out.write(render::github_text(new_findings(comparison), {}));
  } else if (options.format != "json") {
    io.out.write(render::implementation_comparison_text(comparison, style_of(io)));
  } else if (options.mode == "comparison") {
    write_json(io, options.mode, render::implementation_comparison_json(comparison));
  } else {
    write_json(io, options.mode,
               {{"comparison", render::implementation_comparison_json(comparison)},
                {"reconciliation", render::evidence_json(*comparison.first_evidence)},
                {"reconciliation_b", render::evidence_json(*comparison.second_evidence)},
                {"evidence_failures", render::evidence_failures_json(comparison)}});
  }
}

Result<int> judged(const report::ImplementationComparison& comparison, const ImplementationOptions& options) {
  if (!options.fail_on.empty()) {
    const model::Severity limit = severity_named(options.fail_on);
    const auto reached = std::ranges::count_if(new_findings(comparison), [&](const model::CodeFinding& one) { return one.severity >= limit; });
    if (reached > 0)
      return fail(ErrorKind::negative, "{} new in {} of severity {} or above", count_text(static_cast<std::size_t>(reached), "finding"),
                  comparison.second.label, options.fail_on);
  }
  return options.fail_on_regression && comparison.verdict.winner == report::Side::first ? 1 : 0;
}

std::string first_given(std::initializer_list<std::string_view> paths) {
  return std::string(*std::ranges::find_if(paths, [](std::string_view path) { return !path.empty(); }));
}

std::string label_of(const std::string& given, const std::string& path) { return printable(given.empty() ? file_name_in(path) : given); }

}  // namespace

bool is_implementation(const std::string& path) {
  const CodeKind kind = code_kind_of(path);
  return kind == CodeKind::cuda || kind == CodeKind::ptx;
}

Result<int> compare_implementations(const ImplementationOptions& options, const report::AnalysisOptions& analysis, Io& io) {
  TRY_ASSIGN(const std::unique_ptr<report::CodeAnalyst> analyst, report::CodeAnalyst::create(analysis));
  TRY_ASSIGN(const report::ComparisonKnowledge known, report::ComparisonKnowledge::load(analyst->knowledge()));
  TRY_ASSIGN(const std::unique_ptr<report::Analyst> profile_analyst, report::Analyst::create(analysis));
  ReadSide first, second;
  first.path = first_given({options.first, options.first_ptx, options.first_ncu});
  second.path = first_given({options.second, options.second_ptx, options.second_ncu});
  first.label = label_of(options.first_label, first.path);
  second.label = label_of(options.second_label, second.path);
  if (first.label == second.label) std::tie(first.label, second.label) = std::pair("A", "B");
  const Reading reading{options, *analyst, *io.host};
  TRY(read(first, options.first, options.first_ptx, reading));
  TRY(read(second, options.second, options.second_ptx, reading));
  std::vector<EvidenceFailure> failures;
  if (options.with_ptx || options.with_ncu) compile_both(first, second, reading, failures);
  TRY(read_profiles(first, second, options, *profile_analyst, io));
  if (options.with_ncu) profile_both(first, second, options, analyst->gpu_architecture(), *profile_analyst, io, failures);
  TRY(choose_kernels(first, second, options));
  const report::ImplementationComparison comparison =
      report::compare(first.implementation(), second.implementation(), known, std::move(failures));
  TRY(expect_shared_layer(comparison, first, second));
  print(comparison, options, io);
  return judged(comparison, options);
}

}  // namespace frx::cli
