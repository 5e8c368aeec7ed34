#include "frx_generated/metric_ids.h"
#include "ingest/testing.h"

namespace frx::ingest {
namespace {

using testing::has_note;
using testing::mean;
using testing::refusal_of;
using testing::session_of;
using testing::sum;

constexpr std::string_view banner = "==99== NVPROF is profiling process 99, command: ./app\n==99== Profiling result:\n";
constexpr std::string_view summary_titles = "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n";

std::string summary(std::string_view rows) { return fmt::format("{}{}{}", banner, summary_titles, rows); }

TEST(NvprofText, ReadsKernelsOfASummaryAndNeitherCopiesNorCalls) {
  const model::Session session = session_of(
      summary(" GPU activities:   60.00%  1.20000s         4  300.00ms  300.00ms  300.00ms  void axpy<float, int=4>(int, float const *)\n"
              "                   30.00%  600.00ms         3  200.00ms  200.00ms  200.00ms  scale(int, float*)\n"
              "                   10.00%  200.00ms         9  22.222ms  22.222ms  22.222ms  [CUDA memcpy HtoD]\n"
              "      API calls:   99.00%  90.000ms         1  90.000ms  90.000ms  90.000ms  cudaMalloc\n"
              "                    1.00%     900ns         3     300ns     300ns     300ns  cudaLaunchKernel\n"));
  EXPECT_EQ(session.format, "nvprof text");
  EXPECT_EQ(session.tool, "nvprof");
  ASSERT_EQ(session.kernels.size(), 2u);
  EXPECT_EQ(session.launches, 7u);
  EXPECT_DOUBLE_EQ(*sum(session, "void axpy<float, int=4>(int, float const *)", metrics::kernel_duration), 1.2e9);
  EXPECT_DOUBLE_EQ(*sum(session, "scale(int, float*)", metrics::kernel_duration), 6e8);
}

TEST(NvprofText, ReadsEachUnitOfTime) {
  const model::Session session =
      session_of(summary(" GPU activities:   60.00%  1.50000s         1  1.50000s  1.50000s  1.50000s  in_s(int)\n"
                         "                   30.00%  2.5000ms         1  2.5000ms  2.5000ms  2.5000ms  in_ms(int)\n"
                         "                    5.00%  3.5000us         1  3.5000us  3.5000us  3.5000us  in_us(int)\n"
                         "                    5.00%     850ns         1     850ns     850ns     850ns  in_ns(int)\n"));
  EXPECT_EQ(mean(session, "in_s(int)", metrics::kernel_duration), 1.5e9);
  EXPECT_EQ(mean(session, "in_ms(int)", metrics::kernel_duration), 2.5e6);
  EXPECT_EQ(mean(session, "in_us(int)", metrics::kernel_duration), 3500);
  EXPECT_EQ(mean(session, "in_ns(int)", metrics::kernel_duration), 850);
}

TEST(NvprofText, ReadsASummaryOfOldVersionsWhichHasNoTypes) {
  const model::Session session = session_of(
      "======== Profiling result:\n"
      "Time(%)      Time     Calls       Avg       Min       Max  Name\n"
      " 61.50%  731.42us         2  365.71us  1.0000us  2.0000us  axpy(int, float*)\n"
      "  2.00%     20ns         1     20ns     20ns     20ns  [CUDA memcpy DtoH]\n\n"
      "======== API calls:\n"
      "Time(%)      Time     Calls       Avg       Min       Max  Name\n"
      " 99.00%  90.000ms         1  90.000ms  90.000ms  90.000ms  cudaMalloc\n");
  ASSERT_EQ(session.kernels.size(), 1u);
  EXPECT_EQ(session.launches, 2u);
  EXPECT_DOUBLE_EQ(*sum(session, "axpy(int, float*)", metrics::kernel_duration), 731420);
}

TEST(NvprofText, LeavesOutWhatOthersPrintIntoATable) {
  const model::Session session =
      session_of(summary("srun: job 17  has been allocated  resources\n"
                         " GPU activities:  100.00%  2.0000ms         1  2.0000ms  2.0000ms  2.0000ms  axpy(int)\n"
                         "step 10:  loss 0.25  accuracy 93.1%  in 20 ms\n"
                         "85.20%:   bald eagle\n"));
  ASSERT_EQ(session.kernels.size(), 1u);
  EXPECT_EQ(session.launches, 1u);
}

TEST(NvprofText, NamesTheDeviceByTheTableOfItsTransfers) {
  const model::Session session =
      session_of(summary(" GPU activities:  100.00%  2.0000ms         1  2.0000ms  2.0000ms  2.0000ms  axpy(int)\n\n"
                         "==99== Unified Memory profiling result:\n"
                         "Device \"TITAN Xp (0)\"\n"
                         "   Count  Avg Size  Min Size  Max Size  Total Size  Total Time  Name\n"
                         "     173  37.317KB  4.0000KB  620.00KB  6.304688MB  726.0480us  Host To Device\n"
                         "Total CPU Page faults: 49\n"));
  EXPECT_EQ(session.launches, 1u);
  ASSERT_EQ(session.devices.count(0), 1u);
  EXPECT_EQ(session.devices.at(0).name, "TITAN Xp");
}

constexpr std::string_view trace_titles =
    "   Start  Duration            Grid Size      Block Size     Regs*    SSMem*    DSMem*      Size  Throughput  SrcMemType  DstMemType"
    "           Device   Context    Stream  Name\n";

TEST(NvprofText, ReadsATraceWithShapesAndSharedMemory) {
  const model::Session session = session_of(
      std::string(banner) + std::string(trace_titles) +
      "365.97ms  2.2400us                    -               -         -         -         -  4.0000KB  1.7030GB/s    Pageable      Device"
      "   Tesla K40 (0)         1        18  [CUDA memcpy HtoD]\n"
      "366.05ms  3.2640us            (196 2 1)       (32 32 1)        32  8.0000KB      512B         -           -           -           -"
      "   Tesla K40 (0)         1        14  void axpy<int=32>(float*, float*, int) [124]\n\n"
      "Regs: Number of registers used per CUDA thread. This number includes registers used internally.\n");
  ASSERT_EQ(session.kernels.size(), 1u);
  const std::string_view name = "void axpy<int=32>(float*, float*, int)";
  EXPECT_EQ(session.kernels[0].name, name);
  EXPECT_EQ(session.kernels[0].groups[0].grid, (model::Dim3{196, 2, 1}));
  EXPECT_EQ(session.kernels[0].groups[0].block, (model::Dim3{32, 32, 1}));
  EXPECT_EQ(mean(session, name, metrics::kernel_duration), 3264);
  EXPECT_EQ(mean(session, name, metrics::registers_per_thread), 32);
  EXPECT_DOUBLE_EQ(*mean(session, name, metrics::shared_memory_static), 8192);
  EXPECT_EQ(mean(session, name, metrics::shared_memory_dynamic), 512);
  EXPECT_EQ(session.devices.at(0).name, "Tesla K40");
}

TEST(NvprofText, TakesNoNameOfADeviceThatWasCutOff) {
  const model::Session session = session_of(
      std::string(banner) + std::string(trace_titles) +
      "366.05ms  3.2640us              (1 1 1)       (32 32 1)        32        0B        0B         -           -           -           -"
      "  GeForce GTX 980         1        14  axpy(int) [124]\n");
  EXPECT_EQ(session.launches, 1u);
  EXPECT_TRUE(session.devices.empty());
  EXPECT_TRUE(has_note(session, "--gpu-model"));
}

constexpr std::string_view metric_titles =
    "Invocations                               Metric Name                        Metric Description         Min         Max         Avg\n";

TEST(NvprofText, ReadsMetricsUnderTheirDeviceAndKernel) {
  const model::Session session = session_of(std::string(banner) + "==99== Metric result:\n" + std::string(metric_titles) +
                                            "Device \"GeForce GTX 1070 (1)\"\n"
                                            "    Kernel: void sum<unsigned int=256, float>(float*, unsigned int)\n"
                                            "        100                      dram_read_throughput             Device Memory Read "
                                            "Throughput  0.00000B/s  3.0000GB/s  2.0000GB/s\n"
                                            "        100                            gst_efficiency            Global Memory Store "
                                            "Efficiency      12.50%      12.50%      12.50%\n"
                                            "        100                          dram_utilization                 Device Memory "
                                            "Utilization     Low (1)    High (8)     Mid (5)\n"
                                            "    Kernel: scale(int)\n"
                                            "          3                             inst_executed                     Instructions "
                                            "Executed        1000        1000        1000\n");
  ASSERT_EQ(session.kernels.size(), 2u);
  EXPECT_EQ(session.launches, 103u);
  EXPECT_EQ(session.devices.at(1).name, "GeForce GTX 1070");
  const std::string_view name = "void sum<unsigned int=256, float>(float*, unsigned int)";
  EXPECT_DOUBLE_EQ(*mean(session, name, metrics::dram_read_bytes_per_second), 2.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(mean(session, name, metrics::global_store_bytes_per_sector_pct), 12.5);
  EXPECT_EQ(mean(session, name, metrics::dram_utilization_level), 5);
  EXPECT_EQ(sum(session, "scale(int)", metrics::instructions_executed), 3000);
}

TEST(NvprofText, ReadsEventsWithTheirTotal) {
  const model::Session session =
      session_of(std::string(banner) + "==99== Event result:\n" +
                 "Invocations                                Event Name         Min         Max         Avg       Total\n"
                 "Device \"GeForce GTX 970 (0)\"\n"
                 "    Kernel: axpy(int)\n"
                 "          2                             inst_executed        1000        3000        2000        4000\n");
  EXPECT_EQ(session.launches, 2u);
  EXPECT_EQ(sum(session, "axpy(int)", metrics::instructions_executed), 4000);
}

TEST(NvprofText, SaysThatATableOfCallsHoldsNoKernels) {
  const std::string refusal =
      refusal_of(summary("      API calls:   99.00%  90.000ms         1  90.000ms  90.000ms  90.000ms  cudaMalloc\n"));
  EXPECT_NE(refusal.find("expected kernels, found a table of nvprof without a kernel in it"), refusal.npos) << refusal;
}

TEST(NvprofText, IsRefusedWithTheWayToKernelsWhereItHoldsNoTable) {
  const std::string refusal = refusal_of("==9== NVPROF is profiling process 9, command: ./app\nNo kernels were profiled.\n");
  EXPECT_NE(refusal.find("found output of nvprof without a table"), refusal.npos) << refusal;
  EXPECT_NE(refusal.find("nvprof --csv"), refusal.npos) << refusal;
}

TEST(NvprofText, LeavesOtherTablesToOthers) {
  EXPECT_NE(refusal_of("Time (%)  Total Time (ns)  Instances  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)  Name\n"
                       "    50.0             1200          4     300.0     300.0       200       400         10.0  axpy(int)\n"),
            "");
}

}  // namespace
}  // namespace frx::ingest
