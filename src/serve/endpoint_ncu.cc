// POST /ncu/analyze: an export or a report of Nsight Compute.

#include "compose/answers.h"
#include "serve/answers.h"

namespace frx::serve {
namespace {

http::Response analyze_ncu(http::Request& request, const ApiOptions& api) {
  return answered_in_context(request, api, [](Asked& asked, analyse::Context& context) -> Result<http::Response> {
    TRY_ASSIGN(ingest::Source source, asked.text_or_file({"csv_text", "content"}, "text.csv"));
    TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
    TRY_ASSIGN(const report::NcuReport* profile, analyse::analyse_profile(analyse::input_of(std::move(source), known->metrics), context));
    return result_of(compose::answer_of(std::shared_ptr<const report::NcuReport>(std::shared_ptr<const void>(), profile)));
  });
}

}  // namespace

constinit const Endpoint ncu_endpoint = {
    .path = "/ncu/analyze",
    .summary = "Diagnose an Nsight Compute profile",
    .description = "CSV of any version and layout as `csv_text`, or the file itself (.ncu-rep, CSV, text) as the body.",
    .request = R"({"type": "object", "anyOf": [{"required": ["csv_text"]}, {"required": ["content"]}], "properties": {
      "csv_text": {"type": "string"}, "content": {"type": "string", "description": "the same as csv_text"},
      "filename": {"type": ["string", "null"]}, "gpu_model": {"type": ["string", "null"]},
      "environment": {"type": "object", "properties": {"gpu_model": {"type": "string"}}}}})",
    .response = "ncu_analysis_v1",
    .handler = analyze_ncu,
};

}  // namespace frx::serve
