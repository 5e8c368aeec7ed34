// POST /analyze: any files that belong together, answered as `frx analyze FILES` does.

#include "serve/answers.h"

namespace frx::serve {
namespace {

http::Response analyze(http::Request& request, const ApiOptions& api) {
  return answered_in_context(request, api, [&](Asked& asked, analyse::Context& context) -> Result<http::Response> {
    TRY_ASSIGN(std::vector<ingest::Source> files, asked.files("input"));
    if (files.empty()) return fail(ErrorKind::usage, "no file was sent").hint("send it as the body, in a form, or as \"files\" of JSON");
    TRY_ASSIGN(const analyse::Analysis analysis, analyse::analyse(std::move(files), context));
    const auto* code = analysis.as<analyse::CodeReport>();
    if (const Error* error = code ? code->only_error() : nullptr) return Failure{*error};
    answer::Answer answer = analyse::answer_of(analysis, context.options().scope);
    analyse::add_rule_pages(answer, context.options().knowledge.data_directory);
    return rendered(answer, asked, request);
  });
}

}  // namespace

constinit const Endpoint analyze_endpoint = {
    .path = "/analyze",
    .summary = "Diagnose files of one program, of whatever kind they are",
    .description =
        "Profiles, traces of all ranks of a run, run bundles (zip), CUDA source, PTX and cubins: one or several that belong together. "
        "The answer is what `frx analyze FILES --json` prints; ?format= or Accept ask for text, Markdown, HTML or SARIF.",
    .request = R"({"type": "object", "required": ["files"], "properties": {
      "files": {"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/File"}},
      "gpu_model": {"type": ["string", "null"]}, "scope": {"enum": ["run", "steady_state", "auto"]},
      "pedantic": {"type": ["boolean", "null"]}, "format": {"enum": ["json", "text", "markdown", "html", "sarif"]}}})",
    .response = "",
    .handler = analyze,
    .has_events = true,
};

}  // namespace frx::serve
