#include "serve/mcp/agent_answer.h"

#include <algorithm>

#include "base/safe_text.h"
#include "base/text.h"

namespace frx::serve {
namespace {

// On one line, and nothing beyond ASCII, whatever the input gave.
std::string compact(const Json& value) { return value.dump(-1, ' ', true, Json::error_handler_t::replace); }

std::string cut(std::string_view text, std::size_t width) { return clip(text, width); }

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// The texts in it no longer than this, lists no longer than that.
Json shortened(const Json& value, std::size_t width, std::size_t items) {
  if (value.is_string()) return cut(value.get_ref<const std::string&>(), width);
  if (!value.is_structured()) return value;
  Json result = value.is_array() ? Json::array() : Json::object();
  for (auto it = value.begin(); it != value.end(); ++it) {
    if (value.is_object()) {
      result[it.key()] = shortened(*it, width, items);
    } else if (result.size() < items) {
      result.push_back(shortened(*it, width, items));
    }
  }
  return result;
}

// What an item is: its names and numbers, without lists and long texts.
Json bare(const Json& item) {
  Json result = Json::object();
  for (auto it = item.begin(); it != item.end(); ++it) {
    if (it->is_null() || it->is_structured()) continue;
    const bool is_name = it.key() == "kind" || it.key() == "id" || it.key() == "kernel" || it.key() == "place" || it.key() == "title";
    if (!it->is_string() || is_name || it->get_ref<const std::string&>().size() <= 24) result[it.key()] = shortened(*it, 60, 1);
  }
  return result;
}

Json frame_of(const AgentAnswer& answer) {
  return {{"schema", "agent_answer_v1"},
          {"tool", answer.tool},
          {"verdict", answer.verdict},
          {"reason", text_or_null(answer.reason)},
          {"first_action", answer.first_action},
          {"next_measurement", answer.next_measurement},
          {"facts", answer.facts},
          {"items_are", answer.items_are},
          {"items", Json::array()},
          {"left", answer.items.size()},
          {"cursor", nullptr},
          {"full", text_or_null(answer.full)},
          {"tokens", 0}};
}

// Less and less of the frame until it fits.
Json fitting_frame(const AgentAnswer& answer, std::size_t bytes) {
  Json frame = frame_of(answer);
  const auto fits = [&] { return compact(frame).size() <= bytes; };
  if (fits()) return frame;
  frame["facts"] = Json::object();
  for (const auto& [width, items] : {std::pair(400u, 3u), std::pair(200u, 2u), std::pair(120u, 1u), std::pair(60u, 1u)}) {
    for (const char* key : {"verdict", "reason", "first_action", "next_measurement"}) {
      // A command that is cut is none.
      const Json command = key == std::string_view("next_measurement") && frame[key].is_object() ? frame[key]["command"] : Json();
      frame[key] = shortened(frame[key], width, items);
      if (command.is_string() && command.get_ref<const std::string&>().size() <= 2 * width) frame[key]["command"] = command;
    }
    if (fits()) return frame;
    frame["full"] = nullptr;
  }
  if (frame["first_action"].is_object()) frame["first_action"]["actions"] = Json::array();
  if (!fits()) frame["next_measurement"] = nullptr;
  return frame;
}

}  // namespace

std::size_t tokens_of(std::string_view text) { return (text.size() + 2) / 3; }

Json fitted(const AgentAnswer& answer, std::size_t tokens, std::size_t from) {
  constexpr std::size_t closing = 40;  // what the members at the end may grow by
  const std::size_t bytes = 3 * tokens - closing;
  Json result = fitting_frame(answer, bytes);
  std::size_t size = compact(result).size(), next = std::min(from, answer.items.size());
  for (; next < answer.items.size(); ++next) {
    Json item = answer.items[next];
    std::size_t length = compact(item).size() + 1;
    if (size + length > bytes) length = compact(item = shortened(item, 160, 3)).size() + 1;
    // Names alone only where there would be nothing: each answer has to get further.
    if (size + length > bytes && result["items"].size() < 3) length = compact(item = bare(item)).size() + 1;
    if (size + length > bytes) break;
    size += length;
    result["items"].push_back(std::move(item));
  }
  result["left"] = answer.items.size() - next;
  if (next < answer.items.size()) result["cursor"] = std::to_string(next);
  result["tokens"] = tokens_of(compact(result));
  return result;
}

}  // namespace frx::serve
