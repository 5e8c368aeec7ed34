#include "serve/mcp/analysed.h"

#include <algorithm>

#include "analyse/answer.h"
#include "base/text.h"
#include "ingest/source.h"

namespace frx::serve {
namespace {

const Json nothing = nullptr;

void add_findings(const Json& result, std::vector<Json>& all) {
  const Json& findings = at(result, "/findings");
  if (findings.is_array()) all.insert(all.end(), findings.begin(), findings.end());
}

int rank_of(const Json& finding) {
  const std::string severity = text_at(finding, "/severity");
  return severity == "high" ? 0 : severity == "medium" ? 1 : 2;
}

}  // namespace

const Json& at(const Json& value, std::string_view pointer) {
  const Json::json_pointer where{std::string(pointer)};
  return value.contains(where) ? value.at(where) : nothing;
}

std::string text_at(const Json& value, std::string_view pointer) {
  const Json& found = at(value, pointer);
  return found.is_string() ? found.get<std::string>() : std::string();
}

std::optional<double> number_at(const Json& value, std::string_view pointer) {
  const Json& found = at(value, pointer);
  return found.is_number() ? std::optional(found.get<double>()) : std::nullopt;
}

const Json& Analysed::scope() const {
  const Json& steady = at(result, "/steady_state");
  return steady.is_object() && number_at(steady, "/step_count").value_or(0) > 0 ? steady : at(result, "/run");
}

std::vector<Json> Analysed::findings() const {
  std::vector<Json> all;
  add_findings(result, all);
  const Json& files = at(result, "/files");
  if (mode == "code" && files.is_array()) {
    for (const Json& file : files) add_findings(at(file, "/result"), all);
  }
  std::ranges::stable_sort(all, {}, rank_of);
  return all;
}

std::string Analysed::command() const {
  std::string words = "frx analyze";
  for (const std::string& path : paths) words += " " + shell_quote(path);
  return words + " --json";
}

Json json_of(const answer::Answer& answer) { return Json::parse(answer::json_text_of(answer.payload)); }

Result<std::unique_ptr<Analysed>> analysed(const ToolCall& call, const std::vector<std::string>& paths) {
  TRY_ASSIGN(analyse::Options options, call.options());
  auto done = std::make_unique<Analysed>(Analysed{.context = call.context(std::move(options))});
  done->paths = paths;
  TRY_ASSIGN(done->analysis, analyse::analyse(ingest::Source::at_each(paths), done->context));
  const auto* code = done->analysis.as<analyse::CodeReport>();
  if (const Error* error = code ? code->only_error() : nullptr) return Failure{*error};
  const answer::Answer answer = analyse::answer_of(done->analysis);
  done->mode = answer.mode;
  done->result = json_of(answer);
  return done;
}

Json action_of(const Json& recommendation) {
  if (!recommendation.is_object()) return nullptr;
  Json check = at(recommendation, "/validation_command");
  if (check.is_null() && at(recommendation, "/validation_steps/0/label").is_string()) {
    check = fmt::format("{}: {}", text_at(recommendation, "/validation_steps/0/label"),
                        text_at(recommendation, "/validation_steps/0/expected"));
  }
  return {{"id", at(recommendation, "/id")},
          {"title", at(recommendation, "/title")},
          {"actions", at(recommendation, "/actions")},
          {"check", check}};
}

Json evidence_of(const Json& values, const Json& sources) {
  Json all = Json::array();
  if (!values.is_object()) return all;
  for (auto it = values.begin(); it != values.end(); ++it) {
    if (it->is_null()) continue;
    Json one = {{"name", it.key()}, {"value", *it}};
    if (sources.is_object() && sources.contains(it.key())) one["source"] = sources[it.key()];
    all.push_back(std::move(one));
  }
  return all;
}

Json item_of_finding(const Json& finding) {
  std::string place = text_at(finding, "/filename");
  if (const std::optional<double> line = number_at(finding, "/line")) place += fmt::format(":{:.0f}", *line);
  return {{"kind", "finding"},
          {"id", at(finding, "/code")},
          {"severity", at(finding, "/severity")},
          {"kernel", at(finding, "/kernel")},
          {"place", place},
          {"text", at(finding, "/message")},
          {"do", at(finding, "/suggestion")},
          {"refuted_by", at(finding, "/how_to_disprove")},
          {"source", at(finding, "/snippet")}};
}

}  // namespace frx::serve
