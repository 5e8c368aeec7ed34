#include "cli/code_analysis.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "base/files.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/ptxas.h"
#include "cli/json_output.h"
#include "cli/ncu_analysis.h"
#include "ingest/ptx/read_module.h"
#include "render/code_findings.h"
#include "render/page.h"
#include "render/ptx_report.h"
#include "report/code_analyst.h"

namespace frx::cli {
namespace {

namespace fs = std::filesystem;
using model::CodeFinding;
using model::Severity;
using render::FailedFile;

constexpr std::array<std::string_view, 1> suffixes{".ptx"};
constexpr std::uint64_t largest_file = std::uint64_t{4} << 30;

bool has_code_suffix(const std::string& path) {
  return std::ranges::any_of(suffixes, [&](std::string_view suffix) {
    return path.size() > suffix.size() &&
           equals_ignoring_case(std::string_view(path).substr(path.size() - suffix.size()), suffix);
  });
}

// One file and what was found in it.
struct CodeFile {
  std::string path;
  std::unique_ptr<report::PtxReport> ptx;
  std::optional<Error> error;

  std::span<const CodeFinding> findings() const {
    return ptx ? std::span<const CodeFinding>(ptx->diagnosis.findings) : std::span<const CodeFinding>();
  }
  std::string_view mode() const { return "ptx"; }
};

Result<> add_folder(const std::string& folder, std::vector<std::string>& paths) {
  std::error_code error;
  std::vector<std::string> found;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const std::string path = at->path().string();
    if (at->is_regular_file(ignored) && has_code_suffix(path)) found.push_back(path);
  }
  if (error) return fail(ErrorKind::unreadable, "cannot read the folder: {}", error.message()).at(folder);
  if (found.empty())
    return fail(ErrorKind::unreadable, "no file of code in this folder").at(folder).hint("code is: .ptx");
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
report::PtxCompiler compiler_for(const std::string& path, const CodeOptions& options, const std::string& log,
                                 const capture::Host& host) {
  if (!options.ptxas_log.empty()) {
    return [&log](const std::string&) -> Result<diagnose::CompiledKernels> {
      return report::compiled_in_log(log, "", "ptxas log");
    };
  }
  if (!options.with_ptxas) return {};
  return [path, &host](const std::string& architecture) -> Result<diagnose::CompiledKernels> {
    TRY_ASSIGN(const capture::PtxasRun run, capture::run_ptxas(path, architecture, host));
    return report::compiled_in_log(run.log, architecture, run.version.empty() ? "ptxas" : "ptxas " + run.version);
  };
}

// What reading a file needs to know besides the file.
struct Reading {
  const CodeOptions& options;
  const report::CodeAnalyst& analyst;
  std::string ptxas_log;
  Io& io;
};

Result<> read_into(CodeFile& file, const Reading& reading) {
  TRY_ASSIGN(const std::string text, read_file(file.path, largest_file));
  TRY_ASSIGN(file.ptx,
             reading.analyst.analyse_ptx(
                 file.path, text, compiler_for(file.path, reading.options, reading.ptxas_log, *reading.io.host)));
  return {};
}

// Two files at a time; a line on the terminal tells how far it is.
std::vector<CodeFile> read_all(const std::vector<std::string>& paths, const Reading& reading) {
  std::vector<CodeFile> files(paths.size());
  std::atomic<std::size_t> next{0};
  const bool shows = reading.io.err_is_terminal && paths.size() > 20;
  const auto work = [&](bool reports) {
    for (std::size_t i = next++; i < paths.size(); i = next++) {
      files[i].path = paths[i];
      if (Result<> read = read_into(files[i], reading); !read) files[i].error = std::move(read).error();
      if (reports && shows) reading.io.err.write(fmt::format("\ranalysing code: {} of {} files", i + 1, paths.size()));
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    for (std::size_t i = 1; i < std::min(cores, paths.size()); ++i) helpers.emplace_back(work, false);
    work(true);
  }
  if (shows) reading.io.err.write("\r\x1b[K");
  return files;
}

Severity severity_named(std::string_view name) {
  return name == "high" ? Severity::high : name == "medium" ? Severity::medium : Severity::low;
}

struct Outcome {
  std::vector<CodeFinding> findings;  // of all files
  std::vector<FailedFile> failed;
  std::array<std::size_t, 3> by_severity{};
};

Outcome outcome_of(const std::vector<CodeFile>& files) {
  Outcome outcome;
  for (const CodeFile& file : files) {
    outcome.findings.insert(outcome.findings.end(), file.findings().begin(), file.findings().end());
    if (file.error) outcome.failed.push_back({file.path, file.error->message});
  }
  for (const CodeFinding& finding : outcome.findings) ++outcome.by_severity[static_cast<std::size_t>(finding.severity)];
  return outcome;
}

Json severity_counts(const Outcome& outcome) {
  return {{"high", outcome.by_severity[2]}, {"medium", outcome.by_severity[1]}, {"low", outcome.by_severity[0]}};
}

Json all_json(const std::vector<CodeFile>& files, const Outcome& outcome) {
  Json list = Json::array();
  for (const CodeFile& file : files) {
    Json entry{{"filename", file.path}, {"mode", file.mode()}};
    entry["error"] = file.error ? Json(file.error->message) : Json(nullptr);
    entry["result"] = file.ptx ? render::ptx_json(*file.ptx) : Json(nullptr);
    list.push_back(std::move(entry));
  }
  return {{"schema", "code_analysis_v1"},
          {"file_count", files.size()},
          {"failed_count", outcome.failed.size()},
          {"findings_by_severity", severity_counts(outcome)},
          {"files", std::move(list)}};
}

std::string summary_text(const std::vector<CodeFile>& files, const Outcome& outcome, const render::Style& style) {
  render::Page page(style);
  page.section("ALL FILES");
  page.paragraph(fmt::format(
      "{}: {} high, {} medium, {} low{}", count_text(files.size(), "file"), outcome.by_severity[2],
      outcome.by_severity[1], outcome.by_severity[0],
      outcome.failed.empty() ? "" : fmt::format("; {} not read", count_text(outcome.failed.size(), "file"))));
  return page.take();
}

void print_text(const std::vector<CodeFile>& files, const Outcome& outcome, Io& io) {
  for (const CodeFile& file : files) {
    if (file.ptx) io.out.write(render::ptx_text(*file.ptx, style_of(io)));
    if (file.error) io.err.write(fmt::format("{}: {}\n", io.program, to_string(*file.error)));
  }
  if (files.size() > 1) io.out.write(summary_text(files, outcome, style_of(io)));
}

void print(const std::vector<CodeFile>& files, const Outcome& outcome, const CodeOptions& options, Io& io) {
  if (options.format == "sarif") {
    io.out.write(render::json_text(render::sarif_json(outcome.findings, outcome.failed, FRX_VERSION)) + "\n");
  } else if (options.format == "github") {
    io.out.write(render::github_text(outcome.findings, outcome.failed));
  } else if (options.format == "json" && files.size() == 1) {
    write_json(io, files[0].mode(), render::ptx_json(*files[0].ptx));
  } else if (options.format == "json") {
    write_json(io, "code", all_json(files, outcome));
  } else {
    print_text(files, outcome, io);
  }
}

Result<int> judged(const Outcome& outcome, const CodeOptions& options, std::size_t files) {
  if (!options.fail_on.empty()) {
    std::size_t reached = 0;
    for (auto i = static_cast<std::size_t>(severity_named(options.fail_on)); i < outcome.by_severity.size(); ++i)
      reached += outcome.by_severity[i];
    if (reached > 0)
      return fail(ErrorKind::negative, "{} of severity {} or above", count_text(reached, "finding"), options.fail_on);
  }
  if (outcome.failed.empty()) return 0;
  return fail(ErrorKind::unreadable, "{} of {} could not be analysed", outcome.failed.size(),
              count_text(files, "file"));
}

}  // namespace

void describe_code(Syntax& syntax, CodeOptions& options) {
  syntax.choice("--format", "FORMAT", options.format, {"text", "json", "sarif", "github"},
                "code: how to print the findings");
  syntax.flag("--with-ptxas", options.with_ptxas, "PTX: run ptxas and use its registers and spills");
  syntax.option("--ptxas-log", "FILE", options.ptxas_log, "PTX: the same from what 'nvcc -Xptxas -v' printed");
  syntax.choice("--fail-on", "SEVERITY", options.fail_on, {"low", "medium", "high"},
                "code: exit with 1 when a finding is as grave as this");
}

bool is_code(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored) || has_code_suffix(path)) return true;
  if (!fs::is_regular_file(path, ignored)) return false;  // looking into a pipe would take what is in it
  const Result<std::unique_ptr<ByteSource>> source = open_file(path);
  if (!source) return false;
  std::array<char, 4096> head{};
  const Result<std::size_t> read = (*source)->read(head);
  return read && ingest::ptx::looks_like_ptx({head.data(), *read});
}

Result<int> analyse_code(const std::vector<std::string>& targets, const CodeOptions& options,
                         const report::AnalysisOptions& analysis, Io& io) {
  TRY_ASSIGN(const std::vector<std::string> paths, files_of(targets));
  TRY_ASSIGN(const std::unique_ptr<report::CodeAnalyst> analyst, report::CodeAnalyst::create(analysis));
  Reading reading{options, *analyst, "", io};
  if (!options.ptxas_log.empty()) {
    TRY_ASSIGN(reading.ptxas_log, read_file(options.ptxas_log));
  }
  std::vector<CodeFile> files = read_all(paths, reading);
  if (files.size() == 1 && files[0].error) return Failure{std::move(*files[0].error)};
  const Outcome outcome = outcome_of(files);
  print(files, outcome, options, io);
  return judged(outcome, options, files.size());
}

}  // namespace frx::cli
