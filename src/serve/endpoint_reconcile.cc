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

Result<answer::Answer> of_results(const Json& results, analyse::Context& context) {
  const auto recorded = std::make_shared<analyse::RecordedEvidence>();
  for (const auto& [name, layer] : layers) {
    const auto at = results.find(name);
    if (at != results.end() && !at->is_null()) TRY(recorded->add(layer, *at));
  }
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  TRY_ASSIGN(std::unique_ptr<report::EvidenceReport> report, report::reconcile(recorded->take(), *known));
  answer::Answer answer = compose::answer_of(std::shared_ptr<const report::EvidenceReport>(std::move(report)));
  answer.kept.push_back(recorded);  // the findings point into it
  return answer;
}

Result<answer::Answer> of_files(std::vector<ingest::Source> files, analyse::Context& context) {
  TRY_ASSIGN(analyse::Analysis analysed, analyse::analyse(std::move(files), context));
  const auto kept = std::make_shared<const analyse::Analysis>(std::move(analysed));
  const analyse::Analysis& analysis = *kept;
  std::shared_ptr<const report::EvidenceReport> report;
  if (const auto* held = std::get_if<std::shared_ptr<const report::EvidenceReport>>(&analysis.report)) report = *held;
  if (const auto* code = analysis.as<analyse::CodeReport>()) report = code->together;
  if (!report) return fail(ErrorKind::not_enough, "the files are of one layer, and there is nothing to reconcile");
  answer::Answer answer = compose::answer_of(report);
  answer.kept.push_back(kept);  // what is said together points into each
  return answer;
}

http::Response reconcile(http::Request& request, const ApiOptions& api) {
  return answered_in_context(request, api, [&request](Asked& asked, analyse::Context& context) -> Result<http::Response> {
    TRY_ASSIGN(std::vector<ingest::Source> files, asked.files("input"));
    if (files.empty() && !asked.has_json()) return fail(ErrorKind::usage, "expected results of several layers, or files");
    TRY_ASSIGN(const answer::Answer answer, files.empty() ? of_results(asked.json(), context) : of_files(std::move(files), context));
    return result_or_page(answer, asked, request);
  });
}

}  // namespace

constinit const Endpoint reconcile_endpoint = {
    .path = "/reconcile",
    .summary = "Bring several layers of evidence together",
    .description =
        "Results of the other endpoints as `static`, `ptx`, `cubin`, `ncu` and `profiler`, whichever there are; or the files. ?format= "
        "asks for text, Markdown or HTML.",
    .request = R"({"type": "object", "properties": {
      "static": {"type": ["object", "null"]}, "ptx": {"type": ["object", "null"]}, "cubin": {"type": ["object", "null"]},
      "ncu": {"type": ["object", "null"]}, "profiler": {"type": ["object", "null"]},
      "files": {"type": "array", "items": {"$ref": "#/components/schemas/File"}}}})",
    .response = "reconciliation_v1",
    .handler = reconcile,
};

}  // namespace frx::serve
