#include "capture/environment.h"

#include <gtest/gtest.h>

#include "capture/fake_host.h"

namespace frx::capture {
namespace {

TEST(Environment, OfABareMachineIsEmptyAndNotWrong) {
  const Environment environment = inspect(FakeHost());
  EXPECT_FALSE(environment.ncu.found());
  EXPECT_TRUE(environment.gpus.empty());
  EXPECT_EQ(environment.permission.allowed(), std::nullopt);
}

TEST(Environment, ReadsVersionsAsTheToolsPrintThem) {
  EXPECT_EQ(version_in("Copyright (c) 2018-2024 NVIDIA Corporation\nVersion 2024.3.2.0 (build 34861637)\n"), "2024.3.2.0");
  EXPECT_EQ(version_in("Cuda compilation tools, release 12.4, V12.4.131\n"), "12.4");
  EXPECT_EQ(version_in("NVIDIA Nsight Systems version 2024.5.1.113-245134619542v0\n"), "2024.5.1.113-245134619542v0");
  EXPECT_EQ(version_in("nothing"), "");
}

FakeHost with_gpu() {
  FakeHost host;
  host.programs["nvidia-smi"] = "/bin/nvidia-smi";
  host.files["/proc/driver/nvidia/version"] =
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build  (x@y)  Tue\nGCC version: 12\n";
  host.files["/proc/driver/nvidia/params"] = "RmProfilingAdminOnly: 1\n";
  return host;
}

TEST(Environment, ListsGpus) {
  FakeHost host = with_gpu();
  host.answers["/bin/nvidia-smi --query-gpu=index,name,compute_cap,memory.total,driver_version"] =
      FakeHost::said("0, NVIDIA H200, 9.0, 143771, 550.54.15\n1, NVIDIA H200, 9.0, 143771, 550.54.15\n");
  const Environment environment = inspect(host);
  ASSERT_EQ(environment.gpus.size(), 2u);
  EXPECT_EQ(environment.gpus[1].index, 1);
  EXPECT_EQ(environment.gpus[1].compute_capability, "9.0");
  EXPECT_EQ(environment.driver, "550.54.15");
}

TEST(Environment, AsksAnOldDriverWithoutComputeCapability) {
  FakeHost host = with_gpu();
  host.files.erase("/proc/driver/nvidia/version");
  host.answers["/bin/nvidia-smi --query-gpu=index,name,compute_cap,memory.total,driver_version"] =
      FakeHost::said("Field \"compute_cap\" is not a valid field to query.\n", 2);
  host.answers["/bin/nvidia-smi --query-gpu=index,name,memory.total,driver_version"] =
      FakeHost::said("0, Tesla V100-SXM2-16GB, 16160, 418.67\n");
  const Environment environment = inspect(host);
  ASSERT_EQ(environment.gpus.size(), 1u);
  EXPECT_EQ(environment.gpus[0].memory_mib, "16160");
  EXPECT_EQ(environment.driver, "418.67");
  EXPECT_EQ(environment.gpu_trouble, "");
}

TEST(Environment, KeepsWhatNvidiaSmiComplainsAbout) {
  FakeHost host = with_gpu();
  host.answers["/bin/nvidia-smi --query-gpu=index,name,compute_cap,memory.total,driver_version"] =
      FakeHost::said("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n", 9);
  EXPECT_TRUE(inspect(host).gpu_trouble.starts_with("NVIDIA-SMI has failed"));
}

TEST(Environment, AsksPythonForTorch) {
  FakeHost host;
  host.programs["python3"] = "/bin/python3";
  host.answers["/bin/python3 -c"] = FakeHost::said("python 3.11.2\ntorch 2.5.1+cu124\ndevices 2\nname NVIDIA A100-SXM4-80GB\n");
  const Python python = inspect(host).python;
  EXPECT_EQ(python.interpreter.version, "3.11.2");
  EXPECT_EQ(python.torch, "2.5.1+cu124");
  EXPECT_EQ(python.cuda_devices, 2);
  EXPECT_EQ(python.cuda_device_name, "NVIDIA A100-SXM4-80GB");
}

TEST(Environment, SaysWhyTorchIsMissing) {
  FakeHost host;
  host.programs["python3"] = "/bin/python3";
  host.answers["/bin/python3 -c"] = FakeHost::said("python 3.11.2\ntrouble ModuleNotFoundError: No module named 'torch'\n");
  EXPECT_EQ(inspect(host).python.trouble, "ModuleNotFoundError: No module named 'torch'");
}

TEST(Permission, AdministratorsMayReadRestrictedCounters) {
  FakeHost host = with_gpu();
  host.files["/proc/self/status"] = "Name:\tfrx\nCapEff:\t0000000000000000\n";
  EXPECT_EQ(counter_permission(host).allowed(), false);
  host.files["/proc/self/status"] = "Name:\tfrx\nCapEff:\t000001ffffffffff\n";
  EXPECT_EQ(counter_permission(host).allowed(), true);
  host.files["/proc/self/status"] = "CapEff:\t00000000a80425fb\n";  // root in a plain container
  EXPECT_EQ(counter_permission(host).allowed(), false);
  host.files["/proc/driver/nvidia/params"] = "RmProfilingAdminOnly: 0\n";
  EXPECT_EQ(counter_permission(host).allowed(), true);
}

TEST(Permission, KnowsWhereItIs) {
  FakeHost host;
  EXPECT_EQ(place_of(host), Place::bare_metal);
  host.files["/proc/1/cgroup"] = "0::/kubepods.slice/x\n";
  EXPECT_EQ(place_of(host), Place::container);
  host.files["/proc/version"] = "Linux version 5.15 Microsoft";
  EXPECT_EQ(place_of(host), Place::wsl2);
}

}  // namespace
}  // namespace frx::capture
