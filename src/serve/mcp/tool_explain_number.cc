// explain_number: where a number, a label or a recommendation of an analysis is from.

#include "analyse/why.h"
#include "base/text.h"
#include "report/pages/rule_page.h"
#include "serve/mcp/analysed.h"

namespace frx::serve {
namespace {

// Of a rule or label: what its page says of names and conditions.
void add_page(const report::RulePages& pages, const std::string& field, AgentAnswer& answer) {
  for (const report::RulePage* page : pages.with_id(field)) {
    for (const report::PageCondition& condition : page->conditions)
      answer.items.push_back({{"kind", "condition"}, {"id", page->id}, {"title", condition.says}, {"text", condition.expression}});
    for (const report::PageName& name : page->names)
      answer.items.push_back({{"kind", "name"}, {"id", name.name}, {"unit", name.unit}, {"text", name.meaning}});
  }
}

// Subjects stand at the beginning of a line, what is said of them further in, and what is broken from that further still.
void add_story(std::string_view story, AgentAnswer& answer) {
  for (const std::string_view line : split(story, '\n')) {
    const std::string_view words = trim(line);
    const std::size_t indent = line.find_first_not_of(' ');
    if (words.empty()) continue;
    if (answer.verdict.empty()) {
      answer.verdict = words;
    } else if (indent > 4 && !answer.items.empty()) {
      std::string joined = answer.items.back()["text"].get<std::string>() + " ";
      answer.items.back()["text"] = joined += words;
    } else {
      answer.items.push_back({{"kind", indent == 0 ? "subject" : "source"}, {"text", words}});
    }
  }
}

Result<AgentAnswer> explain_number(const ToolCall& call) {
  TRY_ASSIGN(const std::string field, call.needed_text("name"));
  TRY_ASSIGN(const std::vector<std::string> paths, call.paths());
  TRY_ASSIGN(const std::unique_ptr<Analysed> done, analysed(call, paths));
  TRY_ASSIGN(const knowledge::Knowledge* known, done->context.knowledge());
  TRY_ASSIGN(const std::string story, analyse::why(done->analysis, field, "auto", *known));
  AgentAnswer answer;
  add_story(story, answer);
  answer.items_are = "where it is from, line by line; of a rule or label, then its conditions and names";
  TRY_ASSIGN(std::shared_ptr<const report::Expertise> expertise, report::Expertise::load(call.api.knowledge.data_directory));
  add_page(*report::RulePages::of(std::move(expertise)), field, answer);
  answer.facts = {{"name", field}};
  answer.full = done->command().substr(0, done->command().size() - 6) + "--why " + shell_quote(field);
  return answer;
}

}  // namespace

constinit const Tool explain_number_tool{.name = "explain_number",
                                         .title = "Where a number is from",
                                         .description =
                                             "Traces a reading, label, rule or recommendation of an analysis to file and row, formula and "
                                             "thresholds: which counter it was read from, "
                                             "what was computed from what, why a label fires, is clear or is inconclusive.",
                                         .arguments = R"({
      "path": {"type": "string", "description": "the file that was analysed"},
      "paths": {"type": "array", "items": {"type": "string"}, "description": "instead of path: files of one kind"},
      "name": {"type": "string", "description": "id of a reading, label, rule or recommendation: dram_throughput_pct, uncoalesced_access"},
      "gpu_model": {"type": "string", "description": "as of the analysis"}})",
                                         .required = R"(["name"])",
                                         .call = explain_number};

}  // namespace frx::serve
