// POST /ptx/analyze: PTX, without a compiler.

#include "compose/answers.h"
#include "serve/answers.h"

namespace frx::serve {
namespace {

http::Response analyze_ptx(http::Request& request, const ApiOptions& api) {
  return answered_in_context(request, api, [](Asked& asked, analyse::Context& context) -> Result<http::Response> {
    TRY_ASSIGN(ingest::Source source, asked.text_or_file({"ptx_text", "content", "ptx"}, "text.ptx"));
    TRY_ASSIGN(const report::CodeAnalyst* analyst, context.code());
    TRY_ASSIGN(std::string text, source.text(largest_text));
    TRY_ASSIGN(std::unique_ptr<report::PtxReport> report, analyst->analyse_ptx(source.name(), std::move(text)));
    return result_of(compose::answer_of(std::shared_ptr<const report::PtxReport>(std::move(report))));
  });
}

}  // namespace

constinit const Endpoint ptx_endpoint = {
    .path = "/ptx/analyze",
    .summary = "Analyse PTX without running it",
    .description = "The text of `nvcc --ptx` or `cuobjdump --ptx` as `ptx_text`, or the file itself as the body.",
    .request = R"({"type": "object", "anyOf": [{"required": ["ptx_text"]}, {"required": ["content"]}], "properties": {
      "ptx_text": {"type": "string"}, "content": {"type": "string", "description": "the same as ptx_text"},
      "filename": {"type": ["string", "null"]}, "gpu_model": {"type": ["string", "null"]}}})",
    .response = "ptx_analysis_v1",
    .handler = analyze_ptx,
};

}  // namespace frx::serve
