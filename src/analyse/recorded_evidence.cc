#include "analyse/recorded_evidence.h"

#include "base/text.h"
#include "report/report.h"

namespace frx::analyse {
namespace {

using answer::Json;
using model::Layer;
using model::Verdict;

// A member that is an object or a list; null where there is none.
const Json* member_or_null(const Json& object, std::string_view name) {
  const auto at = object.is_object() ? object.find(name) : object.end();
  return at == object.end() || at->is_null() ? nullptr : &*at;
}

std::string text(const Json& object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const Json* value = member_or_null(object, name); value && value->is_string()) return value->get<std::string>();
  }
  return "";
}

bool is_list(const Json* value) { return value && value->is_array(); }

}  // namespace

// A finding by its name alone, or an object with "code", "kind" or "label".
void RecordedEvidence::add_finding(Layer layer, const Json& from, std::string_view kernel, Verdict verdict) {
  const std::string id = from.is_string() ? from.get<std::string>() : text(from, {"code", "label", "kind", "id"});
  if (id.empty() || text(from, {"proof"}) == "unproven") return;
  model::FindingType& type = types_.emplace_back();
  type.id = texts_.emplace_back(id);
  type.display = texts_.emplace_back(text(from, {"display_name", "display"}));
  type.layer = layer;
  model::Finding& finding = evidence_.findings.emplace_back();
  finding.type = &type;
  finding.verdict = verdict;
  finding.severity = model::severity_named(to_lower(text(from, {"severity"})));
  finding.kernel = report::kernel_called(kernel.empty() ? text(from, {"kernel_name", "kernel"}) : std::string(kernel));
  finding.message = text(from, {"message"});
  const Json* const line = member_or_null(from, "line");
  const std::string file = text(from, {"filename"});
  if (!file.empty() && line && line->is_number_unsigned()) finding.places.push_back({file, line->get<std::uint32_t>()});
}

void RecordedEvidence::add_all(Layer layer, const Json& list, std::string_view kernel, Verdict verdict) {
  for (const Json& one : list) add_finding(layer, one, kernel, verdict);
}

// A label of a file says something about its kernel where there is one.
void RecordedEvidence::add_code(Layer layer, const Json& result) {
  if (const Json* findings = member_or_null(result, "findings"); is_list(findings)) add_all(layer, *findings, "");
  const Json *kernels = member_or_null(result, "kernels"), *labels = member_or_null(result, "bottlenecks");
  if (is_list(kernels) && kernels->size() == 1 && is_list(labels)) add_all(layer, *labels, text(kernels->front(), {"kernel_name", "name"}));
}

void RecordedEvidence::add_profile(const Json& result) {
  const Json* kernels = member_or_null(result, "kernels");
  if (!is_list(kernels) || kernels->empty()) {
    if (const Json* labels = member_or_null(result, "bottlenecks"); is_list(labels)) add_all(Layer::ncu, *labels, "");
    return;
  }
  for (const Json& kernel : *kernels) {
    const std::string name = text(kernel, {"kernel_name", "name"});
    if (const Json* labels = member_or_null(kernel, "bottlenecks"); is_list(labels)) add_all(Layer::ncu, *labels, name);
    if (const Json* others = member_or_null(kernel, "ruled_out"); is_list(others)) add_all(Layer::ncu, *others, name, Verdict::clear);
  }
}

void RecordedEvidence::add_run(const Json& result) {
  for (const std::string_view scope : {"steady_state", "run"}) {
    if (const Json* inner = member_or_null(result, scope); inner && inner->is_object()) return add_run(*inner);
  }
  const Json* labels = member_or_null(result, "bottlenecks");
  if (is_list(labels)) return add_all(Layer::profiler, *labels, "");
  const Json* diagnosis = member_or_null(result, "diagnosis");
  add_finding(Layer::profiler, Json(text(diagnosis ? *diagnosis : result, {"primary_bottleneck"})), "");
}

// What a trace of the run says of memory layouts. Findings are of operators, and about no kernel by its name.
void RecordedEvidence::add_layout(const Json& result) {
  const Json* findings = member_or_null(result, "findings");
  if (!is_list(findings)) return;
  for (const Json& one : *findings) {
    const std::string detector = text(one, {"detector"});
    if (detector.empty()) continue;
    const Json* const site = member_or_null(one, "site");
    const std::string place = site ? text(*site, {"text", "op_path"}) : "";
    const std::string title = text(one, {"title"});
    add_finding(Layer::profiler,
                {{"code", "layout_" + detector},
                 {"severity", text(one, {"severity"})},
                 {"message", place.empty() ? title : fmt::format("{} ({})", title, place)}},
                "");
  }
}

Result<> RecordedEvidence::add(Layer layer, const Json& result) {
  const std::string name(layer == Layer::source ? "static" : model::name_of(layer));
  if (!result.is_object()) return fail(ErrorKind::usage, "expected the result of an analysis").at(name);
  if (const Json* inner = member_or_null(result, "result"); inner && inner->is_object()) return add(layer, *inner);
  evidence_.files.emplace_back(layer, text(result, {"filename", "source", "run_id", "model"}));
  switch (layer) {
    case Layer::source:
    case Layer::ptx:
    case Layer::cubin: add_code(layer, result); break;
    case Layer::ncu: add_profile(result); break;
    case Layer::profiler: text(result, {"schema"}) == "layout.v1" ? add_layout(result) : add_run(result); break;
  }
  return {};
}

}  // namespace frx::analyse
