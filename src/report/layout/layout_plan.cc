#include "report/layout/layout_plan.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "base/safe_text.h"
#include "base/text.h"
#include "report/operators/json_members.h"

namespace frx::report {
namespace {

using PlanJson = nlohmann::ordered_json;

constexpr std::string_view plan_schema = "layout_plan.v1";
constexpr std::array<std::string_view, 3> formats = {"channels_last", "channels_last_3d", "contiguous_format"};
constexpr std::array<std::string_view, 2> plan_kinds = {"memory_format", "contiguous"}, plan_places = {"input", "output"};

// Reads members of one file; errors name it and the member.
struct PlanReader {
  std::string_view name;

  Failure wrong(const std::string& member, std::string_view expected) const {
    return fail(ErrorKind::malformed, "{}: expected {}", member, expected).at(std::string(name));
  }

  // Which of `words` the member is.
  Result<std::size_t> choice(const PlanJson& object, const std::string& at, const char* key,
                             std::span<const std::string_view> words) const {
    const std::string text = text_of(object, key);
    const auto found = std::ranges::find(words, text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    const std::vector<std::string> known(words.begin(), words.end());
    return wrong(at + "." + key, "one of " + join_with_and(known));
  }

  Result<std::vector<std::string>> modules(const PlanJson& object, const std::string& at) const {
    const auto list = object.find("modules");
    const bool is_list = list != object.end() && list->is_array() && !list->empty();
    if (!is_list || !std::ranges::all_of(*list, [](const PlanJson& one) { return one.is_string() && one != ""; }))
      return wrong(at + ".modules", "a list of patterns of module names");
    return list->get<std::vector<std::string>>();
  }

  Result<> only(const PlanJson& object, const std::string& at, std::span<const std::string_view> known) const {
    for (const auto& [key, value] : object.items()) {
      if (std::ranges::find(known, key) == known.end())
        return wrong(at, fmt::format("the members {}, found '{}'", join_with_and(std::vector<std::string>(known.begin(), known.end())),
                                     printable(key)));
    }
    return {};
  }

  Result<LayoutChange> change(const PlanJson& object, const std::string& at) const {
    if (!object.is_object()) return wrong(at, "an object");
    LayoutChange change;
    TRY_ASSIGN(const std::size_t kind, choice(object, at, "kind", plan_kinds));
    change.kind = static_cast<LayoutChange::Kind>(kind);
    TRY_ASSIGN(change.modules, modules(object, at));
    if (change.kind == LayoutChange::Kind::contiguous) {
      static constexpr std::array<std::string_view, 3> known = {"kind", "modules", "at"};
      TRY(only(object, at, known));
      TRY_ASSIGN(const std::size_t place, choice(object, at, "at", plan_places));
      change.at = static_cast<LayoutChange::Place>(place);
      return change;
    }
    static constexpr std::array<std::string_view, 4> known = {"kind", "modules", "format", "inputs"};
    TRY(only(object, at, known));
    TRY_ASSIGN(const std::size_t format, choice(object, at, "format", formats));
    change.format = formats[format];
    if (const auto inputs = object.find("inputs"); inputs != object.end()) {
      if (!inputs->is_boolean()) return wrong(at + ".inputs", "true or false");
      change.inputs = inputs->get<bool>();
    }
    return change;
  }
};

PlanJson text_or_null(const std::string& text) { return text.empty() ? PlanJson() : PlanJson(text); }

PlanJson json_of_change(const LayoutChange& change) {
  PlanJson out = {{"kind", name_of(change.kind)}, {"modules", change.modules}};
  if (change.kind == LayoutChange::Kind::contiguous) {
    out["at"] = plan_places[static_cast<std::size_t>(change.at)];
  } else {
    out["format"] = change.format;
    out["inputs"] = change.inputs;
  }
  return out;
}

}  // namespace

std::string_view name_of(LayoutChange::Kind kind) { return plan_kinds[static_cast<std::size_t>(kind)]; }

Result<LayoutPlan> read_layout_plan(std::string_view name, const std::string& text) {
  const PlanReader reader{name};
  const PlanJson document = PlanJson::parse(text, nullptr, false);
  if (!document.is_object()) return fail(ErrorKind::malformed, "expected a layout plan, a JSON object").at(std::string(name));
  if (text_of(document, "schema") != plan_schema) return reader.wrong("schema", plan_schema);
  const auto changes = document.find("changes");
  if (changes == document.end() || !changes->is_array() || changes->empty()) return reader.wrong("changes", "a list with a change or more");
  LayoutPlan plan;
  plan.model = text_of(document, "model");
  if (const auto from = document.find("made_from"); from != document.end()) {
    plan.trace_sha256 = text_of(*from, "trace_sha256");
    plan.finding = text_of(*from, "finding");
  }
  for (std::size_t i = 0; i < changes->size(); ++i) {
    TRY_ASSIGN(LayoutChange change, reader.change((*changes)[i], fmt::format("changes[{}]", i)));
    plan.changes.push_back(std::move(change));
  }
  return plan;
}

std::string layout_plan_text(const LayoutPlan& plan) {
  PlanJson changes = PlanJson::array();
  for (const LayoutChange& change : plan.changes) changes.push_back(json_of_change(change));
  const PlanJson document = {{"schema", plan_schema},
                             {"model", text_or_null(plan.model)},
                             {"made_from", {{"trace_sha256", text_or_null(plan.trace_sha256)}, {"finding", text_or_null(plan.finding)}}},
                             {"changes", std::move(changes)}};
  return document.dump(2, ' ', true, PlanJson::error_handler_t::replace) + "\n";
}

std::string words_of(const LayoutChange& change) {
  const std::string modules = join_with_and(change.modules);
  if (change.kind == LayoutChange::Kind::contiguous)
    return fmt::format("contiguous at the {} of {}", plan_places[static_cast<std::size_t>(change.at)], modules);
  return fmt::format("{} of {}{}", change.format, modules, change.inputs ? ", inputs converted" : "");
}

}  // namespace frx::report
