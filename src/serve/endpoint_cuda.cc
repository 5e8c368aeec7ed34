// POST /cuda/static-inspect: CUDA source of one program.

#include <algorithm>
#include <array>

#include "answer/json_object.h"
#include "compose/answers.h"
#include "report/code_analyst.h"
#include "report/finding_tiers.h"
#include "serve/answers.h"

namespace frx::serve {
namespace {

// What the upload as a whole has, behind the documented result.
void add_counts(answer::JsonObject& out, const report::CudaReport& report) {
  const auto high = std::ranges::count(report.findings, model::Severity::high, &model::Finding::severity);
  out.add("file_count", report.files.size());
  out.object("summary", [&](answer::JsonObject& summary) {
    summary.add("kernel_count", report.inspection.kernels.size(), "launch_count", report.inspection.launches.size(), "finding_count",
                report.findings.size(), "high_severity_count", high);
  });
}

http::Response inspect(http::Request& request, const ApiOptions& api) {
  return answered_in_context(request, api, [](Asked& asked, analyse::Context& context) -> Result<http::Response> {
    TRY_ASSIGN(std::vector<ingest::Source> files, asked.files("source.cu"));
    if (files.empty()) return fail(ErrorKind::malformed, "no file was sent").at("files");
    std::vector<std::pair<std::string, std::string>> program;
    for (ingest::Source& file : files) {
      TRY_ASSIGN(std::string text, file.text(largest_text));
      program.emplace_back(file.name(), std::move(text));
    }
    TRY_ASSIGN(const report::CodeAnalyst* analyst, context.code());
    TRY_ASSIGN(std::unique_ptr<report::CudaReport> made, analyst->inspect_cuda(std::move(program)));
    report::settle_findings(std::array{made.get()});
    const std::shared_ptr<const report::CudaReport> report = std::move(made);
    const answer::Answer answer = compose::answer_of(report);
    return http::Response{.body = answer::json_text_of([&](answer::JsonObject& out) {
                            answer.payload(out);
                            add_counts(out, *report);
                          })};
  });
}

}  // namespace

constinit const Endpoint cuda_endpoint = {
    .path = "/cuda/static-inspect",
    .summary = "Inspect CUDA source without compiling it",
    .description =
        "One or several files of one program. With `gpu_model`, occupancy and its limits; with `pedantic`, style and guesses, too.",
    .request = R"({"type": "object", "required": ["files"], "properties": {
      "files": {"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/File"}},
      "gpu_model": {"type": ["string", "null"]}, "pedantic": {"type": ["boolean", "null"]}}})",
    .response = "cuda_static_v1",
    .handler = inspect,
};

}  // namespace frx::serve
