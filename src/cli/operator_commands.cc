#include "cli/operator_commands.h"

#include "base/files.h"
#include "base/text.h"
#include "capture/ncu_command.h"
#include "capture/operator_tools.h"
#include "cli/print_answer.h"
#include "compose/operator_profile.h"
#include "ingest/inductor_code.h"
#include "report/operators/manifest_attribution.h"

namespace frx::cli {
namespace {

Result<> improve(report::OperatorManifest& manifest, const ManifestRequest& request) {
  if (!request.capture_facts.empty()) {
    TRY_ASSIGN(const std::string text, read_file(request.capture_facts));
    TRY(report::read_capture_facts(request.capture_facts, text, manifest.capture));
  }
  if (!request.correlation.empty()) {
    TRY_ASSIGN(const std::string text, read_file(request.correlation));
    TRY(report::attribute_by_correlation(manifest, request.correlation, text));
  }
  if (!request.inductor.empty()) {
    TRY_ASSIGN(const ingest::InductorCode code, ingest::read_inductor_code(request.inductor));
    report::attribute_by_inductor(manifest, code);
  }
  if (!request.model_name.empty()) manifest.capture.model_name = request.model_name;
  if (!request.compile_mode.empty()) manifest.capture.compile_mode = request.compile_mode;
  return {};
}

}  // namespace

Result<> write_json_file(const std::string& path, const std::function<void(answer::JsonObject& out)>& put) {
  TRY_ASSIGN(OutputFile file, OutputFile::create(path));
  Result<> written;
  const answer::TextSink sink = [&](std::string_view text) {
    if (written) written = file.write(text);
  };
  std::string text;
  answer::JsonObject::write_object(text, 0, &sink, put);
  sink(text + "\n");
  TRY(written);
  return file.commit();
}

Result<> write_operator_profile(const std::string& path, const report::OperatorManifest& manifest,
                                const analyse::OperatorCounters* counters) {
  return write_json_file(path, [&](answer::JsonObject& out) {
    compose::put_operator_profile(out, manifest, counters ? &counters->joined : nullptr, counters ? &counters->definitions : nullptr);
  });
}

Result<report::OperatorReport> make_manifest(const ManifestRequest& request, Session& session) {
  TRY_ASSIGN(analyse::Input input, session.input(request.report, request.nsys));
  TRY_ASSIGN(const report::OperatorProfile profile, analyse::read_recording(std::move(input), session.context()));
  session.end_progress();
  report::OperatorManifest manifest = report::manifest_of(profile);
  TRY(improve(manifest, request));
  TRY(write_json_file(request.output, [&](answer::JsonObject& out) { compose::put_operator_manifest(out, manifest); }));
  report::OperatorReport report = report::operator_report_of(manifest, request.report);
  TRY(analyse::add_details(report, session.context()));
  report.notes.push_back(fmt::format("written: {}", request.output));
  return report;
}

Result<int> print_operators(report::OperatorReport report, const std::string& format, Io& io, std::uint64_t rows) {
  const auto kept = std::make_shared<const report::OperatorReport>(std::move(report));
  TRY(print_answer(io, compose::answer_of(kept, static_cast<std::size_t>(rows)), format));
  return 0;
}

Result<> run_shown(std::string_view what, const std::vector<std::string>& argv, Io& io,
                   const std::vector<std::pair<std::string, std::string>>& environment) {
  io.err.write(fmt::format("running {}\n", capture::shell_line(argv)));
  io.err.flush();
  io.out.flush();
  return capture::run_tool(what, argv, *io.host, environment);
}

}  // namespace frx::cli
