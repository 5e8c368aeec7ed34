#include "serve/mcp/prompts.h"

#include "answer/answer.h"
#include "base/text.h"
#include "compose/rule_page.h"
#include "render/render.h"
#include "report/pages/rule_page.h"
#include "serve/mcp/report_resources.h"

namespace frx::serve {
namespace {

constexpr std::string_view explain_scheme = "frx://explain/";

struct PromptArgument {
  std::string_view name, description;
};
struct Prompt {
  std::string_view name, title, description, text;  // {name} of an argument is filled in
  std::vector<PromptArgument> arguments;
};

const std::vector<Prompt>& prompts() {
  static const std::vector<Prompt> all = {
      {"find_the_bottleneck",
       "Find what limits a program",
       "Diagnose a file, settle what is inconclusive, and propose one change.",
       "Find out what limits the GPU work in {path}. Call diagnose. Where its confidence is low, call next_measurement and run its command "
       "if you can; "
       "diagnose again with what it wrote. Then propose the first action alone, with the numbers that speak for it and where each was read "
       "(explain_number). Say what is inconclusive; do not guess it.",
       {{"path", "profile, trace, run bundle or code"}}},
      {"check_my_change",
       "Check a change",
       "Say whether a change helped, and whether what was predicted came true.",
       "Did the change between {before} and {after} help? Call check_change (profiles of Nsight Compute) or compare. Report better, worse "
       "or inconclusive as "
       "they say it, with the interval or the noise floor, which predictions held, and what new bottleneck leads now (diagnose {after}).",
       {{"before", "the file before the change"}, {"after", "the file after it"}}}};
  return all;
}

std::string filled_in(std::string_view text, const Json& arguments) {
  std::string result(text);
  for (auto it = arguments.begin(); it != arguments.end(); ++it) {
    if (!it->is_string()) continue;
    const std::string mark = "{" + it.key() + "}";
    for (std::size_t at = result.find(mark); at != result.npos; at = result.find(mark, at + 1))
      result.replace(at, mark.size(), printable(it->get<std::string>()));
  }
  return result;
}

}  // namespace

std::string_view mcp_instructions() {
  return "frx says why GPU work is slow, from files: Nsight Compute reports, PyTorch and Nsight Systems traces, run bundles, CUDA source, "
         "PTX, cubins. "
         "Start with diagnose; explain_number traces a number to its row; next_measurement says what is missing; source_hot_spots and "
         "search_kernels find "
         "places; check_change predicts, and scores a change against a new profile. Answers keep to max_tokens; pass the cursor for more. "
         "'Inconclusive' "
         "is an answer: measure, do not guess.";
}

Json resource_templates() {
  return Json::array(
      {{{"uriTemplate", std::string(explain_scheme) + "{id}"},
        {"name", "explain"},
        {"title", "Page of a rule or label"},
        {"description", "What a rule or label says, how it is decided, examples, what it does not see, how to fix and to check it"},
        {"mimeType", "text/markdown"}},
       {{"uriTemplate", std::string(report_scheme) + "{+path}"},
        {"name", "report"},
        {"title", "Report about a file"},
        {"description", "The whole answer of frx analyze about a file or folder below the roots"},
        {"mimeType", "text/markdown"}}});
}

Result<Json> resource_at(const std::string& uri, const std::string& data_directory) {
  if (!uri.starts_with(explain_scheme)) return fail(ErrorKind::not_enough, "there is no resource {}", printable(uri));
  TRY_ASSIGN(std::shared_ptr<const report::Expertise> expertise, report::Expertise::load(data_directory));
  std::shared_ptr<const report::RulePages> pages = report::RulePages::of(std::move(expertise));
  TRY_ASSIGN(std::vector<const report::RulePage*> shown, pages->look_up(std::string_view(uri).substr(explain_scheme.size())));
  const answer::Answer answer = compose::answer_of(std::move(pages), std::move(shown));
  std::string text;
  TRY(render::render(answer, "markdown", {80, false, answer::Detail::full}, [&text](std::string_view part) { text += part; }));
  return Json{{"contents", Json::array({{{"uri", uri}, {"mimeType", "text/markdown"}, {"text", std::move(text)}}})}};
}

Json prompt_list() {
  Json list = Json::array();
  for (const Prompt& prompt : prompts()) {
    Json arguments = Json::array();
    for (const PromptArgument& one : prompt.arguments)
      arguments.push_back({{"name", one.name}, {"description", one.description}, {"required", true}});
    list.push_back(
        {{"name", prompt.name}, {"title", prompt.title}, {"description", prompt.description}, {"arguments", std::move(arguments)}});
  }
  return list;
}

Result<Json> prompt_named(const std::string& name, const Json& arguments) {
  for (const Prompt& prompt : prompts()) {
    if (prompt.name != name) continue;
    for (const PromptArgument& one : prompt.arguments) {
      if (!arguments.contains(one.name) || !arguments[std::string(one.name)].is_string())
        return fail(ErrorKind::usage, "the prompt {} needs '{}'", name, one.name);
    }
    const Json content = {{"type", "text"}, {"text", filled_in(prompt.text, arguments)}};
    return Json{{"description", prompt.description}, {"messages", Json::array({{{"role", "user"}, {"content", content}}})}};
  }
  return fail(ErrorKind::usage, "there is no prompt '{}'", printable(name));
}

}  // namespace frx::serve
