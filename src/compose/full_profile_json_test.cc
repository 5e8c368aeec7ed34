#include "compose/full_profile_json.h"

#include <gtest/gtest.h>

#include "answer/json.h"
#include "knowledge/library.h"
#include "report/kernels/read_full_profile.h"

namespace frx::compose {
namespace full_profile_json_test {  // files are compiled in groups
namespace {

using namespace model::full_profile;

// A value that no other field has.
class Filler {
 public:
  void operator()(std::string_view name, model::full_profile::Text& field) { field = "text of " + std::string(name); }
  void operator()(std::string_view name, model::full_profile::Texts& field) { field = {"one of " + std::string(name), "\"\xc3\xa9\" \\"}; }
  void operator()(std::string_view, model::full_profile::Number& field) { field = 0.1 * static_cast<double>(++next_); }
  void operator()(std::string_view, model::full_profile::Numbers& field) { field = {1.0 / 3, static_cast<double>(++next_)}; }
  void operator()(std::string_view, model::full_profile::Whole& field) { field = std::uint64_t{1} << 53 | ++next_; }
  void operator()(std::string_view, model::full_profile::Wholes& field) { field = {++next_, 4294967295u}; }
  void operator()(std::string_view, model::full_profile::Truth& field) { field = false; }
  void operator()(std::string_view, model::full_profile::Counts& field) { field = {{"read", ++next_}, {"write", 0}}; }

 private:
  std::uint32_t next_ = 0;
};

model::FullProfile full() {
  model::FullProfile profile;
  Filler fill;
  visit_sections(profile, [&](std::string_view, auto& section) { visit_fields(section, fill); });
  profile.timestamp = "2026-03-01T12:00:00Z";
  profile.source = "report.csv";
  profile.estimated = false;
  profile.notes = {"a note"};
  profile.muda = {{"waiting", "warp_stall_memory", 12.5}, {"motion", "warp_divergence", {}}};
  profile.provenance = {{"gpu_compute.ipc", "report.csv:7"}};
  return profile;
}

std::string text_of(const model::FullProfile& profile) {
  return answer::json_text_of([&](answer::JsonObject& out) { put_full_profile(out, profile); });
}

// cgp R12: every section there and back again
TEST(FullProfileJson, EveryFieldOfEverySectionIsReadAsItWasWritten) {
  const std::string text = text_of(full());
  const Result<model::FullProfile> read = report::read_full_profile("p.json", text);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(text_of(*read), text);
  visit_sections(*read, [](std::string_view name, const auto& section) {
    visit_fields(section, [&](std::string_view field, const auto& value) { EXPECT_TRUE(is_given(value)) << name << "." << field; });
  });
}

// cgp R12: a file of 2.0 with every section; its values are kept, its version becomes the one that is written
TEST(FullProfileJson, AFileOfTheFirstVersionKeepsItsValues) {
  answer::Json first = answer::Json::parse(text_of(full()));
  first["version"] = "2.0";
  const Result<model::FullProfile> read = report::read_full_profile("p.json", first.dump());
  ASSERT_TRUE(read) << to_string(read.error());
  answer::Json again = answer::Json::parse(text_of(*read));
  EXPECT_EQ(again["version"], "2.1");
  again["version"] = "2.0";
  EXPECT_EQ(again, first);
}

// cgp R12
TEST(FullProfileJson, WhatIsNotKnownIsLeftOut) {
  model::FullProfile profile;
  profile.gpu_memory.l2_hit_rate_pct = 0;
  const answer::Json json = answer::Json::parse(text_of(profile));
  EXPECT_EQ(json.size(), 3u) << json;
  EXPECT_EQ(json["gpu_memory"].size(), 1u);
  EXPECT_EQ(json["gpu_memory"]["l2_hit_rate_pct"], 0.0);
}

TEST(FullProfileJson, TheSchemaDescribesEveryField) {
  const answer::Json schema = answer::Json::parse(knowledge::Library::builtin().schema("data/schemas/full_profile_v2.json"));
  std::size_t sections = 0, fields = 0;
  const model::FullProfile profile = full();
  visit_sections(profile, [&](std::string_view name, const auto& section) {
    ++sections;
    const answer::Json& described = schema["properties"][std::string(name)]["properties"];
    visit_fields(section, [&](std::string_view field, const auto&) {
      ++fields;
      EXPECT_TRUE(described.contains(std::string(field))) << name << "." << field;
    });
  });
  EXPECT_EQ(sections, 29u);  // 27 categories of metrics besides muda, and hardware and kernel
  EXPECT_GE(fields, 150u);
}

}  // namespace
}  // namespace full_profile_json_test
}  // namespace frx::compose
