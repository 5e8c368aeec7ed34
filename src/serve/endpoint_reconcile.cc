// POST /reconcile: results of several layers, or files of several kinds, brought together.

#include "analyse/recorded_evidence.h"
#include "compose/answers.h"
#include "serve/answers.h"

namespace frx::serve {
namespace {

constexpr std::pair<std::string_view, model::Layer> layers[] = {{"static", model::Layer::source},
                                                                {"ptx", model::Layer::ptx},
                                                                {"cubin", model::Layer::cubin},
                                                                {"ncu", model::Layer::ncu},
                                                                {"profiler", model::Layer::profiler}};

Result<http::Response> of_results(const Json& results, analyse::Context& context) {
  analyse::RecordedEvidence recorded;
  for (const auto& [name, layer] : layers) {
    const auto at = results.find(name);
    if (at != results.end() && !at->is_null()) TRY(recorded.add(layer, *at));
  }
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  TRY_ASSIGN(std::unique_ptr<report::EvidenceReport> report, report::reconcile(recorded.take(), *known));
  return result_of(compose::answer_of(std::shared_ptr<const report::EvidenceReport>(std::move(report))));
}

Result<http::Response> of_files(std::vector<ingest::Source> files, analyse::Context& context) {
  TRY_ASSIGN(const analyse::Analysis analysis, analyse::analyse(std::move(files), context));
  std::shared_ptr<const report::EvidenceReport> report;
  if (const auto* held = std::get_if<std::shared_ptr<const report::EvidenceReport>>(&analysis.report)) report = *held;
  if (const auto* code = analysis.as<analyse::CodeReport>()) report = code->together;
  if (!report) return fail(ErrorKind::not_enough, "the files are of one layer, and there is nothing to reconcile");
  return result_of(compose::answer_of(report));
}

http::Response reconcile(http::Request& request, const ApiOptions& api) {
  return answered_in_context(request, api, [](Asked& asked, analyse::Context& context) -> Result<http::Response> {
    TRY_ASSIGN(std::vector<ingest::Source> files, asked.files("input"));
    if (!files.empty()) return of_files(std::move(files), context);
    if (!asked.has_json()) return fail(ErrorKind::usage, "expected results of several layers, or files");
    return of_results(asked.json(), context);
  });
}

}  // namespace

constinit const Endpoint reconcile_endpoint = {
    .path = "/reconcile",
    .summary = "Bring several layers of evidence together",
    .description = "Results of the other endpoints as `static`, `ptx`, `cubin`, `ncu` and `profiler`, whichever there are; or the files.",
    .request = R"({"type": "object", "properties": {
      "static": {"type": ["object", "null"]}, "ptx": {"type": ["object", "null"]}, "cubin": {"type": ["object", "null"]},
      "ncu": {"type": ["object", "null"]}, "profiler": {"type": ["object", "null"]},
      "files": {"type": "array", "items": {"$ref": "#/components/schemas/File"}}}})",
    .response = "reconciliation_v1",
    .handler = reconcile,
};

}  // namespace frx::serve
