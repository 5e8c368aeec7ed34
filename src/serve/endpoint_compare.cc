// POST /compare: two implementations, by source, PTX and profiles; or two recordings.

#include "analyse/implementations.h"
#include "analyse/recordings.h"
#include "compose/answers.h"
#include "report/code_analyst.h"
#include "serve/answers.h"
#include "serve/compare_files.h"

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

// The comparison points into all of these.
struct ComparedSides {
  report::ComparisonKnowledge known;
  std::pair<analyse::ReadImplementation, analyse::ReadImplementation> sides;
  report::ImplementationComparison comparison;
};

Result<answer::Answer> compare_implementations(ImplementationSources before, ImplementationSources after, analyse::Context& context) {
  TRY_ASSIGN(const report::CodeAnalyst* analyst, context.code());
  auto all = std::make_shared<ComparedSides>();
  TRY_ASSIGN(all->known, report::ComparisonKnowledge::load(analyst->knowledge()));
  TRY_ASSIGN(all->sides, analyse::read_code(before, after, *analyst));
  auto& [first, second] = all->sides;
  TRY(analyse::read_profile(first, before, context));
  TRY(analyse::read_profile(second, after, context));
  TRY(analyse::choose_kernel(first, before.kernel));
  TRY(analyse::choose_kernel(second, after.kernel));
  TRY_ASSIGN(all->comparison, analyse::compared(first, second, all->known));
  return compose::answer_of(std::shared_ptr<const report::ImplementationComparison>(all, &all->comparison), false);
}

// Which of the three comparisons a file is for.
enum class Kind : std::uint8_t { code, run, profile };

Result<Kind> kind_of(const ingest::Source& source, ingest::Kind kind) {
  switch (kind) {
    case ingest::Kind::cuda:
    case ingest::Kind::ptx: return Kind::code;
    case ingest::Kind::trace:
    case ingest::Kind::run_bundle: return Kind::run;
    case ingest::Kind::profile: return Kind::profile;
    default: return fail(ErrorKind::malformed, "{} cannot be compared", ingest::name_of(kind)).at(source.name());
  }
}

Result<answer::Answer> comparison_of(Asked& asked, analyse::Context& context) {
  if (asked.has_json()) {
    TRY_ASSIGN(ImplementationSources before, side_in(asked.json(), "a"));
    TRY_ASSIGN(ImplementationSources after, side_in(asked.json(), "b"));
    return compare_implementations(std::move(before), std::move(after), context);
  }
  std::optional<ingest::Source> first = asked.file("a"), second = asked.file("b");
  if (!first || !second) return fail(ErrorKind::usage, "expected a JSON object or a form with two files, a and b");
  TRY_ASSIGN(const std::string first_label, asked.option("label_a"));
  TRY_ASSIGN(const std::string second_label, asked.option("label_b"));
  return compare_files(std::move(*first), std::move(*second), first_label, second_label, context);
}

http::Response compare(http::Request& request, const ApiOptions& api) {
  return answered_in_context(request, api, [&request](Asked& asked, analyse::Context& context) -> Result<http::Response> {
    TRY_ASSIGN(const answer::Answer answer, comparison_of(asked, context));
    return result_or_page(answer, asked, request);
  });
}

}  // namespace

Result<answer::Answer> compare_files(ingest::Source first, ingest::Source second, const std::string& first_label,
                                     const std::string& second_label, analyse::Context& context) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  analyse::Input before = analyse::input_of(std::move(first), known->metrics), after = analyse::input_of(std::move(second), known->metrics);
  TRY_ASSIGN(const Kind kind, kind_of(before.source, before.kind()));
  TRY_ASSIGN(const Kind other, kind_of(after.source, after.kind()));
  if (kind != other) {
    return fail(ErrorKind::usage, "expected two of a kind, found {} and {}", ingest::name_of(before.kind()), ingest::name_of(after.kind()));
  }
  if (kind == Kind::code) {
    ImplementationSources a, b;
    a.code = std::move(before.source);
    a.label = first_label;
    b.code = std::move(after.source);
    b.label = second_label;
    return compare_implementations(std::move(a), std::move(b), context);
  }
  analyse::RecordingSources recordings{std::move(before.source), std::move(after.source), first_label, second_label};
  if (kind == Kind::run) {
    TRY_ASSIGN(const std::shared_ptr<const analyse::ComparedRuns> compared, analyse::compare_runs(std::move(recordings), context));
    return compose::answer_of(std::shared_ptr<const report::RunComparison>(compared, &compared->comparison));
  }
  TRY_ASSIGN(const std::shared_ptr<const analyse::ComparedProfiles> compared, analyse::compare_profiles(std::move(recordings), context));
  return compose::answer_of(std::shared_ptr<const report::NcuComparison>(compared, &compared->comparison));
}

constinit const Endpoint compare_endpoint = {
    .path = "/compare",
    .summary = "Compare two implementations, or two recordings",
    .description =
        "Implementations by CUDA source, PTX and Nsight Compute CSV, of each side whatever there is; the sides need one kind in common. "
        "Or a form with two files, a and b: two traces or run bundles (run_comparison_v1), two profiles (ncu_comparison_v1), or two "
        "sources. ?format= asks for text, Markdown or HTML.",
    .request = R"({"type": "object", "required": ["a", "b"], "properties": {
      "a": {"$ref": "#/components/schemas/Side"}, "b": {"$ref": "#/components/schemas/Side"},
      "gpu_model": {"type": ["string", "null"]}, "pedantic": {"type": ["boolean", "null"]}, "format": {"enum": ["json", "text", "markdown", "html"]}}})",
    .response = "comparison_v1",
    .handler = compare,
    .has_events = true,
};

}  // namespace frx::serve
