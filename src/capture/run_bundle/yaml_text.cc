#include "capture/run_bundle/yaml_text.h"

#include <charconv>

namespace frx::capture {
namespace {

std::string scalar(const OrderedJson& value) { return value.dump(-1, ' ', true, OrderedJson::error_handler_t::replace); }

bool is_nested(const OrderedJson& value) { return value.is_structured() && !value.empty(); }

// The depth is bounded: our values are flat, and a YAML file has at most 64 levels.
void write(const OrderedJson& value, std::size_t indent, std::string& text) {
  const std::string margin(indent, ' ');
  if (value.is_array()) {
    for (const OrderedJson& item : value) {
      text += margin + "-" + (is_nested(item) ? "\n" : " " + scalar(item) + "\n");
      if (is_nested(item)) write(item, indent + 2, text);
    }
    return;
  }
  for (const auto& [key, item] : value.items()) {
    const bool plain = !key.empty() && key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == key.npos;
    text += margin + (plain ? key : scalar(key)) + ":" + (is_nested(item) ? "\n" : " " + scalar(item) + "\n");
    if (is_nested(item)) write(item, indent + 2, text);
  }
}

OrderedJson scalar_of(const Value& value) {
  const std::string_view text = value.text();
  if (text == "true" || text == "false") return text == "true";
  if (text == "null" || text == "~") return nullptr;
  std::int64_t whole = 0;
  if (const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
      error == std::errc() && end == text.data() + text.size()) {
    return whole;
  }
  if (const std::optional<double> number = value.number()) return *number;
  return std::string(text);
}

}  // namespace

std::string yaml_text(const OrderedJson& value) {
  std::string text;
  write(value, 0, text);
  return text;
}

OrderedJson json_of(const Value& value) {
  if (value.is_text()) return scalar_of(value);
  if (value.is_list()) {
    OrderedJson list = OrderedJson::array();
    for (std::size_t i = 0; i < value.size(); ++i) list.push_back(json_of(value.item(i)));
    return list;
  }
  if (!value.is_map()) return nullptr;
  OrderedJson map = OrderedJson::object();
  for (std::size_t i = 0; i < value.size(); ++i) map[std::string(value.key(i))] = json_of(value.value(i));
  return map;
}

void merge(OrderedJson& into, const OrderedJson& over) {
  if (!into.is_object() || !over.is_object()) {
    into = over;
    return;
  }
  for (const auto& [key, value] : over.items()) {
    if (into.contains(key)) {
      merge(into[key], value);
    } else {
      into[key] = value;
    }
  }
}

}  // namespace frx::capture
