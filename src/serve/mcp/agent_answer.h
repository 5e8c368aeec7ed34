// What a tool tells a program that acts on it (agent_answer_v1): a verdict, its reason and the first action, then as many details as fit
// into the tokens that the caller has for them, and a cursor for the rest.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "answer/json.h"

namespace frx::serve {

using answer::Json;

constexpr std::size_t usual_tokens = 2000, fewest_tokens = 250, most_tokens = 100'000;

// At least as many as common tokenizers make of JSON: one for three bytes.
std::size_t tokens_of(std::string_view text);

struct AgentAnswer {
  std::string tool = {};
  std::string verdict = {};         // one sentence
  std::string reason = {};          // why, or ""
  Json first_action = nullptr;      // {"id", "title", "actions", "check"}
  Json next_measurement = nullptr;  // {"why", "command"}
  Json facts = Json::object();      // what the answer is about
  std::string items_are = {};       // "bottlenecks and recommendations"
  std::vector<Json> items = {};     // the most important first, each with "kind" and "id"
  std::string full = {};            // the command that prints everything
};

// As structured content of at most so many tokens; `from`: how many items were told before. What does not fit is cut: details of items,
// then items, then the facts, last the words of the action.
Json fitted(const AgentAnswer& answer, std::size_t tokens, std::size_t from);

}  // namespace frx::serve
