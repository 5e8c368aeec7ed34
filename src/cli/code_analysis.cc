#include "cli/code_analysis.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "base/files.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/ptx_compiler.h"
#include "capture/ptxas.h"
#include "cli/json_output.h"
#include "cli/ncu_analysis.h"
#include "ingest/fatbin/images.h"
#include "ingest/ptx/read_module.h"
#include "render/code_findings.h"
#include "render/cuda_report.h"
#include "render/device_report.h"
#include "render/evidence.h"
#include "render/page.h"
#include "render/ptx_report.h"
#include "report/code_analyst.h"
#include "report/confirm_with_ptx.h"
#include "report/device_analyst.h"

namespace frx::cli {
namespace {

namespace fs = std::filesystem;
using model::CodeFinding;
using model::Severity;
using render::FailedFile;

using Kind = CodeKind;

// What people name such files. A shared library or a program is told by its first bytes.
struct Suffix {
  std::string_view suffix;
  Kind kind;
};
constexpr Suffix suffixes[] = {{".ptx", Kind::ptx},   {".cu", Kind::cuda},      {".cuh", Kind::cuda},
                               {".cuda", Kind::cuda}, {".cubin", Kind::device}, {".fatbin", Kind::device}};
constexpr std::uint64_t largest_file = std::uint64_t{4} << 30;

Kind kind_by_suffix(const std::string& path) {
  for (const auto& [suffix, kind] : suffixes) {
    if (path.size() > suffix.size() && equals_ignoring_case(std::string_view(path).substr(path.size() - suffix.size()), suffix))
      return kind;
  }
  return Kind::other;
}

// By its first bytes. Looking into a pipe would take what is in it.
Kind kind_by_content(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return Kind::other;
  const Result<std::unique_ptr<ByteSource>> source = open_file(path);
  if (!source) return Kind::other;
  std::array<char, 4096> buffer{};
  const Result<std::size_t> read = (*source)->read(buffer);
  const std::string_view head(buffer.data(), read ? *read : 0);
  if (ingest::ptx::looks_like_ptx(head)) return Kind::ptx;
  if (ingest::fatbin::file_kind(head) != ingest::fatbin::FileKind::other) return Kind::device;
  return head.find("__global__") != head.npos || head.find("<<<") != head.npos ? Kind::cuda : Kind::other;
}

// One file, or the CUDA files of one folder, and what was found in it.
struct CodeFile {
  std::string path;                // of the first file
  std::vector<std::string> paths;  // all of them
  Kind kind = Kind::other;
  std::unique_ptr<report::PtxReport> ptx;
  std::unique_ptr<report::CudaReport> cuda;
  std::unique_ptr<report::DeviceReport> device;
  std::optional<Error> error;

  std::span<const CodeFinding> findings() const {
    if (ptx) return ptx->diagnosis.findings;
    if (cuda) return cuda->findings;
    return device ? std::span<const CodeFinding>(device->findings) : std::span<const CodeFinding>();
  }
  std::string_view mode() const { return kind == Kind::ptx ? "ptx" : kind == Kind::cuda ? "cuda_source" : "device_code"; }
  Json json() const {
    return ptx ? render::ptx_json(*ptx) : cuda ? render::cuda_json(*cuda) : device ? render::device_json(*device) : Json(nullptr);
  }
  std::string text(const render::Style& style) const {
    return ptx ? render::ptx_text(*ptx, style) : cuda ? render::cuda_text(*cuda, style) : device ? render::device_text(*device, style) : "";
  }
};

Result<> add_folder(const std::string& folder, std::vector<std::string>& paths) {
  std::error_code error;
  std::vector<std::string> found;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const std::string path = at->path().string();
    if (at->is_regular_file(ignored) && kind_by_suffix(path) != Kind::other) found.push_back(path);
  }
  if (error) return fail(ErrorKind::unreadable, "cannot read the folder: {}", error.message()).at(folder);
  if (found.empty())
    return fail(ErrorKind::unreadable, "no file of code in this folder")
        .at(folder)
        .hint("code is: .cu, .cuh, .cuda, .ptx, .cubin, .fatbin");
  std::ranges::sort(found);
  paths.insert(paths.end(), found.begin(), found.end());
  return {};
}

Result<std::vector<std::string>> files_of(const std::vector<std::string>& targets) {
  std::vector<std::string> paths;
  for (const std::string& target : targets) {
    std::error_code ignored;
    if (fs::is_directory(target, ignored)) {
      TRY(add_folder(target, paths));
    } else {
      paths.push_back(target);
    }
  }
  return paths;
}

// Who knows what the compiler makes of the PTX in `path`: ptxas itself, or what it once printed.
report::PtxCompiler compiler_for(const std::string& path, const CodeOptions& options, const std::string& log, const capture::Host& host) {
  if (!options.ptxas_log.empty()) {
    return [&log](const std::string&) -> Result<diagnose::CompiledKernels> { return report::compiled_in_log(log, "", "ptxas log"); };
  }
  return options.with_ptxas ? ptxas_for(path, host) : report::PtxCompiler();
}

// What reading a file needs to know besides the file.
struct Reading {
  const CodeOptions& options;
  const report::CodeAnalyst& analyst;
  std::string ptxas_log;
  Io& io;
};

// What cannot be compiled keeps its findings; the report says why.
void compile_and_confirm(CodeFile& file, const Reading& reading) {
  for (const std::string& path : file.paths) {
    if (!path.ends_with(".cu") && !path.ends_with(".CU")) continue;  // a header is compiled with what includes it
    const Result<capture::CompiledPtx> ptx =
        capture::compile_to_ptx(path, reading.analyst.gpu_architecture(), reading.options.build_flags, *reading.io.host);
    if (!ptx) {
      file.cuda->notes.push_back("not confirmed with PTX: " + in_one_line(ptx.error()));
      continue;
    }
    const Result<std::unique_ptr<report::PtxReport>> analysed = reading.analyst.analyse_ptx(path, ptx->text);
    if (!analysed) {
      file.cuda->notes.push_back(fmt::format("not confirmed with PTX of {}: {}", ptx->compiler, analysed.error().message));
      continue;
    }
    file.cuda->notes.push_back(fmt::format("{} was compiled to PTX for {} by {}", printable(file_name_in(path)),
                                           (*analysed)->target.empty() ? "an unknown GPU" : (*analysed)->target, ptx->compiler));
    report::confirm_with_ptx(*file.cuda, **analysed);
  }
}

Result<> read_cuda(CodeFile& file, const Reading& reading) {
  TRY_ASSIGN(file.cuda, reading.analyst.inspect_cuda(file.paths, [&](std::size_t i) { return read_file(file.paths[i], largest_file); }));
  if (reading.options.with_ptx) compile_and_confirm(file, reading);
  return {};
}

Result<> read_into(CodeFile& file, const Reading& reading) {
  if (file.kind == Kind::cuda) return read_cuda(file, reading);
  TRY_ASSIGN(std::string text, read_file(file.path, largest_file));
  if (file.kind == Kind::device) {
    TRY_ASSIGN(file.device, report::analyse_device_code(reading.analyst, file.path, text));
    return {};
  }
  const report::PtxCompiler compiler = compiler_for(file.path, reading.options, reading.ptxas_log, *reading.io.host);
  TRY_ASSIGN(file.ptx, reading.analyst.analyse_ptx(file.path, std::move(text), compiler));
  return {};
}

// Two files at a time; a line on the terminal tells how far it is.
// CUDA files of one folder are one program: kernels of one are launched in another. Others stand alone.
std::vector<CodeFile> grouped(const std::vector<std::string>& paths) {
  std::vector<CodeFile> files;
  std::map<std::string, std::size_t> programs;  // by folder
  for (const std::string& path : paths) {
    const Kind kind = code_kind_of(path);
    if (kind == Kind::cuda) {
      const auto [program, is_new] = programs.emplace(fs::path(path).parent_path().string(), files.size());
      if (!is_new) {
        files[program->second].paths.push_back(path);
        continue;
      }
    }
    CodeFile& file = files.emplace_back();
    file.path = path;
    file.paths = {path};
    file.kind = kind;
  }
  return files;
}

std::vector<CodeFile> read_all(const std::vector<std::string>& paths, const Reading& reading) {
  std::vector<CodeFile> files = grouped(paths);
  std::atomic<std::size_t> next{0};
  const bool shows = reading.io.err_is_terminal && files.size() > 20;
  const auto work = [&](bool reports) {
    for (std::size_t i = next++; i < files.size(); i = next++) {
      if (Result<> read = read_into(files[i], reading); !read) files[i].error = std::move(read).error();
      if (reports && shows) reading.io.err.write(fmt::format("\ranalysing code: {} of {} files", i + 1, files.size()));
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    for (std::size_t i = 1; i < std::min(cores, files.size()); ++i) helpers.emplace_back(work, false);
    work(true);
  }
  if (shows) reading.io.err.write("\r\x1b[K");
  return files;
}

struct Outcome {
  std::vector<FailedFile> failed;
  std::array<std::size_t, 3> by_severity{};
};

Outcome outcome_of(const std::vector<CodeFile>& files) {
  Outcome outcome;
  for (const CodeFile& file : files) {
    for (const CodeFinding& finding : file.findings()) ++outcome.by_severity[static_cast<std::size_t>(finding.severity)];
    if (file.error) outcome.failed.push_back({file.path, file.error->message});
  }
  return outcome;
}

std::vector<CodeFinding> findings_of(const std::vector<CodeFile>& files) {
  std::vector<CodeFinding> findings;
  for (const CodeFile& file : files) findings.insert(findings.end(), file.findings().begin(), file.findings().end());
  return findings;
}

void add(const CodeFile& file, report::Evidence& evidence) {
  if (file.cuda) evidence.add(*file.cuda);
  if (file.ptx) evidence.add(*file.ptx);
  if (file.device) evidence.add(*file.device);
}

// What files of different kinds that were named one by one say together (docs/contract.md, section 2.2); null where there is only one
// kind. A folder may hold many programs.
Result<std::unique_ptr<report::EvidenceReport>> together(const std::vector<std::string>& targets, const std::vector<CodeFile>& files,
                                                         const report::CodeAnalyst& analyst) {
  std::error_code ignored;
  if (std::ranges::any_of(targets, [&](const std::string& target) { return fs::is_directory(target, ignored); })) return nullptr;
  report::Evidence evidence;
  for (const CodeFile& file : files) add(file, evidence);
  if (evidence.layers().size() < 2) return nullptr;
  return report::reconcile(std::move(evidence), analyst.knowledge());
}

Json severity_counts(const Outcome& outcome) {
  return {{"high", outcome.by_severity[2]}, {"medium", outcome.by_severity[1]}, {"low", outcome.by_severity[0]}};
}

Json all_json(const std::vector<CodeFile>& files, const Outcome& outcome, const report::EvidenceReport* reconciliation) {
  Json list = Json::array();
  for (const CodeFile& file : files) {
    Json entry{{"filename", file.path}, {"filenames", file.paths}, {"mode", file.mode()}};
    entry["error"] = file.error ? Json(file.error->message) : Json(nullptr);
    entry["result"] = file.json();
    list.push_back(std::move(entry));
  }
  return {{"schema", "code_analysis_v1"},
          {"file_count", files.size()},
          {"failed_count", outcome.failed.size()},
          {"findings_by_severity", severity_counts(outcome)},
          {"files", std::move(list)},
          {"reconciliation", reconciliation ? render::evidence_json(*reconciliation) : Json(nullptr)}};
}

std::string summary_text(const std::vector<CodeFile>& files, const Outcome& outcome, const render::Style& style) {
  render::Page page(style);
  page.section("ALL FILES");
  page.paragraph(fmt::format("{}: {} high, {} medium, {} low{}", count_text(files.size(), "file"), outcome.by_severity[2],
                             outcome.by_severity[1], outcome.by_severity[0],
                             outcome.failed.empty() ? "" : fmt::format("; {} not read", count_text(outcome.failed.size(), "file"))));
  return page.take();
}

void print_text(const std::vector<CodeFile>& files, const Outcome& outcome, const report::EvidenceReport* reconciliation, Io& io) {
  for (const CodeFile& file : files) {
    io.out.write(file.text(style_of(io)));
    if (file.error) io.err.write(fmt::format("{}: {}\n", io.program, to_string(*file.error)));
  }
  if (files.size() > 1) io.out.write(summary_text(files, outcome, style_of(io)));
  if (reconciliation) io.out.write("\n" + render::evidence_text(*reconciliation, style_of(io)));
}

void print(const std::vector<CodeFile>& files, const Outcome& outcome, const report::EvidenceReport* reconciliation,
           const CodeOptions& options, Io& io) {
  if (options.format == "sarif") {
    io.out.write(render::json_text(render::sarif_json(findings_of(files), outcome.failed, FRX_VERSION)) + "\n");
  } else if (options.format == "github") {
    io.out.write(render::github_text(findings_of(files), outcome.failed));
  } else if (options.format == "json" && files.size() == 1 && files[0].ptx) {
    write_json_in_pieces(io, files[0].mode(), render::ptx_json_in_pieces(*files[0].ptx));
  } else if (options.format == "json" && files.size() == 1 && files[0].cuda) {
    render::write_cuda_json(files[0].mode(), *files[0].cuda, [&](std::string_view text) { io.out.write(text); });
  } else if (options.format == "json" && files.size() == 1) {
    write_json(io, files[0].mode(), files[0].json());
  } else if (options.format == "json") {
    write_json(io, "code", all_json(files, outcome, reconciliation));
  } else {
    print_text(files, outcome, reconciliation, io);
  }
}

Result<int> judged(const Outcome& outcome, const CodeOptions& options, std::size_t files) {
  if (!options.fail_on.empty()) {
    std::size_t reached = 0;
    for (auto i = static_cast<std::size_t>(severity_named(options.fail_on)); i < outcome.by_severity.size(); ++i)
      reached += outcome.by_severity[i];
    if (reached > 0) return fail(ErrorKind::negative, "{} of severity {} or above", count_text(reached, "finding"), options.fail_on);
  }
  if (outcome.failed.empty()) return 0;
  return fail(ErrorKind::unreadable, "{} of {} could not be analysed", outcome.failed.size(), count_text(files, "file"));
}

}  // namespace

Severity severity_named(std::string_view name) {
  return name == "high" ? Severity::high : name == "medium" ? Severity::medium : Severity::low;
}

report::PtxCompiler ptxas_for(const std::string& path, const capture::Host& host) {
  return [path, &host](const std::string& architecture) -> Result<diagnose::CompiledKernels> {
    TRY_ASSIGN(const capture::PtxasRun run, capture::run_ptxas(path, architecture, host));
    return report::compiled_in_log(run.log, architecture, run.version.empty() ? "ptxas" : "ptxas " + run.version);
  };
}

void describe_code(Syntax& syntax, CodeOptions& options) {
  syntax.choice("--format", "FORMAT", options.format, {"text", "json", "sarif", "github"}, "code: how to print the findings");
  syntax.flag("--with-ptx", options.with_ptx, "CUDA source: compile it (nvcc, or else clang) and confirm or withdraw what was found");
  syntax.words("--build-flags", "FLAGS", options.build_flags, "CUDA source: options for the compiler, such as '-Iinclude -DN=4'");
  syntax.flag("--with-ptxas", options.with_ptxas, "PTX: run ptxas and use its registers and spills");
  syntax.option("--ptxas-log", "FILE", options.ptxas_log, "PTX: the same from what 'nvcc -Xptxas -v' printed");
  syntax.choice("--fail-on", "SEVERITY", options.fail_on, {"low", "medium", "high"},
                "code: exit with 1 when a finding is as grave as this");
}

CodeKind code_kind_of(const std::string& path) {
  const Kind kind = kind_by_suffix(path);
  return kind != Kind::other ? kind : kind_by_content(path);
}

bool is_code(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) || code_kind_of(path) != Kind::other;
}

bool has_code_suffix(const std::string& path) { return kind_by_suffix(path) != Kind::other; }

Result<int> analyse_code(const std::vector<std::string>& targets, const CodeOptions& options, const report::AnalysisOptions& analysis,
                         Io& io) {
  TRY_ASSIGN(const std::vector<std::string> paths, files_of(targets));
  TRY_ASSIGN(const std::unique_ptr<report::CodeAnalyst> analyst, report::CodeAnalyst::create(analysis));
  Reading reading{options, *analyst, "", io};
  if (!options.ptxas_log.empty()) {
    TRY_ASSIGN(reading.ptxas_log, read_file(options.ptxas_log));
  }
  const auto kept = std::make_shared<std::vector<CodeFile>>(read_all(paths, reading));
  io.kept.push_back(kept);
  std::vector<CodeFile>& files = *kept;
  if (files.size() == 1 && files[0].error) return Failure{std::move(*files[0].error)};
  const Outcome outcome = outcome_of(files);
  TRY_ASSIGN(const std::unique_ptr<report::EvidenceReport> reconciliation, together(targets, files, *analyst));
  print(files, outcome, reconciliation.get(), options, io);
  return judged(outcome, options, files.size());
}

Result<> add_code(const std::vector<std::string>& targets, const CodeOptions& options, const report::CodeAnalyst& analyst, Io& io,
                  report::Evidence& evidence) {
  TRY_ASSIGN(const std::vector<std::string> paths, files_of(targets));
  Reading reading{options, analyst, "", io};
  if (!options.ptxas_log.empty()) {
    TRY_ASSIGN(reading.ptxas_log, read_file(options.ptxas_log));
  }
  for (CodeFile& file : read_all(paths, reading)) {
    if (file.error) return Failure{std::move(*file.error)};
    add(file, evidence);
  }
  return {};
}

}  // namespace frx::cli
