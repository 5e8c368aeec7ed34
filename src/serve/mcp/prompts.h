// What the protocol offers besides tools: pages of rules and labels as resources, and prompts for the usual loops.
#pragma once

#include <string>

#include "base/result.h"
#include "serve/mcp/agent_answer.h"

namespace frx::serve {

// Sent to a client that connects: how the tools go together.
std::string_view mcp_instructions();

Json resource_templates();
// "frx://explain/uncoalesced_access". not_enough where there is no such page.
Result<Json> resource_at(const std::string& uri, const std::string& data_directory);

Json prompt_list();
// Usage: there is no such prompt, or an argument is missing.
Result<Json> prompt_named(const std::string& name, const Json& arguments);

}  // namespace frx::serve
