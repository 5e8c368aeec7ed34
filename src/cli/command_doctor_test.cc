#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "capture/fake_host.h"
#include "cli/doctor_checks.h"
#include "cli/test_io.h"

namespace frx::cli {
namespace {

using Status = Check::Status;

const Check& check(const std::vector<Check>& checks, std::string_view label) {
  const auto found = std::find_if(checks.begin(), checks.end(), [&](const Check& one) { return one.label == label; });
  EXPECT_NE(found, checks.end()) << label;
  return *found;
}

TEST(Doctor, ABareMachineIsNoFailure) {
  const capture::FakeHost bare;
  TestIo test;
  test.io.host = &bare;
  EXPECT_EQ(test.run({"doctor"}), 0);
  EXPECT_EQ(test.out().find("[FAIL]"), std::string::npos);
  EXPECT_NE(test.out().find("[SKIP] torch"), std::string::npos);
  EXPECT_NE(test.out().find("[OK]   fournex.analysis"), std::string::npos);
  EXPECT_TRUE(test.out().ends_with("All checks passed (4 warnings).\n")) << test.out();
  for (const std::string_view line : split(test.out(), '\n')) EXPECT_LE(display_width(line), 80u) << line;
}

TEST(Doctor, EveryWarningNamesAStepThatHelps) {
  capture::Environment environment;
  environment.python.interpreter = {"/bin/python3", "3.11", ""};
  environment.permission.admin_only = true;
  for (const Check& one : machine_checks(environment)) {
    EXPECT_EQ(one.remedy.empty(), one.status != Status::warn) << one.label;
    EXPECT_NE(one.status, Status::fail) << one.label;
  }
}

TEST(Doctor, AMissingTorchIsAWarning) {
  capture::Environment environment;
  environment.python.interpreter = {"/bin/python3", "3.11", ""};
  environment.python.trouble = "ModuleNotFoundError: No module named 'torch'";
  const std::vector<Check> checks = machine_checks(environment);
  EXPECT_EQ(check(checks, "torch").status, Status::warn);
  EXPECT_EQ(check(checks, "CUDA available").status, Status::skip);
}

TEST(Doctor, SaysHowGpusWouldBeSampled) {
  capture::FakeHost host;
  capture::Environment environment;
  EXPECT_EQ(sampling_check(host, environment).status, Status::skip);
  environment.driver = "550.54.15";
  EXPECT_EQ(sampling_check(host, environment).status, Status::warn);
  EXPECT_FALSE(sampling_check(host, environment).remedy.empty());
  host.programs["nvidia-smi"] = FRX_REPOSITORY "/tests/support/fake_nvidia_smi/nvidia-smi";
  EXPECT_EQ(sampling_check(host, environment).detail, "nvidia-smi, 2 GPUs");
}

TEST(Doctor, AFullMachineIsAllWell) {
  capture::Environment environment;
  environment.ncu = {"/opt/ncu", "2024.3.2.0", ""};
  environment.nsys = {"/opt/nsys", "2024.5.1", ""};
  environment.nvcc = {"/opt/nvcc", "12.4", ""};
  environment.nvidia_smi = {"/bin/nvidia-smi", "", ""};
  environment.python = {{"/bin/python3", "3.11", ""}, "2.5.1+cu124", "", 2, "NVIDIA H200"};
  environment.driver = "550.54.15";
  environment.gpus = {{0, "NVIDIA H200", "9.0", "143771"}};
  environment.permission.admin_only = false;
  const std::vector<Check> checks = machine_checks(environment);
  for (const Check& one : checks) EXPECT_EQ(one.status, Status::ok) << one.label;
  EXPECT_EQ(check(checks, "CUDA available").detail, "NVIDIA H200 x2");
  EXPECT_EQ(check(checks, "GPU 0").detail, "NVIDIA H200, compute capability 9.0, 143771 MiB");
  EXPECT_EQ(check(checks, "nvidia-smi").detail, "/bin/nvidia-smi");
}

TEST(Doctor, ARestrictedCounterComesWithItsRemedy) {
  capture::Environment environment;
  environment.permission.admin_only = true;
  environment.permission.place = capture::Place::container;
  const std::vector<Check> checks = machine_checks(environment);
  EXPECT_EQ(check(checks, "counter permission").status, Status::warn);
  EXPECT_NE(check(checks, "counter permission").remedy[0].find("--cap-add=SYS_ADMIN"), std::string::npos);
}

TEST(Doctor, JsonHasEveryCheck) {
  const capture::FakeHost bare;
  TestIo test;
  test.io.host = &bare;
  EXPECT_EQ(test.run({"doctor", "--json"}), 0);
  const nlohmann::json all = nlohmann::json::parse(test.out());
  EXPECT_EQ(all["mode"], "doctor");
  EXPECT_EQ(all["result"]["ok"], true);
  for (const nlohmann::json& one : all["result"]["checks"]) {
    for (const char* key : {"label", "status", "detail", "remedy"}) EXPECT_TRUE(one.contains(key));
  }
}

}  // namespace
}  // namespace frx::cli
