// The tools that a program calls over the Model Context Protocol. A new one is serve/mcp/tool_NAME.cc and a line in tools.def.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analyse/context.h"
#include "base/result.h"
#include "serve/api.h"
#include "serve/mcp/agent_answer.h"
#include "serve/mcp/roots.h"

namespace frx::serve {

// What one call works with.
struct ToolCall {
  const Json& arguments;
  const Roots& roots;
  const ApiOptions& api;
  std::stop_token stop = {};
  std::function<void(double done, double all, std::string_view what)> progress = {};

  // An argument; "" where it was not given. Usage errors name it.
  Result<std::string> text(std::string_view name) const;
  Result<std::string> needed_text(std::string_view name) const;
  Result<bool> flag(std::string_view name) const;
  Result<std::size_t> number(std::string_view name, std::size_t usual, std::size_t least, std::size_t most) const;
  // `path`, or the list `paths`, within the roots.
  Result<std::vector<std::string>> paths() const;
  Result<std::string> path(std::string_view name) const;
  Result<analyse::Options> options() const;
  analyse::Context context(analyse::Options options) const;
};

struct Tool {
  std::string_view name, title, description;
  std::string_view arguments;  // properties of its input besides max_tokens and cursor, as JSON
  std::string_view required;   // their names, as JSON: ["path"]
  Result<AgentAnswer> (*call)(const ToolCall& call);
};

// In the order of tools.def.
std::span<const Tool* const> tools();
const Tool* tool_named(std::string_view name);
// As tools/list has them.
Json tool_list();
// The structured content, or why there is none.
Result<Json> called(const Tool& tool, const ToolCall& call);

#define FRX_TOOL(name) extern const Tool name##_tool;
#include "serve/mcp/tools.def"
#undef FRX_TOOL

}  // namespace frx::serve
