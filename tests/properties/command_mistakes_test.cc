// The mistakes found in the reference's commands and in how it collects runs, one test each, with our right answer.
// The names C1 to C12 are those of the review that found them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "capture/fake_host.h"
#include "cli/test_io.h"

namespace frx {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// One command after the other in a folder of their own, on a machine without GPU, compilers and Python.
struct Shop {
  TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  capture::FakeHost host;
  std::string out, err;

  std::string path(std::string_view name) const { return folder.file(name); }
  bool has(std::string_view name) const { return std::filesystem::exists(path(name)); }
  std::string text(std::string_view name) const { return read_file(path(name)).value_or("(no file)"); }
  void write(std::string_view name, const std::string& text) const { ASSERT_TRUE(write_file(path(name), text)); }
  int run(const std::vector<std::string>& arguments, bool on_this_machine = false) {
    cli::TestIo io;
    if (!on_this_machine) io.io.host = &host;
    const int code = cli::run(arguments, io.io);
    out = io.out();
    err = io.err();
    return code;
  }
  // A shell script observed as run-1.
  int collect(const std::string& script, std::vector<std::string> options = {}) {
    std::vector<std::string> arguments = {"collect", "--out", path("runs"), "--run-id", "run-1", "--artifact-dir", path("artifacts")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {"--", "/bin/sh", "-c", script, folder.path()});
    return run(arguments);
  }
};

// As the SDK would write them: three steps that wait for their loader.
const std::string steps = [] {
  std::string lines;
  for (int i = 0; i < 3; ++i) {
    const long begin = 1'000'000'000 + i * 100'000'000;
    lines += fmt::format(
        R"({{"event_type":"dataloader_span","step_id":{},"timestamp_ns":{},"duration_ns":60000000,"payload":{{"stage":"next"}}}})"
        "\n"
        R"({{"event_type":"step_start","step_id":{},"timestamp_ns":{},"duration_ns":null,"payload":{{"step_kind":"train"}}}})"
        "\n"
        R"({{"event_type":"step_end","step_id":{},"timestamp_ns":{},"duration_ns":40000000,"payload":{{"status":"ok"}}}})"
        "\n",
        i, begin, i, begin, i, begin + 40'000'000);
  }
  return lines;
}();
const std::string write_steps = "cp $0/steps.jsonl $FRX_RAW_TRACE_PATH";

// The text of a script after `init --patch --yes`, and whether Python reads it.
std::string patched(Shop& shop, const std::string& script) {
  shop.write("train.py", script);
  EXPECT_EQ(shop.run({"init", "--patch", shop.path("train.py"), "--yes"}, true), 0) << shop.err;
  const auto parsed =
      capture::run_process({{"python3", "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())", shop.path("train.py")},
                            {},
                            "",
                            {},
                            capture::Output::keep,
                            capture::Output::keep,
                            1 << 20,
                            {}});
  EXPECT_TRUE(parsed && parsed->ok()) << (parsed ? parsed->err : "");
  EXPECT_EQ(shop.text("train.py.before-frx"), script) << "the script as it was is kept";
  return shop.text("train.py");
}

#define NEEDS_PYTHON \
  if (!capture::this_machine().program("python3")) GTEST_SKIP() << "no python3"

TEST(CommandMistakes, C1_TheSnippetDoesNotGoIntoParentheses) {
  NEEDS_PYTHON;
  Shop shop;
  EXPECT_THAT(patched(shop, "from torch.utils.data import (\n    DataLoader,\n)\nx = 1\n"),
              HasSubstr("from torch.utils.data import (\n    DataLoader,\n)\n"));
}

TEST(CommandMistakes, C1_TheSnippetDoesNotGoIntoABlock) {
  NEEDS_PYTHON;
  Shop shop;
  EXPECT_THAT(patched(shop, "import os\nif __name__ == '__main__':\n    import sys\n    print(sys.argv, os.sep)\n"),
              HasSubstr("\nif __name__ == '__main__':\n    import sys\n    print(sys.argv, os.sep)\n"));
}

TEST(CommandMistakes, C1_ADocstringIsNoImport) {
  NEEDS_PYTHON;
  Shop shop;
  const std::string docstring = "\"\"\"Trains\nfrom scratch.\n\"\"\"\n";
  EXPECT_TRUE(patched(shop, docstring + "import torch\n").starts_with(docstring));
}

TEST(CommandMistakes, C2_TheBriefIsInTheBundleAndWhereItWasAskedFor) {
  Shop shop;
  shop.write("steps.jsonl", steps);
  ASSERT_EQ(shop.collect(write_steps, {"--explain", "--explain-out", shop.path("brief")}), 0) << shop.err;
  for (const char* name : {"frx_summary.txt", "frx_llm_prompt.txt", "frx_evidence.json"}) {
    EXPECT_TRUE(shop.has("brief/" + std::string(name))) << name;
    EXPECT_TRUE(shop.has("runs/run-1/" + std::string(name))) << name;
    EXPECT_THAT(shop.text("runs/run-1/manifest.json"), HasSubstr(name));
    EXPECT_FALSE(shop.has("runs/" + std::string(name))) << name;
  }
}

TEST(CommandMistakes, C3_TheZipThatCollectMadeIsExplained) {
  Shop shop;
  shop.write("steps.jsonl", steps);
  ASSERT_EQ(shop.collect(write_steps), 0) << shop.err;
  EXPECT_EQ(shop.run({"explain", shop.path("runs/run-1.zip"), "--out", shop.path("brief")}), 0) << shop.err;
  EXPECT_THAT(shop.text("brief/frx_summary.txt"), HasSubstr("input_bound"));
}

TEST(CommandMistakes, C3_AZipThatIsNoneIsRefusedInOneLine) {
  Shop shop;
  shop.write("run.zip", "this is no archive\n");
  EXPECT_EQ(shop.run({"explain", shop.path("run.zip")}), 1);
  EXPECT_THAT(shop.err, HasSubstr("run.zip: "));
}

// What a prompt tells the reader to run has to run.
TEST(CommandMistakes, C4_CommandsInThePromptWorkAsPrinted) {
  Shop shop;
  shop.write("steps.jsonl", steps);
  ASSERT_EQ(shop.collect(write_steps), 0);
  ASSERT_EQ(shop.run({"explain", shop.path("runs/run-1"), "--prompt-only"}), 0);
  const std::string prompt = shop.out;
  std::size_t commands = 0;
  for (const std::string_view line : split(prompt, '\n')) {
    if (!trim(line).starts_with("frx ")) continue;
    ++commands;
    std::vector<std::string> arguments;
    for (const std::string_view word : split(trim(line).substr(4), ' ')) {
      arguments.push_back(word == "runs/RUN-ID" ? shop.path("runs/run-1") : word == "python" ? "/bin/true" : std::string(word));
    }
    if (arguments[0] == "collect")
      arguments.insert(arguments.begin() + 1, {"--out", shop.path("again"), "--artifact-dir", shop.path("none")});
    EXPECT_EQ(shop.run(arguments), 0) << line << "\n" << shop.err;
  }
  EXPECT_GE(commands, 2u);
}

// That ncu takes the printed command is tested beside it, in src/cli/command_ncu_command_test.cc.
TEST(CommandMistakes, C4_TheWayAroundAMissingNcuIsACommandThatRuns) {
  Shop shop;
  EXPECT_NE(shop.run({"profile", "--", "./app"}), 0);
  EXPECT_THAT(shop.err, AllOf(HasSubstr(" --log-file profile.csv "), HasSubstr("2. frx profile --ncu profile.csv\n")));
  EXPECT_EQ(shop.run({"ncu-command", "full"}), 0) << shop.err;
}

TEST(CommandMistakes, C5_AWorkloadThatChangesItsFolderWritesIntoTheBundle) {
  Shop shop;
  shop.write("steps.jsonl", steps);
  ASSERT_EQ(shop.collect("cd /; " + write_steps), 0);
  EXPECT_EQ(shop.text("runs/run-1/raw/trace.jsonl"), steps);
}

TEST(CommandMistakes, C6_ThePythonOfTheWorkloadIsItsOwn) {
  Shop shop;
  shop.write("python", "#!/bin/sh\necho its own > $FRX_OUTPUT_DIR/said\n");
  std::filesystem::permissions(shop.path("python"), std::filesystem::perms::owner_all);
  ASSERT_EQ(shop.collect("PATH=$0; python train.py"), 0) << shop.err;
  EXPECT_EQ(shop.text("runs/run-1/said"), "its own\n");
}

TEST(CommandMistakes, C7_AnInterruptLeavesACompleteBundle) {
  ::signal(SIGINT, SIG_DFL);  // a shell ignores it for what it starts in the background
  Shop shop;
  EXPECT_EQ(shop.collect("trap 'exit 7' INT; kill -INT $PPID; sleep 5 & wait"), 7);
  for (const char* name : {"runs/run-1/metadata.json", "runs/run-1/manifest.json", "runs/run-1.zip"}) EXPECT_TRUE(shop.has(name)) << name;
}

TEST(CommandMistakes, C7_AProgramThatIsNotThereLeavesNothing) {
  Shop shop;
  EXPECT_EQ(shop.run({"collect", "--out", shop.path("runs"), "--run-id", "run-1", "--", "/nonexistent/train"}), 1);
  EXPECT_FALSE(shop.has("runs/run-1"));
}

TEST(CommandMistakes, C8_JsonStandsAloneOnTheOutput) {
  Shop shop;
  shop.write("k.cu", "__global__ void k(float* x) { x[threadIdx.x * 32] = 1; }\n");
  EXPECT_EQ(shop.run({"analyze", shop.path("k.cu"), "--with-ptx", "--json"}, true), 0) << shop.err;
  EXPECT_TRUE(json::parse(shop.out, nullptr, false).is_object()) << shop.out;
}

TEST(CommandMistakes, C9_DocumentedFlagsAreKnown) {
  Shop shop;
  shop.write("r.csv",
             "\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
             "\"k\",\"dram__throughput.avg.pct_of_peak_sustained_elapsed\",\"%\",\"92\"\n");
  shop.write("k.cu", "__global__ void k() {}\n");
  EXPECT_EQ(shop.run({"analyze", "--output-json", shop.path("r.csv")}), 0) << shop.err;
  EXPECT_TRUE(json::parse(shop.out, nullptr, false).is_object());
  EXPECT_EQ(shop.run({"explain", shop.path("r.csv"), "--source", shop.path("k.cu"), "--out", shop.path("brief")}), 0) << shop.err;
  EXPECT_THAT(shop.text("brief/frx_llm_prompt.txt"), HasSubstr("__global__ void k() {}"));
}

TEST(CommandMistakes, C10_TheSmokeTestChecksManifestAndZip) {
  Shop shop;
  EXPECT_EQ(shop.run({"smoke-test"}), 0) << shop.out;
  EXPECT_THAT(shop.out, AllOf(HasSubstr("manifest.json present"), HasSubstr("zip bundle created")));
}

TEST(CommandMistakes, C10_AMachineWithoutTorchIsNoFailure) {
  Shop shop;
  EXPECT_EQ(shop.run({"doctor"}), 0) << shop.out;
  EXPECT_THAT(shop.out, AllOf(HasSubstr("ncu"), HasSubstr("nvcc"), HasSubstr("torch"), Not(HasSubstr("FAIL"))));
}

// How samples are taken is tested in src/capture/gpu, that bytes pass through at once in src/capture/workload_test.cc.
TEST(CommandMistakes, C11_SamplesHaveClocksPowerAndThrottleReasons) {
  Shop shop;
  ASSERT_EQ(shop.collect("true"), 0);
  EXPECT_THAT(shop.text("runs/run-1/gpu_metrics.csv"),
              AllOf(HasSubstr("clocks.current.sm"), HasSubstr("power.draw"), HasSubstr("throttle_reasons")));
  EXPECT_EQ(shop.run({"collect", "--help"}), 0);
  EXPECT_THAT(shop.out, HasSubstr("from 100"));
}

TEST(CommandMistakes, C12_TheConfigurationIsMerged) {
  Shop shop;
  shop.write("mine.yaml", "environment:\n  gpu_model: H100\n");
  ASSERT_EQ(shop.collect("true", {"--config", shop.path("mine.yaml")}), 0) << shop.err;
  const std::string config = shop.text("runs/run-1/run_config.yaml");
  const std::size_t environment = config.find("\nenvironment:");
  EXPECT_LT(environment, config.find("gpu_model: \"H100\"", environment));
  EXPECT_LT(config.find("gpu_model: \"H100\"", environment), config.find("\nuser_config:"));
}

}  // namespace
}  // namespace frx
