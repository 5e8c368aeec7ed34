#include "capture/collect.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/files.h"
#include "base/sha256.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "capture/fake_host.h"
#include "capture/spawn.h"
#include "ingest/run_bundle/open_bundle.h"

namespace frx::capture {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A shell script observed on a machine without GPU and Python, in a folder of its own.
struct Observed {
  TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  FakeHost host;
  CollectRequest request;
  Fd nowhere{::open("/dev/null", O_WRONLY | O_CLOEXEC)};

  explicit Observed(const std::string& script) {
    request.out = folder.file("runs");
    request.run_id = "run-1";
    request.artifact_directories = {folder.file("artifacts")};
    request.workload = {"/bin/sh", "-c", "A=" + folder.file("artifacts") + "; mkdir -p $A\n" + script};
    request.output = request.errors = nowhere.get();
  }
  Result<CollectResult> attempt() const { return collect(request, host); }
  CollectResult run() const {
    Result<CollectResult> result = attempt();
    EXPECT_TRUE(result) << to_string(result.error());
    if (!result) return {};
    for (const Error& failure : result->failures) ADD_FAILURE() << to_string(failure);
    return std::move(*result);
  }
  std::string path(std::string_view name) const { return request.out + "/run-1/" + std::string(name); }
  bool has(std::string_view name) const { return std::filesystem::exists(path(name)); }
  std::string text(std::string_view name) const { return read_file(path(name)).value_or("(no file)"); }
  json object(std::string_view name) const { return json::parse(text(name), nullptr, false); }
};

TEST(Collect, LeavesACompleteBundle) {
  Observed run("echo hello; echo '{\"event_type\": \"step_start\"}' > $FRX_RAW_TRACE_PATH");
  const CollectResult result = run.run();
  EXPECT_EQ(result.end.code(), 0);
  EXPECT_THAT(result.manifest.files,
              ElementsAre("gpu_metrics.csv", "metadata.json", "optional_logs.txt", "raw/trace.jsonl", "run_config.yaml", "manifest.json"));
  EXPECT_EQ(run.text("optional_logs.txt"), "hello\n");
  const json metadata = run.object("metadata.json");
  EXPECT_EQ(metadata["status"], "completed");
  EXPECT_EQ(metadata["run_id"], "run-1");
  EXPECT_EQ(metadata["exit_code"], 0);
  EXPECT_EQ(metadata["artifacts"]["raw_trace"], "raw/trace.jsonl");
  EXPECT_EQ(metadata["workload_command"].size(), 3u);
  EXPECT_TRUE(metadata["gpu_name"].is_null());
  EXPECT_TRUE(run.has("derived"));
  EXPECT_TRUE(run.has("profiler"));
}

TEST(Collect, IsForItsOwnerAlone) {
  Observed run("echo '{}' > $A/summary.json; echo x > $FRX_OUTPUT_DIR/of-the-workload; chmod 666 $FRX_OUTPUT_DIR/of-the-workload");
  const CollectResult result = run.run();
  const auto mode = [](const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
  };
  EXPECT_EQ(mode(run.request.out + "/run-1.zip"), 0600u);
  for (const char* folder : {"", "raw", "derived", "profiler"}) EXPECT_EQ(mode(run.path(folder)), 0700u) << folder;
  for (const std::string& file : result.manifest.files) EXPECT_EQ(mode(run.path(file)), 0600u) << file;
  EXPECT_EQ(result.manifest.files.size(), 7u);
}

TEST(Collect, RecordsNoCredentials) {
  Observed run("test \"$1\" = --token=hf_secret || exit 9");
  run.request.workload.insert(run.request.workload.end(), {"sh", "--token=hf_secret"});
  ASSERT_TRUE(write_file(run.folder.file("c.yaml"), "run_note: x\napi_key: of-mine\n"));
  run.request.config_path = run.folder.file("c.yaml");
  EXPECT_EQ(run.run().end.code(), 0);  // the program gets them
  EXPECT_EQ(run.object("metadata.json")["workload_command"].back(), "--token=***");
  for (const char* file : {"metadata.json", "run_config.yaml", "manifest.json", "optional_logs.txt"}) {
    EXPECT_THAT(run.text(file), Not(HasSubstr("hf_secret")));
    EXPECT_THAT(run.text(file), Not(HasSubstr("of-mine")));
  }
  EXPECT_THAT(run.text("run_config.yaml"), HasSubstr("api_key: \"***\""));
  EXPECT_THAT(run.object("metadata.json")["collection_warnings"],
              Contains("arguments that look like credentials were not recorded (2); --keep-arguments keeps them"));

  run.request.run_id = "run-2";
  run.request.keep_arguments = true;
  run.run();
  EXPECT_THAT(read_file(run.request.out + "/run-2/metadata.json").value(), HasSubstr("--token=hf_secret"));
  EXPECT_THAT(read_file(run.request.out + "/run-2/run_config.yaml").value(), HasSubstr("of-mine"));
}

TEST(Collect, AFullDiskBehindTheOutputIsAFailure) {
  Observed run("echo hello");
  run.nowhere = Fd(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  run.request.output = run.request.errors = run.nowhere.get();
  const Result<CollectResult> result = run.attempt();
  ASSERT_TRUE(result);
  ASSERT_EQ(result->failures.size(), 1u);
  EXPECT_EQ(result->failures[0].message, "the output of the program could not be passed on to its end: No space left on device");
  EXPECT_EQ(run.text("optional_logs.txt"), "hello\n");
}

TEST(Collect, RefusesPathsThatTheSystemRefuses) {
  Observed run("true");
  run.request.out = "/tmp/" + std::string(5000, 'a');
  EXPECT_THAT(to_string(run.attempt().error()), HasSubstr("cannot make the folder: File name too long"));
  run.request.out = "/dev/null/runs";
  EXPECT_THAT(to_string(run.attempt().error()), HasSubstr("/dev/null/runs: cannot make the folder: Not a directory"));
}

TEST(Collect, TheManifestFingerprintsEveryFile) {
  Observed run("echo hello");
  run.run();
  const json manifest = run.object("manifest.json");
  EXPECT_EQ(manifest["missing_recommended"], json({"raw_trace", "derived_summary", "profiler_trace"}));
  EXPECT_EQ(manifest["missing_required"], json::array());
  EXPECT_EQ(manifest["limited"], true);
  EXPECT_EQ(manifest["files"].size() + 1, manifest["included_files"].size());
  for (const json& file : manifest["files"]) EXPECT_EQ(file["sha256"], sha256(run.text(file["path"].get<std::string>())));
}

TEST(Collect, TheZipIsReadAsARun) {
  Observed run("echo hello");
  const CollectResult result = run.run();
  EXPECT_EQ(result.zip, run.request.out + "/run-1.zip");
  const auto bundle = ingest::RunBundle::open(result.zip);
  ASSERT_TRUE(bundle) << to_string(bundle.error());
  EXPECT_EQ(bundle->name(), "run-1");
  EXPECT_EQ(bundle->members().size(), result.manifest.files.size());
  EXPECT_EQ(bundle->read("optional_logs.txt").value_or("?"), "hello\n");
}

TEST(Collect, MakesNoZipWhenToldSo) {
  Observed run("");
  run.request.zip = false;
  EXPECT_EQ(run.run().zip, "");
  EXPECT_FALSE(std::filesystem::exists(run.request.out + "/run-1.zip"));
}

// Spec C5: a workload that changes its folder still writes to its output folder.
TEST(Collect, TellsTheWorkloadAbsolutePaths) {
  // FRX_CORPUS and FRX_CHDB are for the tests themselves.
  Observed run(
      "cd /; echo {} > $FRX_RAW_TRACE_PATH; echo {} > $FRX_DERIVED_SUMMARY_PATH; env | grep ^FRX_ | grep -v -e ^FRX_CORPUS= -e ^FRX_CHDB= "
      "| sort");
  run.request.out = std::filesystem::relative(run.request.out).string();
  run.request.job_name = "my job";
  run.request.interval = 250ms;
  run.run();
  EXPECT_TRUE(run.has("raw/trace.jsonl"));
  EXPECT_TRUE(run.has("derived/summary.json"));
  const std::string at = run.folder.file("runs") + "/run-1";
  EXPECT_EQ(run.text("optional_logs.txt"),
            "FRX_AUTO_PERSIST=1\nFRX_DERIVED_SUMMARY_PATH=" + at + "/derived/summary.json\nFRX_JOB_NAME=my job\n" + "FRX_OUTPUT_DIR=" + at +
                "\nFRX_PROFILER_ENABLED=1\nFRX_RAW_TRACE_PATH=" + at + "/raw/trace.jsonl\nFRX_RUN_ID=run-1\nFRX_SAMPLE_INTERVAL_MS=250\n");
}

// Spec C7: the reference implementation left half a bundle.
TEST(Collect, LeavesNothingWhenTheProgramIsNotThere) {
  Observed run("");
  run.request.workload = {"/nonexistent/train"};
  const Result<CollectResult> result = run.attempt();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where, "/nonexistent/train");
  EXPECT_TRUE(std::filesystem::is_empty(run.request.out));
}

TEST(Collect, CompletesTheBundleOfARunThatWasInterrupted) {
  ::signal(SIGINT, SIG_DFL);  // a shell ignores it for what it starts in the background
  Observed run("echo {} > $FRX_RAW_TRACE_PATH; trap 'exit 7' INT; touch $A/ready; sleep 5 & wait");
  std::thread sender([&] {
    while (!std::filesystem::exists(run.folder.file("artifacts/ready"))) std::this_thread::sleep_for(5ms);
    ::kill(::getpid(), SIGINT);
  });
  const CollectResult result = run.run();
  sender.join();
  EXPECT_EQ(result.end.code(), 7);
  EXPECT_EQ(run.object("metadata.json")["status"], "failed");
  EXPECT_EQ(run.object("metadata.json")["interrupted_by"], SIGINT);
  EXPECT_FALSE(result.zip.empty());
  EXPECT_TRUE(run.has("manifest.json"));
}

TEST(Collect, CompletesTheBundleOfARunThatWasKilled) {
  Observed run("echo one; kill -9 $$");
  EXPECT_EQ(run.run().end.code(), 137);
  EXPECT_EQ(run.object("metadata.json")["signal"], SIGKILL);
  EXPECT_EQ(run.text("optional_logs.txt"), "one\n");
}

TEST(Collect, NeverWritesOverAnotherRun) {
  Observed run("echo first");
  run.run();
  const Result<CollectResult> again = run.attempt();
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("exists already"));
  EXPECT_EQ(run.text("optional_logs.txt"), "first\n");
}

TEST(Collect, RunIdsAreNewAndPlain) {
  Observed run("");
  run.request.run_id = "";
  const std::string first = run.run().directory, second = run.run().directory;
  EXPECT_NE(first, second);
  EXPECT_THAT(std::filesystem::path(first).filename().string(), ::testing::MatchesRegex("run-[0-9a-f]{12}"));
  for (const char* id : {"../x", "a/b", ".", "..", "-x", "a b", "x\n"}) {
    run.request.run_id = id;
    EXPECT_FALSE(run.attempt()) << id;
  }
}

TEST(Collect, ImportsWhatTheWorkloadWroteElsewhere) {
  Observed run(
      "for f in trace.jsonl summary.json metadata.json run_config.yaml profiler_trace.json host_1.2.pt.trace.json.gz other.txt; do echo $f "
      "> $A/$f; done");
  const CollectResult result = run.run();
  EXPECT_THAT(result.imported,
              ElementsAre("profiler/host_1.2.pt.trace.json.gz", "raw/workload_metadata.json", "profiler/profiler_trace.json",
                          "workload_run_config.yaml", "derived/summary.json", "raw/trace.jsonl"));
  EXPECT_EQ(run.text("raw/trace.jsonl"), "trace.jsonl\n");
  EXPECT_EQ(run.object("metadata.json")["artifacts"]["profiler_trace"], "profiler/host_1.2.pt.trace.json.gz");
  EXPECT_FALSE(run.has("other.txt"));
  EXPECT_THAT(result.warnings, Contains(HasSubstr("imported artifacts: profiler/host_1.2")));
}

TEST(Collect, AnImportReplacesNothingButAShorterListOfSamples) {
  Observed run("echo ours > $FRX_RAW_TRACE_PATH; echo theirs > $A/trace.jsonl; head -c 5000 /dev/zero > $A/gpu_metrics.csv");
  EXPECT_THAT(run.run().imported, ElementsAre("gpu_metrics.csv"));
  EXPECT_EQ(run.text("raw/trace.jsonl"), "ours\n");
  EXPECT_EQ(run.text("gpu_metrics.csv").size(), 5000u);
  Observed shorter("echo x > $A/gpu_metrics.csv");
  EXPECT_THAT(shorter.run().imported, IsEmpty());
}

TEST(Collect, LeavesTracesOfProfilersWhenToldSo) {
  Observed run("echo {} > $A/profiler_trace.json; echo {} > $A/a.pt.trace.json; echo {} > $A/trace.jsonl");
  run.request.import_profiler = false;
  EXPECT_THAT(run.run().imported, ElementsAre("raw/trace.jsonl"));
}

// The folder of artifacts often still holds those of the last run.
TEST(Collect, DoesNotImportWhatIsOfAnotherRun) {
  Observed run("echo {} > $A/trace.jsonl");
  ASSERT_TRUE(write_file(run.folder.file("artifacts/profiler_trace.json"), "old"));
  const CollectResult result = run.run();
  EXPECT_THAT(result.imported, ElementsAre("raw/trace.jsonl"));
  EXPECT_THAT(result.warnings, Contains(HasSubstr("was there before the run")));
}

// profile_kernels(output_dir=FRX_OUTPUT_DIR), as the documentation shows it, writes to the top of the bundle.
TEST(Collect, PutsATraceAtTheTopOfTheBundleInItsPlace) {
  Observed run("echo '{}' > $FRX_OUTPUT_DIR/profiler_trace.json");
  run.run();
  EXPECT_EQ(run.text("profiler/profiler_trace.json"), "{}\n");
  EXPECT_FALSE(run.has("profiler_trace.json"));
}

// Spec C12: the reference implementation only quoted it.
TEST(Collect, MergesTheConfiguration) {
  Observed run("");
  const std::string path = run.folder.file("mine.yaml");
  ASSERT_TRUE(
      write_file(path, "environment:\n  mixed_precision: true\n  host: other\nrun:\n  seed: 3\n  run_id: faked\nsizes: [1, 2.5, two]\n"));
  run.request.config_path = path;
  run.run();
  const std::string yaml = run.text("run_config.yaml");
  for (const char* line : {"  mixed_precision: true\n", "  host: \"other\"\n", "  seed: 3\n", "  run_id: \"run-1\"\n",
                           "sizes:\n  - 1\n  - 2.5\n  - \"two\"\n", "  raw: \"environment:"}) {
    EXPECT_THAT(yaml, HasSubstr(line));
  }
  EXPECT_THAT(yaml, Not(HasSubstr("run_id: \"faked\"")));
}

TEST(Collect, RefusesAConfigurationThatIsNone) {
  Observed run("");
  ASSERT_TRUE(write_file(run.folder.file("bad.yaml"), "- a list\n"));
  run.request.config_path = run.folder.file("bad.yaml");
  EXPECT_FALSE(run.attempt());
  EXPECT_FALSE(std::filesystem::exists(run.request.out + "/run-1"));
}

// Spec C6: the interpreter is the workload's own, queried and never replaced.
TEST(Collect, AsksTheInterpreterOfTheWorkload) {
  Observed run("");
  ASSERT_TRUE(write_file(run.folder.file("python3.9"),
                         "#!/bin/sh\n[ \"$1\" = -c ] && { echo python 3.9.1; echo torch 2.1.0+cu118; echo cuda 11.8; }\n"
                         "[ \"$1\" = train.py ] && echo trained\n"));
  std::filesystem::permissions(run.folder.file("python3.9"), std::filesystem::perms::owner_all);
  run.host.programs[run.folder.file("python3.9")] = run.folder.file("python3.9");
  run.request.workload = {run.folder.file("python3.9"), "train.py"};
  run.run();
  const json metadata = run.object("metadata.json");
  EXPECT_EQ(metadata["python_version"], "3.9.1");
  EXPECT_EQ(metadata["pytorch_version"], "2.1.0+cu118");
  EXPECT_EQ(metadata["framework"], "pytorch");
  EXPECT_TRUE(metadata["cuda_available"].is_null());  // no driver was queried
  EXPECT_EQ(run.text("optional_logs.txt"), "trained\n");
}

TEST(Collect, FindsTheInterpreterOfAScript) {
  Observed run("");
  run.host.files["/venv/bin/torchrun"] = "#!/venv/bin/python3\nimport sys\n";
  run.host.programs["torchrun"] = "/venv/bin/torchrun";
  run.host.programs["/venv/bin/python3"] = "/venv/bin/python3";
  run.host.answers["/venv/bin/python3 -c"] = FakeHost::said("python 3.12.0\ntrouble torch is not installed\n");
  const PythonEnvironment python = python_environment({"torchrun", "train.py"}, run.host);
  EXPECT_EQ(python.interpreter, "/venv/bin/python3");
  EXPECT_EQ(python.version, "3.12.0");
  EXPECT_EQ(python.trouble, "torch is not installed");
}

TEST(Collect, NamesTheGpuThatWasSampled) {
  // Until there is a row below the title: on a busy machine the stand-in takes a while to start.
  Observed run(
      "f=$(dirname $FRX_RAW_TRACE_PATH)/../gpu_metrics.csv; for i in $(seq 200); do [ $(wc -l < $f) -gt 1 ] && break; sleep 0.05; done");
  run.host.programs["nvidia-smi"] = FRX_REPOSITORY "/tests/support/fake_nvidia_smi/nvidia-smi";
  run.run();
  const json metadata = run.object("metadata.json");
  EXPECT_EQ(metadata["num_gpus"], 2);
  EXPECT_EQ(metadata["gpu_name"], "Fake GPU");
  const std::string samples = run.text("gpu_metrics.csv");
  EXPECT_GT(std::count(samples.begin(), samples.end(), '\n'), 1) << samples;
}

// kill -9 of frx at any time: the data recorded until then can be read, and the bundle is valid.
TEST(Collect, WhatWasRecordedSurvivesTheDeathOfFrx) {
  for (const int wait_ms : {5, 40, 90, 160}) {
    Observed run("i=0; while :; do i=$((i+1)); echo \"{\\\"step\\\": $i}\" >> $FRX_RAW_TRACE_PATH; echo $i > $A/steps; echo line $i; done");
    const pid_t frx = ::fork();
    if (frx == 0) {
      [[maybe_unused]] const Result<CollectResult> result = run.attempt();
      ::_exit(0);
    }
    while (!std::filesystem::exists(run.folder.file("artifacts/steps"))) std::this_thread::sleep_for(2ms);
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    ::kill(frx, SIGKILL);
    ::waitpid(frx, nullptr, 0);
    EXPECT_THAT(run.text("metadata.json"), HasSubstr("\"status\": \"running\""));
    const auto bundle = ingest::RunBundle::open(run.request.out + "/run-1");
    ASSERT_TRUE(bundle) << to_string(bundle.error());
    const std::string trace = bundle->read("raw/trace.jsonl").value_or("");
    const std::string whole_lines = trace.substr(0, trace.rfind('\n'));
    int steps = 0;
    for (const std::string_view line : split(whole_lines, '\n')) {
      EXPECT_EQ(line, fmt::format("{{\"step\": {}}}", ++steps));
    }
    EXPECT_GT(steps, 0);
    EXPECT_TRUE(bundle->read("optional_logs.txt").value_or("").starts_with("line 1\n"));
    EXPECT_THAT(bundle->read("gpu_metrics.csv").value_or(""), HasSubstr("utilization.gpu"));
  }
}

}  // namespace
}  // namespace frx::capture
