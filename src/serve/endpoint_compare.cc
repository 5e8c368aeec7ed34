// POST /compare: two implementations, by source, PTX and profiles.

#include "analyse/implementations.h"
#include "compose/answers.h"
#include "report/code_analyst.h"
#include "serve/answers.h"

namespace frx::serve {
namespace {

using analyse::ImplementationSources;

std::optional<ingest::Source> source_of(std::optional<std::string> text, std::string name) {
  return text ? std::optional(ingest::Source::of(std::move(name), std::move(*text))) : std::nullopt;
}

// {"label", "cuda_source", "ptx_text", "ncu_csv", "cuda_filename", "ptx_filename", "kernel"}
Result<ImplementationSources> side_in(const Json& request, std::string_view name) {
  const auto side = request.find(name);
  if (side == request.end() || !side->is_object()) return fail(ErrorKind::usage, "expected an object with one side").at(std::string(name));
  ImplementationSources sources;
  TRY_ASSIGN(std::optional<std::string> cuda, text_in(*side, "cuda_source"));
  TRY_ASSIGN(std::optional<std::string> ptx, text_in(*side, {"ptx_text", "ptx"}));
  TRY_ASSIGN(std::optional<std::string> profile, text_in(*side, "ncu_csv"));
  TRY_ASSIGN(const std::optional<std::string> cuda_name, text_in(*side, "cuda_filename"));
  TRY_ASSIGN(const std::optional<std::string> ptx_name, text_in(*side, "ptx_filename"));
  TRY_ASSIGN(const std::optional<std::string> label, text_in(*side, "label"));
  TRY_ASSIGN(const std::optional<std::string> kernel, text_in(*side, "kernel"));
  if (!cuda && !ptx && !profile) {
    return fail(ErrorKind::usage, "nothing is given of this side").at(std::string(name)).hint("give cuda_source, ptx_text or ncu_csv");
  }
  sources.code = source_of(std::move(cuda), printable(cuda_name.value_or(fmt::format("{}.cu", name))));
  sources.ptx = source_of(std::move(ptx), printable(ptx_name.value_or(fmt::format("{}.ptx", name))));
  sources.profile = source_of(std::move(profile), fmt::format("{}.csv", name));
  sources.label = label.value_or("");
  sources.kernel = kernel.value_or("");
  return sources;
}

http::Response compare(http::Request& request, const ApiOptions& api) {
  return answered([&]() -> Result<http::Response> {
    TRY_ASSIGN(Asked asked, Asked::in(request));
    if (!asked.has_json()) return fail(ErrorKind::usage, "expected a JSON object {{\"a\", \"b\"}}");
    TRY_ASSIGN(analyse::Options options, options_of(asked, request, api));
    TRY_ASSIGN(ImplementationSources before, side_in(asked.json(), "a"));
    TRY_ASSIGN(ImplementationSources after, side_in(asked.json(), "b"));
    analyse::Context context = context_of(std::move(options), api);
    TRY_ASSIGN(const report::CodeAnalyst* analyst, context.code());
    TRY_ASSIGN(const report::ComparisonKnowledge known, report::ComparisonKnowledge::load(analyst->knowledge()));
    TRY_ASSIGN(auto sides, analyse::read_code(before, after, *analyst));
    auto& [first, second] = sides;
    TRY(analyse::read_profile(first, before, context));
    TRY(analyse::read_profile(second, after, context));
    TRY(analyse::choose_kernel(first, before.kernel));
    TRY(analyse::choose_kernel(second, after.kernel));
    TRY_ASSIGN(report::ImplementationComparison comparison, analyse::compared(first, second, known));
    return result_of(compose::answer_of(std::make_shared<const report::ImplementationComparison>(std::move(comparison)), false));
  });
}

}  // namespace

constinit const Endpoint compare_endpoint = {
    .path = "/compare",
    .summary = "Compare two implementations",
    .description = "By CUDA source, PTX and Nsight Compute CSV, of each side whatever there is; the sides need one kind in common.",
    .request = R"({"type": "object", "required": ["a", "b"], "properties": {
      "a": {"$ref": "#/components/schemas/Side"}, "b": {"$ref": "#/components/schemas/Side"},
      "gpu_model": {"type": ["string", "null"]}}})",
    .response = "comparison_v1",
    .handler = compare,
};

}  // namespace frx::serve
