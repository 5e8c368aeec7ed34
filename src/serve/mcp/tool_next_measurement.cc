// next_measurement: what is inconclusive, and the measurement that decides it.

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "serve/mcp/diagnoses.h"

namespace frx::serve {
namespace {

// Labels that are inconclusive, with what each needs.
std::vector<Json> open_labels(const Analysed& done) {
  std::vector<Json> items;
  const Json& of_profile = at(done.result, "/cannot_tell");
  const Json& of_run = at(done.scope(), "/diagnosis/cannot_tell");
  for (const Json* list : {&of_profile, &of_run}) {
    if (!list->is_array()) continue;
    for (const Json& one : *list) {
      items.push_back(
          {{"kind", "inconclusive"}, {"id", at(one, "/label")}, {"needs", one.contains("collect") ? one["collect"] : at(one, "/needs")}});
    }
  }
  return items;
}

std::vector<Json> open_diagnoses(const Json& diagnoses) {
  std::vector<Json> items;
  if (!diagnoses.is_array()) return items;
  for (const Json& one : diagnoses) {
    const Json& missing = at(one, "/missing_evidence");
    if (!missing.is_object()) continue;
    Json counters = Json::array();
    for (const Json& metric : at(missing, "/metrics")) counters.push_back(at(metric, "/metric"));
    items.push_back({{"kind", "inconclusive"},
                     {"id", at(one, "/label")},
                     {"kernel", at(one, "/kernel")},
                     {"needs", std::move(counters)},
                     {"command", at(missing, "/ncu_command")},
                     {"confidence_then", at(missing, "/confidence_if_confirmed")}});
  }
  return items;
}

std::vector<Json> open_findings(const Analysed& done) {
  std::vector<Json> items;
  for (const Json& finding : done.findings()) {
    const Json item = item_of_finding(finding);
    items.push_back(
        {{"kind", "unproven"}, {"id", item["id"]}, {"kernel", item["kernel"]}, {"place", item["place"]}, {"needs", item["refuted_by"]}});
  }
  return items;
}

std::vector<Json> open_items(const Analysed& done) {
  if (done.mode == "reconciliation") return open_diagnoses(at(done.result, "/diagnoses"));
  if (done.is_code()) return open_findings(done);
  return open_labels(done);
}

Json measurement(std::string why, std::string command) { return {{"why", std::move(why)}, {"command", std::move(command)}}; }

// What is inconclusive about a profile may be what leads: it is asked for by the preset that has it.
Json next_of_profile(const Json& result, const std::vector<Json>& open) {
  std::string command = text_at(result, "/collect_command");
  if (open.empty() || command.empty()) return nullptr;
  return measurement(fmt::format("{} inconclusive: {}", open.size() == 1 ? "one label is" : fmt::format("{} labels are", open.size()),
                                 text_at(open[0], "/id")),
                     std::move(command));
}

Result<AgentAnswer> next_measurement(const ToolCall& call) {
  TRY_ASSIGN(const std::vector<std::string> paths, call.paths());
  TRY_ASSIGN(const std::unique_ptr<Analysed> done, analysed(call, paths));
  AgentAnswer answer;
  answer.items = open_items(*done);
  answer.items_are = "what is inconclusive or unproven, and what would decide it";
  answer.next_measurement = next_of(*done);
  answer.full = done->command();
  if (answer.next_measurement.is_null()) {
    answer.verdict = "nothing is missing for the diagnosis: change what it names first, and measure again";
    const Json& recommendations = done->is_run() ? at(done->scope(), "/diagnosis/recommendations") : at(done->result, "/recommendations");
    if (recommendations.is_array() && !recommendations.empty()) answer.first_action = action_of(recommendations[0]);
    return answer;
  }
  answer.verdict = text_at(answer.next_measurement, "/why");
  answer.reason = "run the command, and give what it writes to diagnose, together with what is there";
  answer.first_action = {{"id", "measure"},
                         {"title", "Measure what is missing"},
                         {"actions", Json::array({answer.next_measurement["command"]})},
                         {"check", "diagnose says more, or is more sure"}};
  return answer;
}

}  // namespace

Json next_of(const Analysed& done) {
  const std::vector<Json> open = open_items(done);
  if (done.is_profile()) return next_of_profile(done.result, open);
  if (open.empty()) return nullptr;
  const std::string first = text_at(open[0], "/id");
  if (done.mode == "reconciliation")
    return measurement(fmt::format("{} is not settled by what was given", first), text_at(open[0], "/command"));
  if (done.is_code())
    return measurement(fmt::format("{} is read from the code, and not measured", first),
                       "frx profile --preset full --out report.csv -- ./your_app");
  return measurement(fmt::format("{} is inconclusive without {}", first, text_at(open[0], "/needs")), "frx collect -- python3 train.py");
}

constinit const Tool next_measurement_tool{.name = "next_measurement",
                                           .title = "What to measure next",
                                           .description =
                                               "Names what is inconclusive about a profile, run, or code, the counters or recordings that "
                                               "would decide it, and one command that collects "
                                               "them. Without anything missing it says what to change first.",
                                           .arguments = R"({
      "path": {"type": "string", "description": "file or folder below a root"},
      "paths": {"type": "array", "items": {"type": "string"}, "description": "instead of path: files of one program"},
      "gpu_model": {"type": "string", "description": "the GPU, where the files do not say it"}})",
                                           .required = "[]",
                                           .call = next_measurement};

}  // namespace frx::serve
