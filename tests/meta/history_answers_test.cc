// data/history/answers.yaml names members that the schemas of the answers have, and every schema of an answer is there.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "knowledge/library.h"
#include "meta/repository.h"

namespace frx::testing {
namespace {

using Json = nlohmann::json;

Json resolved(const Json& schema, Json at) {
  while (at.is_object() && at.contains("$ref")) {
    const std::string name = at["$ref"].get<std::string>();
    at = schema["$defs"][name.substr(name.rfind('/') + 1)];
  }
  return at;
}

// The member that a path cannot be followed at; "" where it can. What a schema leaves open is taken for there.
std::string lost_at(const Json& schema, std::string_view path) {
  Json at = schema;
  for (const std::string_view key : split(path, '.')) {
    at = resolved(schema, at);
    const bool is_index = key.find_first_not_of("0123456789") == key.npos;
    if (is_index) {
      if (!at.contains("items")) return "";
      at = Json(at["items"]);
      continue;
    }
    const bool is_listed = at.contains("properties") && at["properties"].contains(key);
    if (!is_listed && at.contains("required") && std::ranges::find(at["required"], Json(key)) != at["required"].end()) return "";
    if (!at.contains("properties")) return "";
    if (!is_listed) return std::string(key);
    at = Json(at["properties"][std::string(key)]);
  }
  return "";
}

struct KeptPath {
  std::string schema, path;
};

std::vector<KeptPath> kept_paths() {
  std::vector<KeptPath> paths;
  const Value answers = knowledge::Library::builtin().file("data/history/answers.yaml")["answers"];
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Value one = answers.item(i);
    const auto add = [&](std::string_view all) {
      for (const std::string_view path : split(all, '|')) {
        if (!path.empty()) paths.push_back({std::string(one["schema"].text()), std::string(path)});
      }
    };
    for (const char* key : {"subject", "gpu", "verdict", "predictions"}) add(one[key].text());
    for (const char* key : {"labels", "kernels", "operators"}) add(one[key]["list"].text());
    for (const std::string_view path : one["facts"].texts()) add(path);
    for (std::size_t k = 0; k < one["metrics"].size(); ++k) add(one["metrics"].item(k)["value"].text());
    for (std::size_t k = 0; k < one["software"].size(); ++k) add(one["software"].value(k).text());
  }
  return paths;
}

TEST(HistoryAnswers, NameMembersOfTheirSchemas) {
  const std::vector<KeptPath> paths = kept_paths();
  EXPECT_GT(paths.size(), 80u);
  for (const auto& [schema, path] : paths) {
    const Json json = Json::parse(content(repository() / "data/schemas" / (schema + ".json")), nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << schema;
    EXPECT_EQ(lost_at(json, path), "") << schema << " has no " << path;
  }
}

TEST(HistoryAnswers, HaveAFirstNumberEach) {
  const Value answers = knowledge::Library::builtin().file("data/history/answers.yaml")["answers"];
  ASSERT_GT(answers.size(), 15u);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_TRUE(answers.item(i)["metrics"].item(0)["name"]) << answers.item(i)["schema"].text();
    EXPECT_TRUE(answers.item(i)["kind"]) << answers.item(i)["schema"].text();
  }
}

}  // namespace
}  // namespace frx::testing
