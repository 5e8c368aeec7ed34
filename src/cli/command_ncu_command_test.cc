#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "capture/fake_host.h"
#include "cli/test_io.h"

namespace frx::cli {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// The printed command: the line that starts with "  ncu ".
std::string printed_command(const std::string& text) {
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("  ncu ")) return std::string(trim(line));
  }
  return {};
}

// Runs a printed command through a shell with the fake ncu on PATH; gives back what the fake was
// asked to profile: "APP|ARG|...".
std::string application_seen(const std::string& command, const TemporaryDirectory& folder) {
  capture::ChildCommand child;
  child.argv = {"/bin/sh", "-c", command};
  child.directory = folder.path();
  child.environment = {{"PATH", capture::fake_ncu_folder() + ":/usr/bin:/bin"}, {"FAKE_NCU_RECORD", folder.file("record")}};
  const Result<capture::Exit> exit = run_process(child);
  EXPECT_TRUE(exit);
  return read_file(folder.file("record")).value_or("");
}

TEST(NcuCommandCommand, EveryPrintedCommandProfilesTheApplication) {
  for (const std::string preset : {"memory", "tensor", "occupancy", "stalls", "full"}) {
    for (const Words& extra : {Words{}, Words{"-o", "my profile.csv"}, Words{"--kernel-name", ".*gemm.*", "--launch-count", "2"},
                               Words{"--launch-skip", "1", "--target-processes", "application-only"}}) {
      const TemporaryDirectory folder = std::move(*TemporaryDirectory::make("/tmp"));
      TestIo test;
      Words args = {"ncu-command", preset};
      args.insert(args.end(), extra.begin(), extra.end());
      args.insert(args.end(), {"--", "echo", "a b", "$HOME", "`id`", ">", "*", "--csv"});
      ASSERT_EQ(run(args, test.io), 0) << test.err();
      const std::string seen = application_seen(printed_command(test.out()), folder);
      EXPECT_TRUE(seen.starts_with("echo|a b|$HOME|`id`|>|*|--csv|LC_ALL=")) << seen;
      EXPECT_NE(seen.find("csv=yes|gpu__time_duration.sum,"), seen.npos) << seen;
    }
  }
}

TEST(NcuCommandCommand, OutputKeepsTheProgramOutOfTheCsv) {
  const TemporaryDirectory folder = std::move(*TemporaryDirectory::make("/tmp"));
  TestIo test;
  ASSERT_EQ(test.run({"ncu-command", "memory", "--output", "p.csv", "--", "echo", "chatter"}), 0);
  application_seen(printed_command(test.out()), folder);
  const std::string csv = read_file(folder.file("p.csv")).value_or("");
  EXPECT_NE(csv.find("vector_add"), csv.npos);
  EXPECT_EQ(csv.find("chatter"), csv.npos);
}

TEST(NcuCommandCommand, DefaultsToEverythingAndYourApp) {
  TestIo test;
  ASSERT_EQ(test.run({"ncu-command"}), 0);
  EXPECT_TRUE(test.out().starts_with("Preset:   full\n"));
  EXPECT_TRUE(printed_command(test.out()).ends_with(" ./your_app"));
}

TEST(NcuCommandCommand, JsonHasTheCommandAsListAndAsShellLine) {
  TestIo test;
  ASSERT_EQ(test.run({"ncu-command", "tensor", "-o", "x y.csv", "--json", "--", "./app"}), 0);
  const json all = json::parse(test.out());
  EXPECT_EQ(all["mode"], "ncu_command");
  const json& result = all["result"];
  EXPECT_EQ(result["preset"], "tensor");
  EXPECT_EQ(result["command"].front(), "ncu");
  EXPECT_EQ(result["command"].back(), "./app");
  EXPECT_EQ(std::count(result["command"].begin(), result["command"].end(), ">"), 0);
  EXPECT_NE(result["shell"].get<std::string>().find("--log-file 'x y.csv'"), std::string::npos);
  EXPECT_EQ(result["metrics"].size(), 4u);
}

TEST(NcuCommandCommand, ListsThePresets) {
  TestIo test;
  ASSERT_EQ(test.run({"ncu-command", "--list", "--json"}), 0);
  const json all = json::parse(test.out());
  EXPECT_EQ(all["mode"], "ncu_presets");
  ASSERT_EQ(all["result"]["presets"].size(), 5u);
  for (const json& preset : all["result"]["presets"]) {
    for (const char* key : {"name", "description", "metrics", "required_canonical_metrics"}) EXPECT_TRUE(preset.contains(key));
  }
  TestIo text;
  ASSERT_EQ(text.run({"ncu-command", "--list"}), 0);
  for (const std::string_view line : split(text.out(), '\n')) EXPECT_LE(display_width(line), 80u);
}

TEST(NcuCommandCommand, AnUnknownPresetIsAUsageError) {
  TestIo test;
  EXPECT_EQ(test.run({"ncu-command", "speed"}), 2);
  EXPECT_NE(test.err().find("expected one of memory, tensor, occupancy, stalls, full"), std::string::npos);
}

}  // namespace
}  // namespace frx::cli
