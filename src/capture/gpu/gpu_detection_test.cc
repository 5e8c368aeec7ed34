// With FAKES of NVML, the CUDA driver and nvidia-smi: no GPU is looked at.
#include "capture/gpu/gpu_detection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/gpu/fake_driver.h"

namespace frx::capture {
namespace {

using model::DetectedGpu;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* all_fields =
    "--query-gpu=index,uuid,name,compute_cap,memory.total,driver_version,pci.bus_id,power.limit,clocks.max.sm,clocks.max.memory,"
    "mig.mode.current";

// A machine whose nvidia-smi gives this answer.
FakeHost host_where_smi_says(Exit answer) {
  FakeHost host;
  host.programs["nvidia-smi"] = "/bin/nvidia-smi";
  host.answers[std::string("/bin/nvidia-smi ") + all_fields] = std::move(answer);
  return host;
}
FakeHost host_where_smi_prints(std::string text, int status = 0) { return host_where_smi_says(FakeHost::said(std::move(text), status)); }

FakeHost host_with_libraries() {
  FakeHost host = host_with_nvml();
  host.variables["FRX_CUDA_LIBRARY"] = FRX_FAKE_CUDA;
  return host;
}

GpuDetection detected(const FakeHost& host) {
  const Result<GpuDetection> found = detect_gpus(host);
  EXPECT_TRUE(found) << to_string(found.error());
  return found.value_or(GpuDetection());
}

constexpr const char* two_gpus =
    "0, GPU-aaaa, NVIDIA H100 80GB HBM3, 9.0, 81559, 550.54.15, 00000000:17:00.0, 700.00, 1980, 2619, Disabled\n"
    "1, GPU-bbbb, Tesla T4, 7.5, 15360, 550.54.15, 00000000:65:00.0, 70.00, 1590, 5001, [N/A]\n";

// kdiag 3.3, cgp D23, cgp R13: a record for each GPU.
TEST(GpuDetection, NvidiaSmiGivesARecordForEachGpu) {
  const GpuDetection found = detected(host_where_smi_prints(two_gpus));
  ASSERT_EQ(found.gpus.size(), 2u);
  const DetectedGpu& h100 = found.gpus[0];
  EXPECT_EQ(h100.index, 0u);
  EXPECT_EQ(h100.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(h100.cc, (model::ComputeCapability{9, 0}));
  EXPECT_EQ(h100.memory_bytes->value, 81559.0 * 1048576);
  EXPECT_EQ(h100.memory_bytes->from, "nvidia-smi");
  EXPECT_EQ(h100.pci, "0000:17:00.0");
  EXPECT_EQ(h100.mig_enabled, false);
  EXPECT_FALSE(h100.sm_count);
  EXPECT_EQ(found.gpus[1].uuid, "GPU-bbbb");
  EXPECT_FALSE(found.gpus[1].mig_enabled);
  EXPECT_THAT(found.notes, IsEmpty());
}

// kdiag 3.3, cgp D12: a value in brackets is absent.
TEST(GpuDetection, WhatTheGpuDoesNotTellIsAbsent) {
  const GpuDetection found =
      detected(host_where_smi_prints("0, GPU-a, Orin, 8.7, [N/A], 540.3.0, [Not Supported], [Unknown Error], N/A, [N/A], [N/A]\n"));
  ASSERT_EQ(found.gpus.size(), 1u);
  const DetectedGpu& gpu = found.gpus[0];
  EXPECT_FALSE(gpu.memory_bytes || gpu.power_limit_w || gpu.sm_clock_mhz || gpu.memory_clock_mhz || gpu.mig_enabled);
  EXPECT_EQ(gpu.pci, "");
}

// kdiag 3.3: compute_cap is missing on old drivers.
TEST(GpuDetection, AFieldThatAnOldDriverDoesNotKnowIsLeftOut) {
  FakeHost host = host_where_smi_prints("Field \"compute_cap\" is not a valid field to query.\n", 2);
  host.answers
      ["/bin/nvidia-smi --query-gpu=index,uuid,name,memory.total,driver_version,pci.bus_id,power.limit,clocks.max.sm,"
       "clocks.max.memory,mig.mode.current"] = FakeHost::said("Field \"mig.mode.current\" is not a valid field to query.\n", 2);
  host.answers
      ["/bin/nvidia-smi --query-gpu=index,uuid,name,memory.total,driver_version,pci.bus_id,power.limit,clocks.max.sm,"
       "clocks.max.memory"] = FakeHost::said("0, GPU-v, Tesla V100-SXM2-16GB, 16160, 418.67, 00000000:1A:00.0, 300.00, 1530, 877\n");
  const GpuDetection found = detected(host);
  ASSERT_EQ(found.gpus.size(), 1u);
  EXPECT_EQ(found.gpus[0].name, "Tesla V100-SXM2-16GB");
  EXPECT_FALSE(found.gpus[0].cc);
  EXPECT_EQ(found.gpus[0].power_limit_w->value, 300);
}

// kdiag 3.3: five seconds, then what is known is said.
TEST(GpuDetection, NvidiaSmiThatHangsIsAnErrorThatSaysSo) {
  Exit hung;
  hung.timed_out = true;
  const Result<GpuDetection> found = detect_gpus(host_where_smi_says(hung));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::not_enough);
  EXPECT_THAT(found.error().message, HasSubstr("nvidia-smi"));
}

TEST(GpuDetection, NoDriverIsAnErrorWithARemedy) {
  const Result<GpuDetection> found = detect_gpus(FakeHost());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::not_enough);
  EXPECT_EQ(found.error().message, "no GPU was found: no NVIDIA driver on this machine");
  EXPECT_THAT(found.error().hint, HasSubstr("frx doctor"));
  const Result<GpuDetection> broken = detect_gpus(host_where_smi_prints("NVIDIA-SMI has failed because of X.\n", 9));
  EXPECT_THAT(broken.error().message, HasSubstr("NVIDIA-SMI has failed because of X."));
}

// kdiag 3.3: CUDA_VISIBLE_DEVICES by index, UUID and MIG UUID; all rows stay.
TEST(GpuDetection, MarksWhatCudaMayUse) {
  const auto visible = [](const std::string& variable) {
    FakeHost host = host_where_smi_prints(two_gpus);
    host.variables["CUDA_VISIBLE_DEVICES"] = variable;
    host.variables["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
    std::vector<bool> seen;
    for (const DetectedGpu& gpu : detected(host).gpus) seen.push_back(gpu.is_visible);
    return seen;
  };
  EXPECT_THAT(visible("1"), ElementsAre(false, true));
  EXPECT_THAT(visible("GPU-aaaa"), ElementsAre(true, false));
  EXPECT_THAT(visible(""), ElementsAre(false, false));
  EXPECT_THAT(visible("MIG-1c2d"), ElementsAre(true, true));
}

TEST(GpuDetection, DoubtsAboutVisibleGpusAreNotes) {
  FakeHost host = host_where_smi_prints(two_gpus);
  host.variables["CUDA_VISIBLE_DEVICES"] = "MIG-1c2d";
  EXPECT_THAT(detected(host).notes, ElementsAre(HasSubstr("MIG")));
}

// kdiag 3.3: the libraries come before nvidia-smi; attributes are the CUDA driver's.
TEST(GpuDetection, TheCudaDriverGivesTheAttributesOfTheGpusThatNvmlLists) {
  const Variable uuids("FAKE_NVML_UUIDS", "cuda");
  const GpuDetection found = detected(host_with_libraries());
  ASSERT_EQ(found.gpus.size(), 2u);
  const DetectedGpu& gpu = found.gpus[1];
  EXPECT_EQ(gpu.told_by, "NVML 0.fake");
  EXPECT_EQ(gpu.name, "Fake GPU");
  EXPECT_EQ(gpu.pci, "0000:11:00.0");
  EXPECT_EQ(gpu.sm_count->value, 108);
  EXPECT_EQ(gpu.sm_count->from, "CUDA driver");
  EXPECT_EQ(gpu.l2_bytes->value, 41943040);
  EXPECT_EQ(gpu.shared_per_block_bytes->value, 166912);
  EXPECT_EQ(gpu.power_limit_w->from, "NVML");
  EXPECT_EQ(gpu.mig_enabled, false);
  // kdiag 3.4: 1215 MHz x 2 x 5120 bits / 8
  EXPECT_DOUBLE_EQ(*bandwidth_by_clock_gbps(gpu), 1555.2);
}

TEST(GpuDetection, AGpuThatCudaMayNotUseStaysInTheList) {
  const Variable uuids("FAKE_NVML_UUIDS", "cuda"), one("FAKE_CUDA_GPUS", "1");
  const GpuDetection found = detected(host_with_libraries());
  ASSERT_EQ(found.gpus.size(), 2u);
  EXPECT_TRUE(found.gpus[0].is_visible);
  EXPECT_FALSE(found.gpus[1].is_visible);
  EXPECT_FALSE(found.gpus[1].sm_count);
  EXPECT_EQ(found.gpus[1].memory_bus_bits->from, "NVML");
}

// kdiag 3.3: MIG is flagged and does not change the numbers of its GPU.
TEST(GpuDetection, AMigInstanceBelongsToItsGpu) {
  const Variable uuids("FAKE_NVML_UUIDS", "cuda"), mig("FAKE_CUDA_TROUBLE", "mig"), one("FAKE_CUDA_GPUS", "1");
  const GpuDetection found = detected(host_with_libraries());
  ASSERT_EQ(found.gpus.size(), 2u);
  ASSERT_EQ(found.gpus[0].instances.size(), 1u);
  EXPECT_EQ(found.gpus[0].instances[0].name, "NVIDIA A100-SXM4-40GB MIG 1g.5gb");
  EXPECT_TRUE(found.gpus[0].instances[0].uuid.starts_with("MIG-"));
  EXPECT_EQ(found.gpus[0].instances[0].sm_count->value, 14);
  EXPECT_FALSE(found.gpus[0].sm_count);
}

TEST(GpuDetection, CudaAloneIsEnough) {
  FakeHost host;
  host.variables["FRX_CUDA_LIBRARY"] = FRX_FAKE_CUDA;
  const GpuDetection found = detected(host);
  ASSERT_EQ(found.gpus.size(), 2u);
  EXPECT_FALSE(found.gpus[0].index);
  EXPECT_EQ(found.gpus[0].name, "NVIDIA A100-PG509-200");
  EXPECT_EQ(found.gpus[0].cc, (model::ComputeCapability{8, 0}));
}

TEST(GpuDetection, SaysWhyTheCudaDriverDoesNotStart) {
  const Variable trouble("FAKE_CUDA_TROUBLE", "init");
  const GpuDetection found = detected(host_with_libraries());
  EXPECT_EQ(found.gpus.size(), 2u);
  EXPECT_THAT(found.notes, ElementsAre("the CUDA driver does not start: CUDA_ERROR_NO_DEVICE"));
}

TEST(GpuDetection, DoesNotWaitForALibraryThatHangs) {
  const Variable trouble("FAKE_CUDA_TROUBLE", "hang");
  const GpuDetection found = detected(host_with_libraries());
  EXPECT_EQ(found.gpus.size(), 2u);
  EXPECT_THAT(found.notes, Contains("the CUDA driver does not answer within 5 seconds"));
}

}  // namespace
}  // namespace frx::capture
