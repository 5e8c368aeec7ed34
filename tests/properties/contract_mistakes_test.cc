// What docs/contract.md promises and what is easily lost again: no option is ignored, every command answers as JSON, an explicit GPU wins,
// thresholds of the user's own take effect, files of several kinds are joined.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "capture/fake_host.h"
#include "cli/command.h"
#include "cli/test_io.h"

namespace frx::testing::contract {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view source =
    "__global__ void gather(float* out, const float* in, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = in[i * 64];\n}\nvoid run(float* a, float* b, int n) { gather<<<n / 256, 256>>>(a, b, n); }\n";
constexpr std::string_view better_source =
    "__global__ void gather(float* out, const float* in, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = in[i];\n}\nvoid run(float* a, float* b, int n) { gather<<<n / 256, 256>>>(a, b, n); }\n";
constexpr std::string_view ptx =
    ".version 8.4\n.target sm_80\n.address_size 64\n.visible .entry gather(.param .u64 p)\n{\n.reg .f32 %f<4>;\n.reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p];\nld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd1+4], %f1;\nret;\n}\n";
constexpr std::string_view profile =
    "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
    "Value\"\n"
    "\"0\",\"gather\",\"(256, 1, 1)\",\"(4096, 1, 1)\",\"0\",\"8.0\",\"s\",\"gpu__time_duration.sum\",\"us\",\"100\"\n"
    "\"0\",\"gather\",\"(256, 1, 1)\",\"(4096, 1, "
    "1)\",\"0\",\"8.0\",\"s\",\"dram__throughput.avg.pct_of_peak_sustained_elapsed\",\"%\",\"82\"\n"
    "\"0\",\"gather\",\"(256, 1, 1)\",\"(4096, 1, "
    "1)\",\"0\",\"8.0\",\"s\",\"sm__throughput.avg.pct_of_peak_sustained_elapsed\",\"%\",\"20\"\n";
constexpr std::string_view trace =
    R"({"traceEvents":[{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","ts":0,"dur":1000,"pid":1,"tid":1},)"
    R"({"ph":"X","cat":"kernel","name":"k","ts":100,"dur":500,"pid":0,"tid":7,"args":{"device":0,"stream":7,"correlation":1}}]})";
constexpr std::string_view event =
    R"({"event_type":"step_start","step_id":1,"timestamp_ns":0,"duration_ns":null,"payload":{"step_kind":"train"}})"
    "\n"
    R"({"event_type":"step_end","step_id":1,"timestamp_ns":100,"duration_ns":100,"payload":{"step_kind":"train","status":"ok"}})"
    "\n";

// A folder with one input of each kind; commands run in it.
struct Inputs {
  TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  std::filesystem::path before = std::filesystem::current_path();
  capture::FakeHost host;
  std::string out, err;

  Inputs() {
    std::filesystem::current_path(folder.path());
    std::filesystem::create_directories("code");
    std::filesystem::create_directories("run/raw");
    write("a.cu", source), write("b.cu", better_source), write("code/a.cu", source);
    write("a.ptx", ptx), write("b.ptx", ptx);
    write("a.csv", profile), write("b.csv", profile);
    write("a.json", trace), write("run/raw/trace.jsonl", event), write("run/metadata.json", "{\"run_id\": \"run\"}");
  }
  ~Inputs() { std::filesystem::current_path(before); }
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  static void write(const std::string& name, std::string_view text) { ASSERT_TRUE(write_file(name, std::string(text))); }
  int run(const std::vector<std::string>& arguments) {
    cli::TestIo io;
    io.io.host = &host;
    const int code = cli::run(arguments, io.io);
    out = io.out();
    err = io.err();
    return code;
  }
  json answer(const std::vector<std::string>& arguments) {
    EXPECT_EQ(run(arguments), 0) << err;
    return json::parse(out, nullptr, false);
  }
};

struct Refused {
  std::vector<std::string> arguments;
  std::string message;
};
void PrintTo(const Refused& one, std::ostream* out) { *out << one.message; }

class RefusedOptions : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedOptions, AreErrorsThatNameThem) {
  Inputs inputs;
  EXPECT_EQ(inputs.run(GetParam().arguments), 2);
  EXPECT_THAT(inputs.err, HasSubstr(GetParam().message));
  EXPECT_EQ(inputs.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    Commands, RefusedOptions,
    ::testing::Values(Refused{{"analyze", "run", "--why", "dram_pct"}, "no field, metric, label or card is called 'dram_pct'"},
                      Refused{{"analyze", "a.json", "--why", "dram_pct"}, "no field, metric, label or card is called 'dram_pct'"},
                      Refused{{"analyze", "a.cu", "--why", "dram_pct"}, "no field, metric, label or card is called 'dram_pct'"},
                      Refused{{"analyze", "a.csv", "--scope", "run"}, "--scope goes with one run or trace"},
                      Refused{{"analyze", "a.ptx", "--scope", "run"}, "--scope goes with one run or trace"},
                      Refused{{"analyze", "a.cu", "a.csv", "--format", "sarif"},
                              "--format sarif: error: evidence of several layers has no findings in files"},
                      Refused{{"analyze", "a.csv", "--with-ptx"}, "--with-ptx goes with CUDA source"},
                      Refused{{"analyze", "a.ptx", "--with-ptx"}, "--with-ptx goes with CUDA source"},
                      Refused{{"analyze", "a.ptx", "--build-flags", "-O3"}, "--build-flags goes with"},
                      Refused{{"analyze", "a.cu", "--with-ptxas"}, "--with-ptxas goes with PTX"},
                      Refused{{"analyze", "a.csv", "--ptxas-log", "log"}, "--ptxas-log goes with one version of PTX"},
                      Refused{{"analyze", "a.cu", "--before-label", "x"}, "--before-label goes with --before and --after"},
                      Refused{{"analyze", "a.cu", "--before", "a.cu", "--after", "b.cu"}, "found both"},
                      Refused{{"analyze", "--before", "a.csv", "--after", "b.csv", "--why", "dram_pct"},
                              "--why goes with the files of one side"},
                      Refused{{"analyze", "--before", "a.csv", "--after", "b.csv", "--fail-on", "low"}, "--fail-on goes with code"},
                      Refused{{"analyze", "--before", "run", "--after", "run", "--scope", "run"}, "--scope goes with one run or trace"},
                      Refused{{"analyze", "--before", "a.json", "--after", "a.json", "--format", "sarif"},
                              "--format sarif: error: a comparison of runs has no findings in files"},
                      Refused{{"analyze", "a.csv", "b.csv"}, "expected one profile, found 2"},
                      Refused{{"profile", "--ncu", "a.csv", "--preset", "full"}, "--preset goes with a live run"},
                      Refused{{"profile", "--ncu", "a.csv", "--launch-count", "3"}, "--launch-count goes with a live run"},
                      Refused{{"profile", "--ncu", "a.csv", "--ptx", "a.ptx"}, "found several"},
                      Refused{{"profile", "--ncu", "a.csv", "--", "./app"}, "found several"},
                      Refused{{"profile", "--ptx", "a.ptx", "--why", "dram_pct"}, "no field, metric, label or card is called 'dram_pct'"},
                      Refused{{"profile", "--ncu", "a.csv", "--source", "a.cu"}, "--source goes with --explain"},
                      Refused{{"profile", "--ncu", "a.csv", "--why", "dram_pct", "--explain"}, "--explain goes with the whole report"},
                      Refused{{"explain", "run", "--source", "a.cu"}, "--source goes with profiles"},
                      Refused{{"explain", "a.csv", "--scope", "run"}, "--scope goes with run bundles"},
                      Refused{{"explain", "a.csv", "--prompt-only", "--out", "x"}, "--out goes with the files"},
                      Refused{{"compare", "a.cu", "b.cu", "--noise-floor", "3"}, "--noise-floor goes with training runs"},
                      Refused{{"compare", "a.csv", "b.csv", "--noise-floor", "3"}, "--noise-floor goes with training runs"},
                      Refused{{"compare", "a.csv", "b.csv", "--with-ptx"}, "--with-ptx goes with CUDA source"},
                      Refused{{"compare", "a.cu", "b.cu", "--build-flags", "-O3"}, "--build-flags goes with --with-ptx or --with-ncu"},
                      Refused{{"compare", "a.cu", "b.cu", "--kernel-a", "k"}, "--kernel-a goes with profiles"},
                      Refused{{"compare", "a.cu", "b.cu", "--ledger", "l"}, "--ledger goes with profiles"},
                      Refused{{"bench", "a.cu", "b.cu", "--arch-profile", "x.yaml"}, "--arch-profile goes with --with-ncu"},
                      Refused{{"bench", "--emit-harness", "--runs", "3"}, "--runs goes with two programs"},
                      Refused{{"ncu-command", "--list", "--launch-count", "3"}, "--launch-count goes with the command of a preset"},
                      Refused{{"ncu-command", "memory", "--list"}, "PRESET goes with the command of a preset"},
                      Refused{{"collect", "--explain-out", "x", "--", "true"}, "--explain-out goes with --explain"},
                      Refused{{"init", "--yes"}, "--yes goes with --patch FILE"},
                      Refused{{"init", "--patch", "a.cu", "--json"}, "--json cannot ask"}));

TEST(Contract, EveryCommandTakesJson) {
  for (const cli::Command* command : cli::commands()) {
    cli::Syntax syntax;
    command->describe(syntax);
    const auto takes = [](const cli::Parameter& one) { return one.is_named("--json"); };
    EXPECT_TRUE(std::ranges::any_of(syntax.parameters(), takes)) << command->name;
  }
}

TEST(Contract, JsonIsTheOnlyThingOnStandardOutput) {
  Inputs inputs;
  EXPECT_EQ(inputs.answer({"init", "--json"})["mode"], "init");
  EXPECT_EQ(inputs.answer({"man", "--json"})["result"]["commands"].size(), cli::commands().size());
  EXPECT_THAT(inputs.answer({"completion", "fish", "--json"})["result"]["script"].get<std::string>(), HasSubstr("complete -c frx"));
  EXPECT_EQ(inputs.answer({"explain", "a.csv", "--out", "brief", "--json"})["result"]["files"][2], "brief/frx_evidence.json");
  EXPECT_EQ(inputs.answer({"analyze", "a.csv", "--why", "dram_pct", "--json"})["mode"], "why");
  EXPECT_EQ(inputs.answer({"bench", "--emit-harness", "h.cuh", "--json"})["result"]["file"], "h.cuh");
  EXPECT_EQ(inputs.answer({"analyze", "run", "--json"})["mode"], "run_bundle");
}

TEST(Contract, PtxGetsItsBrief) {
  Inputs inputs;
  EXPECT_EQ(inputs.run({"profile", "--ptx", "a.ptx", "--explain", "--explain-out", "brief", "--source", "a.cu"}), 0);
  const json evidence = json::parse(read_file("brief/frx_evidence.json").value());
  EXPECT_EQ(evidence["schema"], "frx_explain_v0");
  EXPECT_EQ(evidence["layers_available"], json::array({"source", "ptx"}));
  EXPECT_THAT(read_file("brief/frx_llm_prompt.txt").value(), HasSubstr("in[i * 64]"));
  EXPECT_THAT(read_file("brief/frx_summary.txt").value(), HasSubstr("a.ptx"));
  EXPECT_EQ(inputs.run({"profile", "--ptx", "a.cu"}), 1);  // it is no PTX
}

TEST(Contract, AnExplicitGpuWinsOverTheFile) {
  Inputs inputs;
  const json file = inputs.answer({"analyze", "a.csv", "--json"})["result"];
  EXPECT_EQ(file["gpu"]["compute_capability"], "8.0");
  const json other = inputs.answer({"analyze", "a.csv", "--gpu-model", "H100", "--json"})["result"];
  EXPECT_EQ(other["gpu"]["compute_capability"], "9.0");
  EXPECT_EQ(other["classifier"]["sm_version"], "sm_90");
  EXPECT_EQ(other["kernel_summaries"][0]["occupancy_estimate"]["device_limits"]["shared_memory_per_sm_bytes"], 233472);
  EXPECT_THAT(other["notes"].dump(), HasSubstr("--gpu-model H100 was taken; the file says compute capability 8.0"));
  const json same = inputs.answer({"analyze", "a.csv", "--gpu-model", "A100", "--json"})["result"];
  EXPECT_THAT(same["notes"].dump(), Not(HasSubstr("--gpu-model")));
  for (const char* input : {"a.csv", "a.cu", "a.json", "run"}) {
    EXPECT_EQ(inputs.run({"analyze", input, "--gpu-model", "Voodoo"}), 2) << input;
    EXPECT_THAT(inputs.err, HasSubstr("no GPU is known by 'Voodoo'")) << input;
  }
}

TEST(Contract, ThresholdsOfKernelsTakeEffect) {
  Inputs inputs;
  inputs.write("mine.yaml", "classifier_thresholds: {ncu_dram_throughput_high_pct: 95}\n");
  const json before = inputs.answer({"analyze", "a.csv", "--json"})["result"];
  EXPECT_EQ(before["primary_bottleneck"], "memory_bandwidth_bound");
  EXPECT_EQ(before["classifier"]["thresholds_hash"], "7ee5dee50142");
  EXPECT_EQ(before["classifier"]["thresholds_source"], "defaults");
  const json after = inputs.answer({"analyze", "a.csv", "--arch-profile", "mine.yaml", "--json"})["result"];
  EXPECT_NE(after["primary_bottleneck"], "memory_bandwidth_bound");
  EXPECT_EQ(after["classifier"]["thresholds_source"], "defaults+arch_overrides");
  EXPECT_NE(after["classifier"]["thresholds_hash"], "7ee5dee50142");
}

TEST(Contract, AnUnknownThresholdIsAnErrorWhateverIsAnalysed) {
  Inputs inputs;
  // Also in the section of another GPU.
  inputs.write("mine.yaml", "h100:\n  classifier_thresholds: {ncu_drum_throughput: 95}\n");
  for (const char* input : {"a.csv", "a.cu", "a.ptx", "a.json", "run"}) {
    EXPECT_EQ(inputs.run({"analyze", input, "--arch-profile", "mine.yaml"}), 1) << input;
    EXPECT_THAT(inputs.err, HasSubstr("mine.yaml:2: classifier_thresholds: no threshold 'ncu_drum_throughput'")) << input;
    EXPECT_THAT(inputs.err, HasSubstr("known are")) << input;
  }
  EXPECT_EQ(inputs.run({"compare", "a.cu", "b.cu", "--arch-profile", "mine.yaml"}), 1);
}

TEST(Contract, LimitsOfTheUsersOwnHoldForCode) {
  Inputs inputs;
  inputs.write("mine.yaml", "h100: {max_threads_per_sm: 1024}\n");
  const auto occupancy = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"analyze", "a.cu", "--gpu-model", "H100", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return inputs.answer(arguments)["result"];
  };
  EXPECT_EQ(occupancy({})["occupancy"][0]["launches"][0]["block_size"], 256);
  EXPECT_EQ(occupancy({})["occupancy"][0]["launches"][0]["occupancy_pct"], 100);
  EXPECT_THAT(occupancy({"--arch-profile", "mine.yaml"})["notes"].dump(), HasSubstr("max_threads_per_sm = 1024"));
  EXPECT_EQ(inputs.answer({"analyze", "a.cu", "--json"})["result"]["occupancy"], nullptr);  // no GPU, no estimate
}

TEST(Contract, SeveralKindsAreJoined) {
  Inputs inputs;
  const auto layers = [&](const std::vector<std::string>& targets) {
    std::vector<std::string> arguments = {"analyze", "--json"};
    arguments.insert(arguments.end(), targets.begin(), targets.end());
    const json answer = inputs.answer(arguments);
    const json& joined = answer["mode"] == "code" ? answer["result"]["reconciliation"] : answer["result"];
    return joined.is_object() ? joined["layers_available"] : joined;
  };
  EXPECT_EQ(layers({"code", "run"}), json::array({"source", "profiler"}));
  EXPECT_EQ(layers({"a.csv", "run"}), json::array({"ncu", "profiler"}));
  EXPECT_EQ(layers({"a.csv", "a.json"}), json::array({"ncu", "profiler"}));
  std::filesystem::create_directories("traces");
  for (const int rank : {0, 1}) {
    inputs.write(fmt::format("traces/rank{}.pt.trace.json", rank),
                 fmt::format(R"({{"distributedInfo":{{"backend":"nccl","rank":{},"world_size":2}},{})", rank, trace.substr(1)));
  }
  EXPECT_EQ(layers({"code", "traces"}), json::array({"source", "profiler"}));
  EXPECT_EQ(layers({"a.cu", "a.ptx"}), json::array({"source", "ptx"}));
  EXPECT_EQ(layers({"a.ptx", "b.ptx"}), nullptr);  // one kind says nothing beside itself
}

TEST(Contract, PtxasIsAskedAboutBothSidesOfAChange) {
  Inputs inputs;
  inputs.write("ptxas",
               "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\n"
               "for file; do :; done\n"
               "case $(cat \"$file\") in *%f1,*) used=40;; *) used=24;; esac\n"
               "echo \"ptxas info    : Compiling entry function 'gather' for 'sm_80'\"\n"
               "echo \"ptxas info    : Used $used registers, 400 bytes cmem[0]\"\n");
  std::filesystem::permissions("ptxas", std::filesystem::perms::owner_all);
  inputs.host.programs["ptxas"] = std::filesystem::absolute("ptxas").string();
  std::string other(ptx);
  for (std::size_t at = other.find("%f1"); at != other.npos; at = other.find("%f1")) other.replace(at, 3, "%f2");
  inputs.write("b.ptx", other);
  const json registers =
      inputs.answer({"analyze", "--before", "a.ptx", "--after", "b.ptx", "--with-ptxas", "--json"})["result"]["ptx_diff"]["register_count"];
  EXPECT_EQ(registers["a"], 40);
  EXPECT_EQ(registers["b"], 24);
}

TEST(Contract, AnExplanationSpeaksOfTheScopeThatWasAskedFor) {
  Inputs inputs;
  EXPECT_THAT(inputs.answer({"explain", "run", "--scope", "run", "--prompt-only", "--json"})["result"]["prompt"].get<std::string>(),
              HasSubstr("Primary bottleneck"));
  EXPECT_EQ(inputs.run({"explain", "run", "--scope", "steady_state", "--prompt-only"}), 3);
  EXPECT_THAT(inputs.err, HasSubstr("too few completed steps for a steady state"));
}

TEST(Contract, AChangeOfCodeFailsOnWhatItBrings) {
  Inputs inputs;
  EXPECT_EQ(inputs.run({"analyze", "--before", "b.cu", "--after", "a.cu", "--fail-on", "medium"}), 1);
  EXPECT_THAT(inputs.err, HasSubstr("1 finding new in a.cu of severity medium or above"));
  EXPECT_EQ(inputs.run({"analyze", "--before", "a.cu", "--after", "b.cu", "--fail-on", "medium"}), 0) << inputs.err;
  EXPECT_EQ(inputs.run({"analyze", "--before", "b.cu", "--after", "a.cu", "--format", "github"}), 0);
  EXPECT_THAT(inputs.out, HasSubstr("title=uncoalesced_access"));
  const json sarif = inputs.answer({"analyze", "--before", "b.cu", "--after", "a.cu", "--format", "sarif"});
  EXPECT_EQ(sarif["runs"][0]["results"][0]["ruleId"], "uncoalesced_access");
  EXPECT_EQ(inputs.answer({"analyze", "--before", "a.cu", "--after", "b.cu", "--format", "json"})["mode"], "comparison");
}

}  // namespace
}  // namespace frx::testing::contract
