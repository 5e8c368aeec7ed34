#include "cli/code_analysis.h"

#include <array>

#include "base/text.h"
#include "base/units.h"
#include "cli/analysis.h"
#include "cli/json_output.h"
#include "compose/code_findings.h"
#include "compose/cuda_report.h"
#include "compose/device_report.h"
#include "compose/page.h"
#include "compose/ptx_report.h"

namespace frx::cli {
namespace {

using analyse::CodeReport;
using analyse::CodeUnit;
using compose::FailedFile;
using ingest::Kind;
using model::Severity;

std::string_view mode_of(const CodeUnit& unit) {
  return unit.kind == Kind::ptx ? "ptx" : unit.kind == Kind::cuda ? "cuda_source" : "device_code";
}

Json json_of(const CodeUnit& unit) {
  if (unit.ptx) return compose::ptx_json(*unit.ptx);
  if (unit.cuda) return compose::cuda_json(*unit.cuda);
  return unit.device ? compose::device_json(*unit.device) : Json(nullptr);
}

std::string text_of(const CodeUnit& unit, const compose::Style& style) {
  if (unit.ptx) return compose::ptx_text(*unit.ptx, style);
  if (unit.cuda) return compose::cuda_text(*unit.cuda, style);
  return unit.device ? compose::device_text(*unit.device, style) : std::string();
}

Severity severity_named(std::string_view name) {
  return name == "high" ? Severity::high : name == "medium" ? Severity::medium : Severity::low;
}

struct Outcome {
  std::vector<FailedFile> failed;
  std::array<std::size_t, 3> by_severity{};
};

Outcome outcome_of(const CodeReport& report) {
  Outcome outcome{{}, report.by_severity()};
  for (const CodeUnit& unit : report.units) {
    if (unit.error) outcome.failed.push_back({unit.path, unit.error->message});
  }
  return outcome;
}

Json severity_counts(const Outcome& outcome) {
  return {{"high", outcome.by_severity[2]}, {"medium", outcome.by_severity[1]}, {"low", outcome.by_severity[0]}};
}

Json all_json(const CodeReport& report, const Outcome& outcome) {
  Json list = Json::array();
  for (const CodeUnit& unit : report.units) {
    Json entry{{"filename", unit.path}, {"filenames", unit.paths}, {"mode", mode_of(unit)}};
    entry["error"] = unit.error ? Json(unit.error->message) : Json(nullptr);
    entry["result"] = json_of(unit);
    list.push_back(std::move(entry));
  }
  return {{"schema", "code_analysis_v1"},
          {"file_count", report.units.size()},
          {"failed_count", outcome.failed.size()},
          {"findings_by_severity", severity_counts(outcome)},
          {"files", std::move(list)}};
}

std::string summary_text(std::size_t files, const Outcome& outcome, const compose::Style& style) {
  compose::Page page(style);
  page.section("ALL FILES");
  page.paragraph(fmt::format("{}: {} high, {} medium, {} low{}", count_text(files, "file"), outcome.by_severity[2],
                             outcome.by_severity[1], outcome.by_severity[0],
                             outcome.failed.empty() ? "" : fmt::format("; {} not read", count_text(outcome.failed.size(), "file"))));
  return page.take();
}

void print_text(const CodeReport& report, const Outcome& outcome, Io& io) {
  for (const CodeUnit& unit : report.units) {
    io.out.write(text_of(unit, style_of(io)));
    if (unit.error) io.err.write(fmt::format("{}: {}\n", io.program, to_string(*unit.error)));
  }
  if (report.units.size() > 1) io.out.write(summary_text(report.units.size(), outcome, style_of(io)));
}

void print_one_json(const CodeUnit& unit, Io& io) {
  if (unit.ptx) {
    write_json_in_pieces(io, mode_of(unit), compose::ptx_json_in_pieces(*unit.ptx));
  } else if (unit.cuda) {
    compose::write_cuda_json(mode_of(unit), *unit.cuda, [&](std::string_view text) { io.out.write(text); });
  } else {
    write_json(io, mode_of(unit), json_of(unit));
  }
}

void print(const CodeReport& report, const Outcome& outcome, const CodeOptions& options, Io& io) {
  if (options.format == "sarif") {
    io.out.write(compose::json_text(compose::sarif_json(report.findings(), outcome.failed, FRX_VERSION)));
  } else if (options.format == "github") {
    io.out.write(compose::github_text(report.findings(), outcome.failed));
  } else if (options.format == "json" && report.units.size() == 1) {
    print_one_json(report.units.front(), io);
  } else if (options.format == "json") {
    write_json(io, "code", all_json(report, outcome));
  } else {
    print_text(report, outcome, io);
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

void describe_code(Syntax& syntax, CodeOptions& options) {
  syntax.choice("--format", "FORMAT", options.format, {"text", "json", "sarif", "github"}, "code: how to print the findings");
  syntax.flag("--with-ptx", options.compilers.with_ptx, "CUDA source: compile it (nvcc, or else clang) and confirm or withdraw what was found");
  syntax.words("--build-flags", "FLAGS", options.compilers.build_flags, "CUDA source: options for the compiler, such as '-Iinclude -DN=4'");
  syntax.flag("--with-ptxas", options.compilers.with_ptxas, "PTX: run ptxas and use its registers and spills");
  syntax.option("--ptxas-log", "FILE", options.compilers.ptxas_log, "PTX: the same from what 'nvcc -Xptxas -v' printed");
  syntax.choice("--fail-on", "SEVERITY", options.fail_on, {"low", "medium", "high"},
                "code: exit with 1 when a finding is as grave as this");
}

Result<int> print_code(const CodeReport& report, const CodeOptions& options, Io& io) {
  if (report.units.size() == 1 && report.units.front().error) return Failure{*report.units.front().error};
  const Outcome outcome = outcome_of(report);
  print(report, outcome, options, io);
  return judged(outcome, options, report.units.size());
}

}  // namespace frx::cli
