// frx collect: run a training program, observe it, and keep what was seen as a run bundle.

#include <cstring>

#include "analyse/analyse.h"
#include "analyse/run_summary.h"
#include "base/text.h"
#include "capture/collect.h"
#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/run.h"
#include "cli/trace_analysis.h"

namespace frx::cli {
namespace command_collect {
namespace {

struct Options {
  Given given;
  capture::CollectRequest request;
  Syntax::Number interval = 1000;
  double metrics_interval = 10;
  bool no_profiler_import = false;
  bool no_zip = false;
  bool explain = false;
  bool json = false;
  std::string explain_out;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Runs the command after -- as it would run without frx: same interpreter, same input, output passed through live. Meanwhile "
      "its output, the state of the GPUs and what the fournex SDK or a profiler writes are kept in a folder, DIR/run-ID, and "
      "in a zip of it. Messages of frx go to standard error. Ctrl-C goes to the command; the bundle is completed all the same.");
  syntax.option("--name", "NAME", options.request.job_name, "name of the job");
  syntax.option("--out", "DIR", options.request.out, "where the folders of runs are");
  syntax.option("--run-id", "ID", options.request.run_id, "instead of a new one, run- and 12 digits");
  syntax.option("--artifact-dir", "DIR", options.request.artifact_directories,
                "take traces and summaries from here when the command has ended, instead of ./frx-job-run");
  syntax.flag("--no-profiler-import", options.no_profiler_import, "leave traces of profilers where they are");
  syntax.option("--sample-interval-ms", "N", options.interval, "time between two looks at the GPUs, from 100");
  syntax.option("--metrics-file", "FILE", options.request.live.metrics_file,
                "keep FILE.prom, for the textfile collector of Prometheus' node_exporter, up to date while it runs");
  syntax.option("--otlp", "URL", options.request.live.otlp,
                "send metrics to a collector of OpenTelemetry while it runs; env: to OTEL_EXPORTER_OTLP_ENDPOINT");
  syntax.option("--metrics-interval", "SECONDS", options.metrics_interval, "time between two publications, from 0.1");
  syntax.option("--config", "FILE", options.request.config_path, "YAML to merge into run_config.yaml");
  syntax.flag("--keep-arguments", options.request.keep_arguments, "record arguments and settings that look like credentials, too");
  syntax.flag("--explain", options.explain, "also write the brief for people and language models");
  syntax.option("--explain-out", "DIR", options.explain_out, "write the brief here too, not only into the bundle");
  syntax.flag("--no-zip", options.no_zip, "make no zip");
  syntax.flag("--json", options.json, "print JSON: what was collected; the output of the command then goes to standard error");
  syntax.required_workload(options.request.workload, "the program to observe and its arguments");
  syntax.example("-- python train.py", "observe a training run");
  syntax.example("--metrics-file /var/lib/node_exporter/run.prom -- python train.py", "Prometheus sees the run while it runs");
  syntax.example("--artifact-dir logs -- torchrun --nproc-per-node 4 train.py", "several processes, traces in logs/");
  syntax.text("The exit code is that of the command, or 128 + N when signal N ended it.");
  syntax.exit_code(0, "the command ended with 0");
  syntax.exit_code(1, "the command could not be started, or the bundle could not be written");
}

// Before the bundle is sealed, so that the files are in manifest and zip.
Result<> finish(const capture::RunFolder& folder, bool explain, const std::string& also_to, Io& io) {
  analyse::Context context{analyse::Options()};
  const Result<std::shared_ptr<const report::RunReport>> run =
      analyse::analyse_run(folder.absolute(), context, explain ? report::Layouts::included : report::Layouts::left_out);
  if (!run && run.error().kind == ErrorKind::not_enough) {
    if (explain) io.err.write(fmt::format("{}: --explain: no brief: {}\n", io.program, run.error().message));
    return {};
  }
  if (!run) return Failure{run.error()};
  TRY(analyse::write_run_summary(**run, folder.absolute()));
  if (!explain) return {};
  TRY(write_run_brief(**run, folder.absolute()));
  return also_to.empty() ? Result<>() : write_run_brief(**run, also_to);
}

std::string outcome(const capture::WorkloadEnd& end) {
  if (end.signal != 0) return fmt::format("failed: ended by signal {} ({})", end.signal, ::strsignal(end.signal));
  return end.status == 0 ? "completed" : fmt::format("failed with exit code {}", end.status);
}

std::string captured(const capture::CollectResult& result) {
  std::string text = fmt::format("Captured ({} files):\n", result.manifest.files.size());
  for (const std::string& path : result.manifest.files) {
    const bool imported = std::find(result.imported.begin(), result.imported.end(), path) != result.imported.end();
    text += fmt::format("  {}{}\n", printable(path), imported ? " [imported]" : "");
  }
  return text;
}

std::string missing(const capture::Manifest& manifest) {
  if (manifest.missing_recommended.empty()) return {};
  if (!manifest.limited) return fmt::format("Not there, and not needed: {}\n", join(manifest.missing_recommended, ", "));
  return fmt::format(
      "Limited data: {} missing. A training script records its steps with the fournex SDK (frx init shows how), or writes a\n"
      "trace of torch.profiler to a folder given by --artifact-dir.\n",
      join(manifest.missing_recommended, ", "));
}

void print(const capture::CollectResult& result, Io& io) {
  std::string text = fmt::format("\n{} collect {}\n", io.program, outcome(result.end));
  text += fmt::format("Run bundle: {}\n", printable(result.directory));
  if (!result.zip.empty()) text += fmt::format("Zip bundle: {}\n", printable(result.zip));
  text += captured(result) + missing(result.manifest);
  for (const std::string& warning : result.warnings) text += fmt::format("note: {}\n", printable(warning));
  for (const Error& failure : result.failures) text += error_text(failure, io.program);
  io.err.write(text);
}

Json result_json(const capture::CollectResult& result) {
  Json files = Json::array(), failures = Json::array();
  for (const std::string& path : result.manifest.files) {
    const bool imported = std::find(result.imported.begin(), result.imported.end(), path) != result.imported.end();
    files.push_back({{"path", path}, {"imported", imported}});
  }
  for (const Error& failure : result.failures) failures.push_back(to_string(failure));
  return {{"directory", result.directory},
          {"zip", text_or_null(result.zip)},
          {"status", result.end.code() == 0 ? "completed" : "failed"},
          {"exit_code", result.end.code()},
          {"signal", result.end.signal == 0 ? Json(nullptr) : Json(result.end.signal)},
          {"files", std::move(files)},
          {"limited", result.manifest.limited},
          {"missing_recommended", result.manifest.missing_recommended},
          {"warnings", result.warnings},
          {"failures", std::move(failures)}};
}

Result<int> act(const Options& options, Io& io) {
  TRY(options.given.expect_applicable("collect", "",
                                      {{"--explain-out", options.explain, "--explain"},
                                       {"--metrics-interval", options.request.live.is_wanted(), "--metrics-file or --otlp"}}));
  capture::CollectRequest request = options.request;
  if (options.json) request.output = request.errors;
  request.interval = std::chrono::milliseconds(std::min<std::uint64_t>(options.interval.value_or(1000), 3'600'000));
  const double seconds = options.metrics_interval;
  if (!(seconds >= capture::shortest_metrics_interval && seconds <= capture::longest_metrics_interval)) {
    return fail(ErrorKind::usage, "expected {} to {} seconds as --metrics-interval, found {:g}", capture::shortest_metrics_interval,
                capture::longest_metrics_interval, seconds);
  }
  request.live.interval = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  request.version = FRX_VERSION;
  request.import_profiler = !options.no_profiler_import;
  request.zip = !options.no_zip;
  request.say = [&io](std::string_view line) { io.err.write(fmt::format("\n{}: {}\n", io.program, line)); };
  request.before_sealing = [&](const capture::RunFolder& folder) { return finish(folder, options.explain, options.explain_out, io); };
  io.out.flush();
  Result<capture::CollectResult> result = capture::collect(request, *io.host);
  if (!result) {
    Error error = std::move(result).error();
    if (error.kind == ErrorKind::environment) error.kind = ErrorKind::negative;  // docs/contract.md, section 1.4
    return Failure{std::move(error)};
  }
  if (options.json) {
    write_json(io, "collect", result_json(*result));
  } else {
    print(*result, io);
  }
  return result->end.code() != 0 ? result->end.code() : result->failures.empty() ? 0 : 1;
}

}  // namespace
}  // namespace command_collect

constinit const Command collect_command = make_command<command_collect::Options, command_collect::describe, command_collect::act>(
    "collect", "Run a training program and keep what was seen as a bundle", "Measure");

}  // namespace frx::cli
