// POST /operators/report: GPU time by operator of a recording or a profile.

#include "analyse/operators.h"
#include "compose/operator_profile.h"
#include "serve/answers.h"

namespace frx::serve {
namespace {

http::Response report_operators(http::Request& request, const ApiOptions& api) {
  return answered_in_context(request, api, [](Asked& asked, analyse::Context& context) -> Result<http::Response> {
    TRY_ASSIGN(const std::string by, asked.option("by"));
    const std::optional<report::OperatorGrouping> grouping = analyse::operator_grouping(by.empty() ? "op" : by);
    if (!grouping) return fail(ErrorKind::malformed, "expected op, module or kernel").at("by");
    TRY_ASSIGN(std::vector<ingest::Source> files, asked.files("run.sqlite"));
    if (files.size() != 1) return fail(ErrorKind::malformed, "expected one recording or profile, found {} files", files.size()).at("files");
    TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
    TRY_ASSIGN(analyse::OperatorAnalysis analysis,
               analyse::analyse_operators(analyse::input_of(std::move(files[0]), known->metrics), *grouping, context));
    return result_of(compose::answer_of(std::make_shared<const report::OperatorReport>(std::move(analysis.report)), 0));
  });
}

}  // namespace

constinit const Endpoint operators_endpoint = {
    .path = "/operators/report",
    .summary = "Divide GPU time by operator",
    .description =
        "An export of Nsight Systems (.sqlite) or a trace of the PyTorch profiler as the body, or a profile.json that was written before.",
    .request = R"({"type": "object", "required": ["files"], "properties": {
      "files": {"type": "array", "minItems": 1, "maxItems": 1, "items": {"$ref": "#/components/schemas/File"}},
      "by": {"enum": ["op", "module", "kernel", null]}}})",
    .response = "operator_report_v0",
    .handler = report_operators,
};

}  // namespace frx::serve
