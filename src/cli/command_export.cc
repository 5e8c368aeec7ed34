// frx export: what an Nsight Compute report holds, as text that other programs read.

#include <filesystem>

#include "base/output_file.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/json_output.h"
#include "convert/convert.h"
#include "ingest/format.h"
#include "ingest/ncu_report/report_file.h"
#include "ingest/profile.h"

namespace frx::cli {
namespace command_export {
namespace {

struct Options {
  std::string report;
  std::string format, out, kernel;
  bool instances = false;
  bool json = false;
  Syntax::Number launch;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Writes every value of an Nsight Compute report (.ncu-rep) as text, without the tool that made it: CSV as the tool's "
      "details page, one row per metric, or JSON (frx_ncu_report_v0) with all it says of launches, rules, code and session. "
      "Values are in base units (ns, byte, hz); what could not be measured is n/a or null. Names of people, hosts "
      "and folders are left out.");
  syntax.required_argument("REPORT", options.report, "Nsight Compute report; - is standard input");
  syntax.choice("--format", "FORMAT", options.format, {"csv", "json"}, "form (by default as --out is named, else csv)");
  syntax.option("-o,--out", "FILE", options.out, "write to this file instead of standard output");
  syntax.flag("--instances", options.instances, "also values per code address, opcode or device, where the report has them");
  syntax.option("--kernel", "TEXT", options.kernel, "only launches with this text in the name of their kernel");
  syntax.option("--launch", "N", options.launch, "only this launch, counted from 0 as in the ID column");
  syntax.flag("--json", options.json, "print JSON: the values, or with --out what was written");
  syntax.example("report.ncu-rep --out report.csv", "a table for a spreadsheet, or for frx profile --ncu");
  syntax.example("report.ncu-rep --format json --kernel gemm", "all that is known of the launches of one kernel");
  syntax.exit_code(0, "the values were written");
  syntax.exit_code(1, "the file cannot be read, is no report, or holds no such launch");
}

convert::Format format_of(const Options& options) {
  const bool by_default = options.out.empty() ? options.json : to_lower(options.out).ends_with(".json");
  const bool json = options.format == "json" || (options.format.empty() && by_default);
  return json ? convert::Format::json : convert::Format::csv;
}

// The title of the text format that the bytes begin, or "".
std::string_view text_format(std::string_view head) {
  const Result<knowledge::MetricCatalogue> metrics = knowledge::MetricCatalogue::load(knowledge::Library::builtin());
  if (!metrics) return {};
  for (const std::string_view line : split(head, '\n')) {
    for (const ingest::Format* format : ingest::formats()) {
      if (format->begins && format->begins(trim(line), *metrics)) return format->title;
    }
  }
  return {};
}

// Tells people who hand over something else what they have.
Result<> expect_report(ingest::Source& source) {
  const std::string& path = source.name();
  TRY_ASSIGN(const std::string_view head, source.head());
  if (ingest::nsight::begins_report(head)) return {};
  constexpr std::string_view expected = "expected an Nsight Compute report (.ncu-rep), found ";
  if (const std::string_view title = text_format(head); !title.empty()) {
    return fail(ErrorKind::malformed, "{}{}", expected, title)
        .at(path)
        .hint("it is text already; to read it: frx profile --ncu " + shell_quote(path));
  }
  if (ingest::is_lfs_pointer(head)) {
    return fail(ErrorKind::malformed, "{}a git-lfs pointer to it", expected).at(path).hint("fetch the file itself: git lfs pull");
  }
  return fail(ErrorKind::malformed, "{}{}", expected, head.empty() ? "an empty file" : "something else")
      .at(path)
      .hint("ncu -o report ./your_app writes one");
}

Result<convert::Outcome> convert_to(const Options& options, ingest::Source& source, const convert::Write& write, Io& io) {
  TRY_ASSIGN(const std::unique_ptr<ByteSource> report, source.bytes());
  TRY_ASSIGN(const convert::Counters counters, convert::Counters::load(knowledge::Library::builtin()));
  Progress progress(io, source.name(), report->size_hint());
  const convert::Request request{format_of(options), options.instances, options.kernel, options.launch, source.name()};
  Result<convert::Outcome> outcome = convert::convert_ncu_report(*report, request, counters, write, progress.callback());
  if (!outcome && outcome.error().where.empty()) outcome.error().where = source.name();
  return outcome;
}

Result<int> to_standard_output(const Options& options, ingest::Source& source, Io& io) {
  const auto write = [&](std::string_view text) {
    io.out.write(text);
    return !io.out.closed();
  };
  TRY_ASSIGN(const convert::Outcome outcome, convert_to(options, source, write, io));
  if (outcome.launches == 0) io.log(LogLevel::warning, "export", "the report holds no launches");
  return 0;
}

Result<int> to_file(const Options& options, ingest::Source& source, Io& io) {
  TRY_ASSIGN(OutputFile file, OutputFile::create(options.out));
  Result<> written;
  const auto write = [&](std::string_view text) {
    written = file.write(text);
    return written.has_value();
  };
  TRY_ASSIGN(const convert::Outcome outcome, convert_to(options, source, write, io));
  TRY(written);
  TRY(file.commit());
  if (options.json) {
    write_json(io, "export",
               {{"file", options.out}, {"launches", outcome.launches}, {"launches_written", outcome.written}, {"values", outcome.values}});
    return 0;
  }
  io.out.write(fmt::format("wrote {}: {} of {} launch{}, {} value{}\n", printable(options.out), outcome.written, outcome.launches,
                           outcome.launches == 1 ? "" : "es", outcome.values, outcome.values == 1 ? "" : "s"));
  return 0;
}

Result<int> act(const Options& options, Io& io) {
  if (options.json && options.out.empty() && options.format == "csv")
    return fail(ErrorKind::usage, "export: --json and --format csv are two forms of one output");
  ingest::Source source = ingest::Source::at(options.report);
  TRY(expect_report(source));
  std::error_code error;
  if (std::filesystem::equivalent(options.report, options.out, error)) {
    return fail(ErrorKind::usage, "--out is the report itself, which would be lost");
  }
  return options.out.empty() ? to_standard_output(options, source, io) : to_file(options, source, io);
}

}  // namespace
}  // namespace command_export

constinit const Command export_command = make_command<command_export::Options, command_export::describe, command_export::act>(
    "export", "Write a report as CSV or JSON", "Diagnose");

}  // namespace frx::cli
