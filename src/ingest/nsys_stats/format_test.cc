#include "frx_generated/metric_ids.h"
#include "ingest/testing.h"

namespace frx::ingest {
namespace {

using testing::has_note;
using testing::mean;
using testing::refusal_of;
using testing::session_of;
using testing::spread;
using testing::sum;

constexpr std::string_view summary_titles = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n";
constexpr std::string_view trace_titles =
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,"
    "DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n";

std::string summary(std::string_view rows) { return fmt::format("{}{}", summary_titles, rows); }
std::string trace(std::string_view rows) { return fmt::format("{}{}", trace_titles, rows); }

constexpr std::string_view text_summary =
    "[5/7] Executing 'cuda_gpu_kern_sum' stats report\n\n"
    " Time (%)  Total Time (ns)  Instances  Avg (ns)    Med (ns)   Min (ns)  Max (ns)  StdDev (ns)           Name          \n"
    " --------  ---------------  ---------  ---------  ---------  ---------  --------  -----------  -----------------------\n"
    "     75.0        1,500,000          3  500,000.0  499,000.0    498,000   503,000      2,160.2  axpy(int, float *)     \n"
    "     25.0          500,000        100    5,000.0    5,000.0      5,000     5,000          0.0  void scale<float>(int)…\n\n";

constexpr std::string_view text_calls =
    "[4/7] Executing 'cuda_api_sum' stats report\n\n"
    " Time (%)  Total Time (ns)  Num Calls  Avg (ns)        Name      \n"
    " --------  ---------------  ---------  --------  ----------------\n"
    "    100.0           90,000          3  30,000.0  cudaLaunchKernel\n\n";

TEST(NsysStats, ReadsASummaryAsCsv) {
  const model::Session session = session_of(summary(
      "75.0,1500000,3,500000.0,499000.0,498000,503000,2160.2,\"axpy(int, float *)\"\n25.0,500000,100,5000.0,5000.0,5000,5000,0.0,scale\n"));
  EXPECT_EQ(session.format, "nsys stats CSV");
  EXPECT_EQ(session.tool, "Nsight Systems");
  ASSERT_EQ(session.kernels.size(), 2u);
  EXPECT_EQ(session.launches, 103u);
  EXPECT_DOUBLE_EQ(*sum(session, "axpy(int, float *)", metrics::kernel_duration), 1.5e6);
  EXPECT_DOUBLE_EQ(*mean(session, "scale", metrics::kernel_duration), 5000);
  EXPECT_TRUE(session.notes.empty());
}

TEST(NsysStats, ReadsASummaryAsTextBetweenOtherTables) {
  const model::Session session =
      session_of(fmt::format("srun: job 7 queued\n{}{}Generated:\n    /tmp/report.nsys-rep\n", text_calls, text_summary));
  EXPECT_EQ(session.format, "nsys stats text");
  ASSERT_EQ(session.kernels.size(), 2u);
  EXPECT_EQ(session.launches, 103u);
  EXPECT_DOUBLE_EQ(*sum(session, "axpy(int, float *)", metrics::kernel_duration), 1.5e6);
  EXPECT_TRUE(has_note(session, "not used: cuda_api_sum"));
  EXPECT_TRUE(has_note(session, "cut the names of 1 kernel off"));
}

// cgp D11
TEST(NsysStats, KeepsEachRowAsItWasPrinted) {
  const model::Session session = session_of(fmt::format("{}{}", text_calls, text_summary));
  ASSERT_EQ(session.time_tables.size(), 2u);
  const model::TimeTable &kernels = session.time_tables[0], &calls = session.time_tables[1];
  EXPECT_EQ(kernels.work, model::RecordedWork::kernels);
  ASSERT_EQ(kernels.rows.size(), 2u);
  EXPECT_EQ(kernels.rows[0], (model::NameTimes{"axpy(int, float *)", 3, 1.5e6, 498'000.0, 503'000.0, {}}));
  EXPECT_EQ(calls.work, model::RecordedWork::cuda_calls);
  EXPECT_EQ(calls.report, "cuda_api_sum");
  ASSERT_EQ(calls.rows.size(), 1u);
  EXPECT_EQ(calls.rows[0], (model::NameTimes{"cudaLaunchKernel", 3, 90'000.0, {}, {}, {}}));  // the table has no Min and Max
}

// cgp D10, cgp D11: seven columns, the unit above the table, and empty lines behind the heading.
TEST(NsysStats, KeepsRowsOfTheOldGeneration) {
  const model::Session session = session_of(
      "Operating System Runtime API Statistics (microseconds)\n\n"
      "Time(%)      Total Time       Calls         Average         Minimum         Maximum  Name\n"
      "-------  --------------  ----------  --------------  --------------  --------------  ----\n"
      "  100.0             4.5           2            2.25               1             3.5  poll\n\n\n"
      "CUDA Kernel Statistics (nanoseconds)\n\n"
      "Time(%)      Total Time   Instances         Average         Minimum         Maximum  Name\n"
      "-------  --------------  ----------  --------------  --------------  --------------  --------------\n"
      "  100.0           30500           2         15250.0           10500           20000  add two(float*)\n");
  ASSERT_EQ(session.time_tables.size(), 2u);
  EXPECT_EQ(session.time_tables[0].rows, (std::vector{model::NameTimes{"add two(float*)", 2, 30500.0, 10500.0, 20000.0, {}}}));
  EXPECT_EQ(session.time_tables[1].work, model::RecordedWork::os_calls);
  EXPECT_EQ(session.time_tables[1].rows, (std::vector{model::NameTimes{"poll", 2, 4500.0, 1000.0, 3500.0, {}}}));
}

TEST(NsysStats, RowsOfKernelsWhoseNamesAreCutAlikeStayTwo) {
  const model::Session session = session_of(summary("50.0,10,1,10,10,10,10,0.0,void k<int>…\n50.0,20,1,20,20,20,20,0.0,void k<int>…\n"));
  ASSERT_EQ(session.time_tables.size(), 1u);
  EXPECT_EQ(session.time_tables[0].rows.size(), 2u);
  EXPECT_EQ(session.kernels.size(), 1u);
}

TEST(NsysStats, ATableThatStandsTwiceCountsOnce) {
  const model::Session session = session_of(fmt::format("{0}{1}{0}{1}", text_calls, text_summary));
  ASSERT_EQ(session.time_tables.size(), 2u);
  EXPECT_EQ(session.time_tables[0].rows.size(), 2u);
}

TEST(NsysStats, TakesTheUnitFromTheTitle) {
  const model::Session session = session_of("Time(%),Total Time (ms),Instances,Avg (ms),Name\n100.0,1.5,3,0.5,axpy\n");
  EXPECT_DOUBLE_EQ(*sum(session, "axpy", metrics::kernel_duration), 1.5e6);
  const model::Session micro = session_of("Time(%),Total Time (\xCE\xBCs),Instances,Name\n100.0,1.5,3,axpy\n");
  EXPECT_DOUBLE_EQ(*sum(micro, "axpy", metrics::kernel_duration), 1500);
}

TEST(NsysStats, TakesTheUnitOfOldVersionsFromTheLineAboveTheTable) {
  const model::Session session = session_of(
      "CUDA Kernel Statistics (nanoseconds)\n\n"
      "Time(%)      Total Time   Instances         Average         Minimum         Maximum  Name          \n"
      "-------  --------------  ----------  --------------  --------------  --------------  --------------\n"
      "  100.0         1500000           3        500000.0          498000          503000  axpy(int)     \n");
  EXPECT_DOUBLE_EQ(*sum(session, "axpy(int)", metrics::kernel_duration), 1.5e6);
}

TEST(NsysStats, TakesNoTimeWithoutAUnit) {
  const model::Session session = session_of("Time(%),Total Time,Instances,Name\n100.0,1.5,3,axpy\n");
  EXPECT_EQ(session.launches, 3u);
  EXPECT_EQ(session.timed_launches, 0u);
  EXPECT_TRUE(has_note(session, "has no unit"));
  EXPECT_TRUE(has_note(session_of("Time(%),Total Time (parsec),Instances,Name\n100.0,1.5,3,axpy\n"), "a unit we do not know"));
}

TEST(NsysStats, TakesTheAverageWhereThereIsNoTotal) {
  const model::Session session = session_of("Time(%),Total Time (ns),Instances,Avg (ns),Name\n100.0,,3,500.0,axpy\n");
  EXPECT_DOUBLE_EQ(*sum(session, "axpy", metrics::kernel_duration), 1500);
}

TEST(NsysStats, ReadsGroupsOfDigitsAsOtherLocalesWriteThem) {
  const auto total = [](std::string_view share, std::string_view time) {
    const model::Session session = session_of(fmt::format(
        " Time (%)  Total Time (ns)  Instances  Name\n --------  ---------------  ---------  ----\n {:>8}  {:>15}  {:>9}  axpy\n", share,
        time, "1"));
    return sum(session, "axpy", metrics::kernel_duration).value_or(-1);
  };
  EXPECT_DOUBLE_EQ(total("100.0", "25,610,621"), 25610621);
  EXPECT_DOUBLE_EQ(total("100.0", "44,0087,8248"), 4400878248);
  EXPECT_DOUBLE_EQ(total("100,0", "25.610"), 25610);
  EXPECT_DOUBLE_EQ(total("100,0", "25.610.621"), 25610621);
}

TEST(NsysStats, ReadsShapesOfASummaryByGridAndBlock) {
  const model::Session session = session_of(
      "Time (%),Total Time (ns),Instances,GridXYZ,BlockXYZ,Name\n60.0,600,2,  16   16    1, 256    1    1,axpy\n40.0,400,4,   8    1    1, "
      "256    1 "
      "   1,axpy\n");
  ASSERT_EQ(session.kernels.size(), 1u);
  ASSERT_EQ(session.kernels[0].groups.size(), 2u);
  EXPECT_EQ(session.kernels[0].groups[0].grid, (model::Dim3{16, 16, 1}));
  EXPECT_EQ(session.kernels[0].groups[0].block, (model::Dim3{256, 1, 1}));
  EXPECT_EQ(session.launches, 6u);
}

TEST(NsysStats, ReadsKernelsAloneOfASummaryOfAllWork) {
  const model::Session session = session_of(
      "Time (%),Total Time (ns),Instances,Avg "
      "(ns),Category,Operation\n60.0,600,2,300.0,CUDA_KERNEL,axpy\n40.0,400,4,100.0,MEMORY_OPER,[CUDA "
      "memset]\n10.0,100,4,25.0,CUDA_API,cudaLaunchKernel\n");
  ASSERT_EQ(session.kernels.size(), 1u);
  EXPECT_EQ(session.launches, 2u);
}

TEST(NsysStats, ReadsLaunchesOfATrace) {
  const model::Session session =
      session_of(trace("100,3552,142,,,,,,,,,,0.038,10594.575,Pageable,Device,NVIDIA RTX A4500 (0),1,,7,[CUDA memcpy Host-to-Device]\n"
                       "4000,22240,36,1024,1,1,256,2,1,40,0.000,0.006,None,,None,None,NVIDIA RTX A4500 (0),1,,7,\"axpy(int, float *)\"\n"
                       "30000,22000,37,1024,1,1,256,2,1,40,0.000,0.006,,,,,NVIDIA RTX A4500 (0),1,,7,\"axpy(int, float *)\"\n"));
  ASSERT_EQ(session.kernels.size(), 1u);
  const model::LaunchGroup& group = session.kernels[0].groups.at(0);
  EXPECT_EQ(group.launches, 2u);
  EXPECT_EQ(group.grid, (model::Dim3{1024, 1, 1}));
  EXPECT_EQ(group.block, (model::Dim3{256, 2, 1}));
  EXPECT_EQ(session.devices.at(0).name, "NVIDIA RTX A4500");
  EXPECT_DOUBLE_EQ(*sum(session, "axpy(int, float *)", metrics::kernel_duration), 44240);
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::registers_per_thread), 40);
  EXPECT_EQ(mean(session, "axpy(int, float *)", metrics::shared_memory_dynamic), 6000);
  EXPECT_EQ(session.absent_values, 0u);
  EXPECT_TRUE(has_note(session, "steps of 0.001 MB"));
}

TEST(NsysStats, ReadsATraceAsTextWithEmptyCells) {
  const model::Session session = session_of(
      " Start (ns)  Duration (ns)  GrdX  GrdY  GrdZ  BlkX  BlkY  BlkZ  Reg/Trd  StcSMem (B)  Bytes (MB)  SrcMemKd     Device    Strm       "
      "  Name       \n"
      " ----------  -------------  ----  ----  ----  ----  ----  ----  -------  -----------  ----------  --------  -----------  ----  "
      "------------------\n"
      "        100          1,824                                                                 0.002  Pageable  TITAN V (1)     7  "
      "[CUDA memcpy HtoD]\n"
      "      5,000         41,152   864     1     1   256     1     1       38         1024                        TITAN V (1)     7  "
      "fill(float *)     \n");
  ASSERT_EQ(session.kernels.size(), 1u);
  EXPECT_EQ(session.kernels[0].groups.at(0).device, 1);
  EXPECT_EQ(mean(session, "fill(float *)", metrics::shared_memory_static), 1024);
  EXPECT_FALSE(spread(session, "fill(float *)", metrics::shared_memory_dynamic));
}

TEST(NsysStats, CountsNoLaunchTwiceWhereATraceAndSummariesStandTogether) {
  const std::string row = "100,600,36,8,1,1,256,1,1,40,0.000,0.000,,,,,T4 (0),1,,7,axpy\n";
  const std::string short_summary = summary("100.0,600,1,600.0,600.0,600,600,0.0,axpy\n");
  for (const std::string& both : {trace(row) + "\n" + short_summary, short_summary + "\n" + trace(row)}) {
    const model::Session session = session_of(both);
    EXPECT_EQ(session.launches, 1u);
    EXPECT_TRUE(session.kernels[0].groups.at(0).grid.has_value());
    EXPECT_TRUE(has_note(session, "the kernel summary in the text is not counted"));
  }
}

TEST(NsysStats, CountsASummaryThatIsPrintedTwiceOnce) {
  const model::Session session = session_of(fmt::format("{}{}", text_summary, text_summary));
  EXPECT_EQ(session.launches, 103u);
  EXPECT_TRUE(has_note(session, "stands in the text before"));
  const model::Session two = session_of(fmt::format("{}{}", text_summary, summary("100.0,600,1,600.0,600.0,600,600,0.0,axpy\n")));
  EXPECT_EQ(two.launches, 104u);
  EXPECT_TRUE(has_note(two, "2 tables of kernels are counted together"));
}

TEST(NsysStats, LooksBehindBarsOfProgress) {
  const model::Session session =
      session_of(fmt::format("\r[1/7] [0%   ] r.sqlite\r[1/7] [==100%] r.sqlite\r{}", summary("100.0,6,1,6.0,6.0,6,6,0.0,axpy\r\n")));
  EXPECT_EQ(session.launches, 1u);
}

TEST(NsysStats, JoinsANameThatGoesOnInTheNextLine) {
  const model::Session session = session_of(
      " Time (%)  Total Time (ns)  Instances     Name   \n --------  ---------------  ---------  ---------\n    100.0              600     "
      "     1  axpy(int,\n"
      "                                       float *)\n");
  ASSERT_EQ(session.kernels.size(), 1u);
  EXPECT_EQ(session.kernels[0].name, "axpy(int, float *)");
}

TEST(NsysStats, SaysWhyThereAreNoKernels) {
  EXPECT_EQ(refusal_of("SKIPPED: /home/me/r.sqlite does not contain CUDA kernel data.\n[3/3] Executing 'gpukernsum' stats report\n")
                .find("profile: no kernels in it: nsys said 'r.sqlite does not contain CUDA kernel data.'"),
            0u);
  const std::string others = refusal_of(text_calls);
  EXPECT_NE(others.find("about something else: cuda_api_sum"), std::string::npos) << others;
  EXPECT_NE(others.find("nsys stats -r cuda_gpu_kern_sum FILE"), std::string::npos) << others;
  EXPECT_NE(refusal_of(summary_titles).find("without a row"), std::string::npos);
  EXPECT_NE(refusal_of("[3/3] Executing 'gpukernsum' stats report\n").find("without a table"), std::string::npos);
}

TEST(NsysStats, LeavesOutRowsThatAreDamaged) {
  const model::Session session =
      session_of(summary("50.0,500,1,500.0,500.0,500,500,0.0,axpy\n20.0,200,-3,1.0,1.0,1,1,0.0,minus\n10.0,100,0.5,1.0,1.0,1,1,0.0,half\n"
                         "10.0,100,1e300,1.0,1.0,1,1,0.0,many\n10.0,x,1,1.0,1.0,1,1,0.0,letters\nloss,0.5,step\n10.0,100"));
  EXPECT_EQ(session.launches, 1u);
  EXPECT_TRUE(has_note(session, "a row is cut off or damaged; not counted (5 times)"));
}

TEST(NsysStats, TakesNoImpossibleTime) {
  const model::Session session = session_of(
      summary("50.0,-500,1,500.0,500.0,500,500,0.0,minus\n50.0,1e30,1,500.0,500.0,500,500,0.0,eternal\n1.0,5,1,5.0,5.0,5,5,0.0,axpy\n"));
  EXPECT_EQ(session.launches, 3u);
  EXPECT_EQ(session.timed_launches, 1u);
  EXPECT_TRUE(has_note(session, "less than 0 is impossible"));
  EXPECT_TRUE(has_note(session, "no possible number"));
}

}  // namespace
}  // namespace frx::ingest
