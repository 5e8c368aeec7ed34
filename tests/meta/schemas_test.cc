// Every schema of data/schemas is one, and some golden case prints what it describes. (The runner
// checks each printed JSON against the schema it names.)
#include <gtest/gtest.h>

#include <set>

#include "meta/repository.h"
#include "support/json_schema.h"

namespace frx::testing {
namespace {

// What the Python SDK writes or reads, and python/tests checks.
const std::set<std::string> written_by_python = {"run_event_v0",          "operator_manifest_v1", "operator_profile_v1",
                                                 "operator_partition_v1", "layout_plan.v1",       "layout_trial_side.v1"};

// Stands in files below folders whose names are made at random; src/compose/tune_json_test.cc checks it.
const std::set<std::string> in_random_folders = {"tune_metrics.v1"};

std::vector<fs::path> schemas() { return files_below("data/schemas", ".json"); }

TEST(Schemas, AreJsonWithATitle) {
  if (schemas().empty()) GTEST_SKIP() << "data/schemas is empty";
  for (const fs::path& file : schemas()) {
    const Json schema = Json::parse(content(file), nullptr, false);
    ASSERT_FALSE(schema.is_discarded()) << shown(file) << " is not JSON";
    for (const char* key : {"$schema", "title", "type"}) EXPECT_TRUE(schema.contains(key)) << shown(file) << ": no " << key;
  }
}

TEST(Schemas, UseOnlyWhatTheCheckerKnows) {
  for (const fs::path& file : schemas()) {
    for (const std::string& violation : violations(Json::parse(content(file), nullptr, false), Json::object())) {
      EXPECT_EQ(violation.find("does not know"), violation.npos) << shown(file) << " " << violation;
    }
  }
}

TEST(Schemas, AreFollowedBySomeGoldenCase) {
  if (schemas().empty()) GTEST_SKIP() << "data/schemas is empty";
  std::string all;
  for (const Case& one : golden_cases()) {
    for (const Section& section : one.sections) all += is_input(section) ? "" : section.text;
  }
  for (const fs::path& file : schemas()) {
    const std::string name = file.stem();
    if (written_by_python.contains(name) || in_random_folders.contains(name)) continue;
    const bool is_printed = all.find("\"schema\": \"" + name + "\"") != all.npos || all.find("\"schema\":\"" + name + "\"") != all.npos;
    EXPECT_TRUE(is_printed) << "no golden case prints \"schema\": \"" << name << "\"";
  }
}

}  // namespace
}  // namespace frx::testing
