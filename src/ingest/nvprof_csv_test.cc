#include "frx_generated/metric_ids.h"
#include "ingest/testing.h"

namespace frx::ingest {
namespace {

using testing::mean;
using testing::refusal_of;
using testing::session_of;
using testing::sum;

constexpr std::string_view banner = "==99== NVPROF is profiling process 99, command: ./app\n==99== Profiling result:\n";

std::string metrics_table(std::string_view rows) {
  return fmt::format("{}\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n{}", banner,
                     rows);
}

std::string metric(std::string_view name, std::string_view average, int invocations = 1) {
  return fmt::format("\"GeForce GTX 970 (1)\",\"axpy(int, float*)\",{},\"{}\",\"words\",0,0,{}\n", invocations, name, average);
}

TEST(NvprofCsv, ReadsMetricsWithTheirUnitsAttached) {
  const model::Session session =
      session_of(metrics_table(metric("branch_efficiency", "98.500000%") + metric("ipc", "1.5") + metric("executed_ipc", "1.250000")));
  EXPECT_EQ(session.format, "nvprof CSV");
  EXPECT_EQ(session.tool, "nvprof");
  EXPECT_EQ(mean(session, "axpy(int, float*)", metrics::branch_efficiency_pct), 98.5);
}

TEST(NvprofCsv, CountsGigabytesAsPowersOf1024) {
  const model::Session session = session_of(metrics_table(metric("dram_read_throughput", "2.000000GB/s")));
  EXPECT_DOUBLE_EQ(*mean(session, "axpy(int, float*)", metrics::dram_read_bytes_per_second), 2.0 * 1024 * 1024 * 1024);
}

TEST(NvprofCsv, ReadsWordsAsLevels) {
  const model::Session session =
      session_of(metrics_table(metric("dram_utilization", "\"High (7)\"") + metric("tex_utilization", "\"Idle (0)\"")));
  EXPECT_EQ(mean(session, "axpy(int, float*)", metrics::dram_utilization_level), 7);
  EXPECT_EQ(mean(session, "axpy(int, float*)", metrics::l1_utilization_level), 0);
}

TEST(NvprofCsv, NamesTheDeviceByItsIndex) {
  const model::Session session = session_of(metrics_table(metric("branch_efficiency", "98%")));
  ASSERT_EQ(session.devices.count(1), 1u);
  EXPECT_EQ(session.devices.at(1).name, "GeForce GTX 970");
  EXPECT_EQ(session.kernels[0].groups[0].device, 1);
}

TEST(NvprofCsv, CountsInvocationsOnce) {
  const model::Session session = session_of(metrics_table(metric("branch_efficiency", "98%", 301) + metric("inst_executed", "1000", 301)));
  EXPECT_EQ(session.launches, 301u);
  EXPECT_EQ(sum(session, "axpy(int, float*)", metrics::instructions_executed), 301000);
}

TEST(NvprofCsv, TakesNoOverflowForANumber) {
  const model::Session session = session_of(metrics_table(metric("inst_executed", "<OVERFLOW>")));
  EXPECT_EQ(mean(session, "axpy(int, float*)", metrics::instructions_executed), std::nullopt);
}

constexpr std::string_view trace_header =
    R"x("Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem","Dynamic SMem","Size","Throughput","Device","Context","Stream","Name")x"
    "\n";

TEST(NvprofCsv, ReadsATraceWithItsRowOfUnits) {
  const model::Session session =
      session_of(std::string(banner) + std::string(trace_header) + "ms,us,,,,,,,,KB,B,KB,MB/s,,,,\n" +
                 R"x(1.0,400.0,,,,,,,,,,195.3,372.6,"GTX (0)","1","7","[CUDA memcpy HtoD]")x"
                 "\n"
                 R"x(1.5,2.250000,196,2,1,256,1,1,24,2.000000,512,,,"GTX (0)","1","7","axpy(int, float*) [231]")x"
                 "\n");
  EXPECT_EQ(session.launches, 1u);
  ASSERT_EQ(session.kernels.size(), 1u);
  EXPECT_EQ(session.kernels[0].name, "axpy(int, float*)");
  EXPECT_EQ(session.kernels[0].groups[0].grid, (model::Dim3{196, 2, 1}));
  EXPECT_EQ(session.kernels[0].groups[0].block, (model::Dim3{256, 1, 1}));
  EXPECT_EQ(mean(session, "axpy(int, float*)", metrics::kernel_duration), 2250);
  EXPECT_EQ(mean(session, "axpy(int, float*)", metrics::registers_per_thread), 24);
  EXPECT_DOUBLE_EQ(*mean(session, "axpy(int, float*)", metrics::shared_memory_static), 2048);
  EXPECT_EQ(mean(session, "axpy(int, float*)", metrics::shared_memory_dynamic), 512);
}

TEST(NvprofCsv, DividesTheTimeOfASummaryByItsCalls) {
  const model::Session session = session_of(std::string(banner) +
                                            "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
                                            ",%,ms,,us,us,ms,\n"
                                            "\"GPU activities\",60.0,12.0,4,3.0,1.0,0.5,\"axpy(int)\"\n"
                                            "\"GPU activities\",5.0,1.0,9,3.0,1.0,0.5,\"[CUDA memset]\"\n"
                                            "\"API calls\",35.0,7.0,8,3.0,1.0,0.5,\"cudaLaunchKernel\"\n");
  EXPECT_EQ(session.launches, 4u);
  EXPECT_EQ(mean(session, "axpy(int)", metrics::kernel_duration), 3e6);
  EXPECT_EQ(sum(session, "axpy(int)", metrics::kernel_duration), 12e6);
}

TEST(NvprofCsv, ReadsAnOldSummaryWithUnquotedNames) {
  const model::Session session = session_of(
      "======== Profiling result:\n"
      "Time(%),Time,Calls,Avg,Min,Max,Name\n"
      "61.50%,731.42us,2,271.18us,1us,2us,axpy(int, float*)\n"
      "2.00%,20ns,1,20ns,1ns,2ns,[CUDA memcpy DtoH]\n"
      "\n"
      "======== API calls:\n"
      "Time(%),Time,Calls,Avg,Min,Max,Name\n"
      "99.00%,90ms,1,90ms,90ms,90ms,cudaMalloc\n");
  EXPECT_EQ(session.launches, 2u);
  ASSERT_EQ(session.kernels.size(), 1u);
  EXPECT_DOUBLE_EQ(*sum(session, "axpy(int, float*)", metrics::kernel_duration), 731420);
}

TEST(NvprofCsv, SkipsTheUnifiedMemoryTableBehindTheKernels) {
  const model::Session session =
      session_of(std::string(banner) +
                 "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
                 ",%,ms,,us,us,ms,\n"
                 "\"GPU activities\",60.0,12.0,4,3.0,1.0,0.5,\"axpy(int)\"\n\n"
                 "==99== Unified Memory profiling result:\n"
                 "\"Device\",\"Count\",\"Avg Size\",\"Min Size\",\"Max Size\",\"Total Size\",\"Total Time\",\"\"\n"
                 "\"TITAN (0)\",149,43KB,4KB,576KB,6MB,0.0,\"Host To Device\"\n");
  EXPECT_EQ(session.kernels.size(), 1u);
}

TEST(NvprofCsv, SaysThatAUnifiedMemorySummaryHoldsNoKernels) {
  const std::string refusal = refusal_of(std::string(banner) +
                                         "\"Device\",\"Count\",\"Avg Size\",\"Min Size\",\"Max Size\",\"Total Size\",\"Total Time\",\"\"\n"
                                         "\"TITAN (0)\",149,43KB,4KB,576KB,6MB,0.0,\"Host To Device\"\n");
  EXPECT_NE(refusal.find("profile: expected kernels, found nvprof's unified-memory summary"), refusal.npos) << refusal;
}

TEST(NvprofCsv, SaysThatATraceOfCallsHoldsNoKernels) {
  const std::string refusal = refusal_of(std::string(banner) + "\"Start\",\"Duration\",\"Name\"\nms,us,\n1.0,2.0,\"cudaMalloc\"\n");
  EXPECT_NE(refusal.find("nvprof's trace of API calls"), refusal.npos) << refusal;
}

TEST(NvprofCsv, ReadsUnitsInTheHeaderOfTheVisualProfiler) {
  const model::Session session = session_of(
      "Name,Start Time(ns),Duration(ns),GridX,GridY,GridZ,BlockX,BlockY,BlockZ,Registers/Thread,Static Shared Memory,"
      "Dynamic Shared Memory,Size(bytes),Throughput(bytes/sec),Global Memory Load Efficiency(%),Achieved Occupancy,"
      "Device Memory Utilization,Device Memory Read Throughput(bytes/sec),Floating Point Operations(Single Precision)\n"
      "\"Memcpy HtoD [sync]\",1,2,,,,,,,,,,64,32,,,,,\n"
      "\"axpy(int, float*)\",5,1500,26,1,1,1024,1,1,12,8192,0,,,87.5,0.75,High (8),2000000,77\n");
  EXPECT_EQ(session.format, "Visual Profiler CSV");
  EXPECT_EQ(session.launches, 1u);
  EXPECT_EQ(mean(session, "axpy(int, float*)", metrics::kernel_duration), 1500);
  EXPECT_EQ(mean(session, "axpy(int, float*)", metrics::shared_memory_static), 8192);
  EXPECT_EQ(mean(session, "axpy(int, float*)", metrics::global_load_bytes_per_sector_pct), 87.5);
  EXPECT_DOUBLE_EQ(*mean(session, "axpy(int, float*)", metrics::achieved_occupancy_ratio), 0.75);
  EXPECT_EQ(mean(session, "axpy(int, float*)", metrics::dram_utilization_level), 8);
  EXPECT_DOUBLE_EQ(*mean(session, "axpy(int, float*)", metrics::dram_read_bytes_per_second), 2e6);
  EXPECT_EQ(mean(session, "axpy(int, float*)", metrics::flops_fp32), 77);
}

TEST(NvprofCsv, QuotesNvprofWhenTheRunFailed) {
  const std::string refusal = refusal_of("======== Error: Application received signal 9\n");
  EXPECT_NE(refusal.find("nvprof said 'Application received signal 9'"), refusal.npos) << refusal;
}

TEST(NvprofCsv, LeavesTheStatisticsOfNsightSystemsToOthers) {
  EXPECT_EQ(session_of("Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
                       "50.0,1200,4,300,300,200,400,10,\"axpy(int)\"\n")
                .tool,
            "Nsight Systems");
}

TEST(ListOfMetrics, IsNamedAsSuch) {
  const std::string refusal = refusal_of("dram__bytes\ndram__sectors\ngpu__time_duration\nlts__t_bytes   Counter   byte   bytes\n");
  EXPECT_NE(refusal.find("found a list of metrics"), refusal.npos) << refusal;
}

TEST(ListOfSections, IsNamedAsSuch) {
  const std::string refusal =
      refusal_of("Identifier       Display Name      Enabled Filename\nOccupancy        Occupancy         yes     .../Occupancy.section\n");
  EXPECT_NE(refusal.find("found a list of sections"), refusal.npos) << refusal;
}

}  // namespace
}  // namespace frx::ingest
