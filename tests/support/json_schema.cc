#include "support/json_schema.h"

#include <fmt/format.h>

#include <cmath>
#include <regex>
#include <set>

#include "knowledge/library.h"

namespace frx::testing {
namespace {

bool is_type(const Json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer() || (value.is_number() && value.get<double>() == std::floor(value.get<double>()));
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  return type == "null" && value.is_null();
}

class Checker {
 public:
  explicit Checker(const Json& root) : root_(root) {}

  void check(const Json& schema, const Json& value, const std::string& at) {
    if (schema.is_boolean()) {
      if (!schema.get<bool>()) report(at, "nothing is allowed here");
      return;
    }
    for (const auto& [keyword, rule] : schema.items()) apply(keyword, rule, schema, value, at);
  }
  std::vector<std::string> found;

 private:
  void report(const std::string& at, const std::string& what) { found.push_back(fmt::format("{}: {}", at.empty() ? "/" : at, what)); }

  bool valid(const Json& schema, const Json& value) const {
    Checker other(root_);
    other.check(schema, value, "");
    return other.found.empty();
  }

  void apply(const std::string& keyword, const Json& rule, const Json& schema, const Json& value, const std::string& at) {
    static const std::set<std::string> words = {"$schema",     "$id",      "$defs",   "$comment",   "title",
                                                "description", "examples", "default", "deprecated", "format"};
    if (words.contains(keyword)) return;
    if (keyword == "$ref") return refer(rule.get<std::string>(), value, at);
    if (keyword == "type") return check_type(rule, value, at);
    if (keyword == "const") return require(value == rule, at, "expected " + rule.dump());
    if (keyword == "enum")
      return require(std::find(rule.begin(), rule.end(), value) != rule.end(), at, value.dump() + " is not one of " + rule.dump());
    if (keyword == "anyOf" || keyword == "oneOf" || keyword == "allOf") return combine(keyword, rule, value, at);
    if (keyword == "not") return require(!valid(rule, value), at, "matches what it must not");
    if (check_object(keyword, rule, schema, value, at) || check_array(keyword, rule, value, at) || check_scalar(keyword, rule, value, at))
      return;
    report(at, "the checker does not know the keyword '" + keyword + "'");
  }

  void require(bool holds, const std::string& at, const std::string& what) {
    if (!holds) report(at, what);
  }

  void refer(const std::string& reference, const Json& value, const std::string& at) {
    const bool local = reference.starts_with("#");
    const Json::json_pointer pointer(local ? reference.substr(1) : std::string());
    if (!local || !root_.contains(pointer)) return report(at, "no '" + reference + "' in the schema");
    check(root_.at(pointer), value, at);
  }

  void check_type(const Json& rule, const Json& value, const std::string& at) {
    const Json types = rule.is_array() ? rule : Json::array({rule});
    const bool any = std::any_of(types.begin(), types.end(), [&](const Json& type) { return is_type(value, type.get<std::string>()); });
    require(any, at, fmt::format("expected {}, found {}", rule.dump(), value.type_name()));
  }

  void combine(const std::string& keyword, const Json& rule, const Json& value, const std::string& at) {
    if (keyword == "allOf") {
      for (const Json& one : rule) check(one, value, at);
      return;
    }
    const auto fitting = std::count_if(rule.begin(), rule.end(), [&](const Json& one) { return valid(one, value); });
    require(keyword == "anyOf" ? fitting > 0 : fitting == 1, at, fmt::format("{} of the {} forms fit", fitting, rule.size()));
  }

  bool check_object(const std::string& keyword, const Json& rule, const Json& schema, const Json& value, const std::string& at) {
    if (keyword == "properties") {
      for (const auto& [name, member] : rule.items()) {
        if (value.is_object() && value.contains(name)) check(member, value[name], at + "/" + name);
      }
    } else if (keyword == "required") {
      for (const Json& name : rule) {
        if (value.is_object()) require(value.contains(name.get<std::string>()), at, "'" + name.get<std::string>() + "' is missing");
      }
    } else if (keyword == "additionalProperties") {
      const Json none = Json::object();
      const Json& known = schema.contains("properties") ? schema["properties"] : none;
      if (!value.is_object()) return true;
      for (const auto& [name, member] : value.items()) {
        if (!known.contains(name)) check(rule, member, at + "/" + name);
      }
    } else if (keyword == "propertyNames") {
      if (!value.is_object()) return true;
      for (const auto& [name, member] : value.items()) check(rule, Json(name), at + "/" + name);
    } else {
      return false;
    }
    return true;
  }

  bool check_array(const std::string& keyword, const Json& rule, const Json& value, const std::string& at) {
    if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) check(rule, value[i], fmt::format("{}/{}", at, i));
    } else if (keyword == "minItems") {
      require(!value.is_array() || value.size() >= rule.get<std::size_t>(), at, "too few items");
    } else if (keyword == "maxItems") {
      require(!value.is_array() || value.size() <= rule.get<std::size_t>(), at, "too many items");
    } else if (keyword == "uniqueItems") {
      require(!value.is_array() || std::set<Json>(value.begin(), value.end()).size() == value.size(), at, "an item stands twice");
    } else {
      return false;
    }
    return true;
  }

  bool check_scalar(const std::string& keyword, const Json& rule, const Json& value, const std::string& at) {
    if (keyword == "minimum") {
      require(!value.is_number() || value.get<double>() >= rule.get<double>(), at, value.dump() + " is below " + rule.dump());
    } else if (keyword == "maximum") {
      require(!value.is_number() || value.get<double>() <= rule.get<double>(), at, value.dump() + " is above " + rule.dump());
    } else if (keyword == "exclusiveMinimum") {
      require(!value.is_number() || value.get<double>() > rule.get<double>(), at, value.dump() + " is not above " + rule.dump());
    } else if (keyword == "minLength") {
      require(!value.is_string() || value.get<std::string>().size() >= rule.get<std::size_t>(), at, "too short");
    } else if (keyword == "pattern") {
      require(!value.is_string() || std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>())), at,
              value.dump() + " does not match " + rule.dump());
    } else {
      return false;
    }
    return true;
  }

  const Json& root_;
};

// What the schema that the object names says of it. A schema stays open for later versions of frx (docs/contract.md, section 10), but
// what this version prints is described.
void add_violations(const Json& value, std::vector<std::string>& found) {
  if (!value.is_object() || !value.contains("schema") || !value["schema"].is_string()) return;
  const std::string name = value["schema"];
  const std::string_view text = knowledge::Library::builtin().schema("data/schemas/" + name + ".json");
  if (text.empty()) return;
  const Json schema = Json::parse(text);
  for (const std::string& violation : violations(schema, value)) found.push_back(name + " " + violation);
  for (const auto& [member, ignored] : value.items()) {
    if (!schema["properties"].contains(member)) found.push_back(fmt::format("{} does not describe '{}'", name, member));
  }
}

// Documents stand within documents: results in their wrapper, files in a list, both sides of a comparison.
void add_all_violations(const Json& value, std::vector<std::string>& found) {
  add_violations(value, found);
  if (!value.is_structured()) return;
  for (const Json& part : value) add_all_violations(part, found);
}

}  // namespace

std::vector<std::string> violations(const Json& schema, const Json& value) {
  Checker checker(schema);
  checker.check(schema, value, "");
  return std::move(checker.found);
}

std::vector<std::string> schema_violations(const std::string& text) {
  std::vector<std::string> found;
  // Behind a line "$ frx ..." begins the output of one more command.
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    if (text.compare(at, 2, "$ ") == 0) at = std::min(text.size(), text.find('\n', at)) + 1;
    end = std::min(text.size(), text.find("\n$ frx", at));
    if (end < text.size()) ++end;
    if (at >= text.size() || text[at] != '{') continue;
    const Json value = Json::parse(text.substr(at, end - at), nullptr, false);
    if (!value.is_discarded()) add_all_violations(value, found);
  }
  return found;
}

}  // namespace frx::testing
