#include "serve/mcp/tools.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "knowledge/library.h"
#include "serve/answers.h"

namespace frx::serve {
namespace {

constexpr const Tool* all_tools[] = {
#define FRX_TOOL(name) &name##_tool,
#include "serve/mcp/tools.def"
#undef FRX_TOOL
};

Json schema_of(std::string_view name) {
  return Json::parse(knowledge::Library::builtin().schema(fmt::format("data/schemas/{}.json", name)));
}

Json input_schema_of(const Tool& tool) {
  Json properties = Json::parse(tool.arguments);
  properties["max_tokens"] = {{"type", "integer"},
                              {"minimum", fewest_tokens},
                              {"maximum", most_tokens},
                              {"default", usual_tokens},
                              {"description", "the answer is no longer than this; details that do not fit have a cursor"}};
  properties["cursor"] = {{"type", "string"}, {"description", "of an earlier answer: go on behind what it told"}};
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"type", "object"},
          {"properties", std::move(properties)},
          {"required", Json::parse(tool.required)},
          {"additionalProperties", false}};
}

Result<> expect_known(const Tool& tool, const Json& arguments) {
  const Json known = input_schema_of(tool)["properties"];
  for (auto it = arguments.begin(); it != arguments.end(); ++it) {
    if (known.contains(it.key())) continue;
    std::vector<std::string> names;
    for (auto one = known.begin(); one != known.end(); ++one) names.push_back(one.key());
    return fail(ErrorKind::usage, "{} has no argument '{}'; it has {}", tool.name, printable(it.key()), join(names, ", "));
  }
  return {};
}

Json description_of(const Tool& tool) {
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"inputSchema", input_schema_of(tool)},
          {"outputSchema", schema_of("agent_answer_v1")},
          {"annotations", {{"readOnlyHint", true}, {"destructiveHint", false}, {"idempotentHint", true}, {"openWorldHint", false}}}};
}

}  // namespace

Result<std::string> ToolCall::text(std::string_view name) const {
  const auto at = arguments.find(name);
  if (at == arguments.end() || at->is_null()) return std::string();
  if (!at->is_string()) return fail(ErrorKind::usage, "expected a text as '{}'", name);
  return at->get<std::string>();
}

Result<std::string> ToolCall::needed_text(std::string_view name) const {
  TRY_ASSIGN(std::string value, text(name));
  if (value.empty()) return fail(ErrorKind::usage, "expected '{}'", name);
  return value;
}

Result<bool> ToolCall::flag(std::string_view name) const {
  const auto at = arguments.find(name);
  if (at == arguments.end() || at->is_null()) return false;
  if (!at->is_boolean()) return fail(ErrorKind::usage, "expected true or false as '{}'", name);
  return at->get<bool>();
}

Result<std::size_t> ToolCall::number(std::string_view name, std::size_t usual, std::size_t least, std::size_t most) const {
  const auto at = arguments.find(name);
  if (at == arguments.end() || at->is_null()) return usual;
  if (!at->is_number_unsigned() || at->get<std::size_t>() < least || at->get<std::size_t>() > most)
    return fail(ErrorKind::usage, "expected a whole number from {} to {} as '{}'", least, most, name);
  return at->get<std::size_t>();
}

Result<std::string> ToolCall::path(std::string_view name) const {
  TRY_ASSIGN(const std::string asked, needed_text(name));
  return roots.resolved(asked);
}

Result<std::vector<std::string>> ToolCall::paths() const {
  const auto at = arguments.find("paths");
  if (at == arguments.end() || at->is_null()) {
    TRY_ASSIGN(std::string one, path("path"));
    return std::vector<std::string>{std::move(one)};
  }
  std::vector<std::string> all;
  if (!at->is_array() || at->empty()) return fail(ErrorKind::usage, "expected a list of paths as 'paths'");
  for (const Json& one : *at) {
    if (!one.is_string()) return fail(ErrorKind::usage, "expected texts in 'paths'");
    TRY_ASSIGN(std::string resolved, roots.resolved(one.get<std::string>()));
    all.push_back(std::move(resolved));
  }
  return all;
}

Result<analyse::Options> ToolCall::options() const {
  analyse::Options options{.knowledge = api.knowledge, .stop = stop};
  options.build.roots = roots.folders();
  TRY_ASSIGN(const std::string gpu, text("gpu_model"));
  if (!gpu.empty()) {
    options.knowledge.gpu_model = gpu;
    options.knowledge.gpu_is_fallback = false;
  }
  TRY_ASSIGN(options.knowledge.pedantic, flag("pedantic"));
  if (progress) {
    options.files_done = [report = progress](std::size_t done, std::size_t all) {
      report(static_cast<double>(done), static_cast<double>(all), "files read");
    };
    options.progress = [report = progress](const std::string& name, std::uint64_t bytes) {
      return [report, name = std::string(file_name_in(name)), bytes, told = std::uint64_t{0}](std::uint64_t read) mutable {
        if (bytes == 0 || read < told + bytes / 50) return;
        told = read;
        report(static_cast<double>(std::min(read, bytes)), static_cast<double>(bytes), "bytes of " + name);
      };
    };
  }
  return options;
}

analyse::Context ToolCall::context(analyse::Options options) const { return context_of(std::move(options), api); }

std::span<const Tool* const> tools() { return all_tools; }

const Tool* tool_named(std::string_view name) {
  const auto* const found = std::ranges::find(all_tools, name, &Tool::name);
  return found == std::end(all_tools) ? nullptr : *found;
}

Json tool_list() {
  Json list = Json::array();
  for (const Tool* tool : all_tools) list.push_back(description_of(*tool));
  return list;
}

Result<Json> called(const Tool& tool, const ToolCall& call) {
  TRY(expect_known(tool, call.arguments));
  TRY_ASSIGN(const std::size_t tokens, call.number("max_tokens", usual_tokens, fewest_tokens, most_tokens));
  TRY_ASSIGN(const std::string cursor, call.text("cursor"));
  std::size_t from = 0;
  const auto read = std::from_chars(cursor.data(), cursor.data() + cursor.size(), from);
  if (!cursor.empty() && (read.ec != std::errc() || read.ptr != cursor.data() + cursor.size()))
    return fail(ErrorKind::usage, "'{}' is no cursor of an answer", printable(cursor));
  TRY_ASSIGN(AgentAnswer answer, tool.call(call));
  answer.tool = tool.name;
  return fitted(answer, tokens, from);
}

}  // namespace frx::serve
