#include "ingest/nsys/read_export.h"

#include <gmock/gmock.h>

#include "derive/trace/attribution.h"
#include "ingest/nsys/testing.h"

namespace frx::ingest::nsys {
namespace {

using model::EventKind;
using model::Timeline;
using testing::ExportBuilder;
using ::testing::HasSubstr;
using testing::process_id;
using testing::thread_id;

Timeline timeline_of(const ExportBuilder& database) {
  Result<Timeline> read = database.read();
  if (!read) {
    ADD_FAILURE() << to_string(read.error());
    return {};
  }
  return std::move(*read);
}

std::uint32_t row_called(const Timeline& timeline, std::string_view name) {
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.name_of(row) == name) return row;
  }
  ADD_FAILURE() << "no event " << name;
  return 0;
}

// The operator of a kernel, "" without one.
std::string operator_of(const Timeline& timeline, std::string_view kernel) {
  for (const derive::trace::GpuWork& one : derive::trace::attribute(timeline).work) {
    if (timeline.name_of(one.event) == kernel) return one.op == derive::trace::none ? "" : std::string(timeline.name_of(one.op));
  }
  return "no such kernel";
}

TEST(NsysExport, KernelsBelongToTheRangeAroundTheirLaunch) {
  ExportBuilder database;
  database.range(100, "900", "aten::linear, seq = 3, op_id = 1, sizes = [[8, 16], [4, 16], []]")
      .range(200, "800", "aten::addmm, op_id = 2")
      .call(300, 310, 5, "cudaLaunchKernel_v7000")
      .kernel(1000, 3000, 5, "sgemm");
  const Timeline timeline = timeline_of(database);
  EXPECT_EQ(operator_of(timeline, "sgemm"), "aten::addmm");
  const std::uint32_t kernel = row_called(timeline, "sgemm"), linear = row_called(timeline, "aten::linear");
  EXPECT_EQ(timeline.start[kernel], 1000);
  EXPECT_EQ(timeline.duration[kernel], 2000);
  EXPECT_EQ(timeline.tracks[timeline.track[kernel]].device, 0);
  EXPECT_EQ(timeline.tracks[timeline.track[kernel]].stream, 7);
  EXPECT_EQ(timeline.kind[linear], EventKind::cpu_op);
  EXPECT_EQ(timeline.tracks[timeline.track[linear]].pid, "1");
  EXPECT_EQ(timeline.tracks[timeline.track[linear]].tid, "10");
  ASSERT_EQ(timeline.shaped_events.size(), 1u);
  EXPECT_EQ(timeline.shapes[timeline.shapes_of[0]], "[[8, 16], [4, 16], []]");
  ASSERT_EQ(timeline.numbered_events.size(), 1u);
  EXPECT_EQ(timeline.sequence[0], 3u);
  EXPECT_EQ(timeline.kind[row_called(timeline, "cudaLaunchKernel")], EventKind::runtime);
}

// Correlations count from 1 in each process.
TEST(NsysExport, CorrelationsOfProcessesAreNotMixed) {
  ExportBuilder database;
  for (const int pid : {1, 2}) {
    const std::string name = pid == 1 ? "aten::mm, op_id = 1" : "aten::add, op_id = 1";
    database.range(100, "900", name, 10, 59, 0, pid).call(300, 310, 5, "cudaLaunchKernel_v7000", pid);
    database.kernel(1000, 3000, 5, pid == 1 ? "first" : "second", pid, pid - 1);
  }
  const Timeline timeline = timeline_of(database);
  EXPECT_EQ(operator_of(timeline, "first"), "aten::mm");
  EXPECT_EQ(operator_of(timeline, "second"), "aten::add");
}

TEST(NsysExport, TwoProcessesOnOneStreamHaveTwoTracks) {
  ExportBuilder database;
  database.kernel(10, 20, 1, "first", 1).kernel(15, 25, 1, "second", 2);
  const Timeline timeline = timeline_of(database);
  EXPECT_NE(timeline.track[0], timeline.track[1]);
  EXPECT_EQ(timeline.tracks[timeline.track[0]].device, timeline.tracks[timeline.track[1]].device);
}

TEST(NsysExport, TextsMayBeRegistered) {
  ExportBuilder database;
  database.registered_range(100, 900, "step 1").kernel(10, 20, 1, "k");
  const Timeline timeline = timeline_of(database);
  EXPECT_EQ(timeline.kind[row_called(timeline, "step 1")], EventKind::annotation);
}

TEST(NsysExport, RangesThatDidNotEndLastAsLongAsTheRecording) {
  ExportBuilder database;
  database.range(100, "NULL", "training").kernel(200, 5000, 1, "k");
  const Timeline timeline = timeline_of(database);
  EXPECT_EQ(timeline.end(row_called(timeline, "training")), 5000);
  ASSERT_FALSE(timeline.notes.empty());
  EXPECT_THAT(timeline.notes[0].text, HasSubstr("1 range had not ended"));
}

// Ranges of NCCL or CUB are calls of a library; a program may have a domain, too.
TEST(NsysExport, RangesOfLibrariesAreOperators) {
  ExportBuilder database;
  database.range(0, "NULL", "CCCL", 10, 75, 1).range(0, "NULL", "my program", 10, 75, 2);
  database.range(100, "900", "cub::DeviceReduce::Sum", 10, 59, 1).range(50, "950", "part", 10, 59, 2);
  database.call(300, 310, 5, "cudaLaunchKernel_v7000").kernel(1000, 3000, 5, "reduce");
  const Timeline timeline = timeline_of(database);
  EXPECT_EQ(timeline.kind[row_called(timeline, "cub::DeviceReduce::Sum")], EventKind::cpu_op);
  EXPECT_EQ(timeline.kind[row_called(timeline, "part")], EventKind::annotation);
  EXPECT_EQ(operator_of(timeline, "reduce"), "cub::DeviceReduce::Sum");
}

// They need not be nested, so they enclose nothing.
TEST(NsysExport, RangesThatBeginAndEndAnywhereStandApart) {
  ExportBuilder database;
  database.range(100, "900", "request 7", 10, 60).range(150, "400", "aten::mm, op_id = 1");
  database.call(300, 310, 5, "cudaLaunchKernel_v7000").kernel(1000, 3000, 5, "gemm");
  const Timeline timeline = timeline_of(database);
  EXPECT_NE(timeline.track[row_called(timeline, "request 7")], timeline.track[row_called(timeline, "aten::mm")]);
  EXPECT_EQ(operator_of(timeline, "gemm"), "aten::mm");
}

TEST(NsysExport, CopiesHaveBytesAndMemories) {
  ExportBuilder database;
  database.run(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, "
      "globalPid "
      "INT, bytes INT, copyKind INT, srcKind INT, dstKind INT)");
  database.run(
      fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (10, 20, 0, 1, 7, 3, {0}, 4096, 1, 0, 2), (30, 40, 0, 0, 0, 0, "
                  "{0}, 65536, 11, 7, 7), (50, 60, 0, 1, 7, 4, {0}, NULL, 2, 2, 1)",
                  process_id(1)));
  const Timeline timeline = timeline_of(database);
  EXPECT_EQ(timeline.name_of(0), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(timeline.name_of(1), "Unified Memory HtoD");
  EXPECT_EQ(timeline.tracks[timeline.track[1]].stream, -1) << "no stream orders copies of managed memory";
  EXPECT_EQ(timeline.copy_events, (std::vector<std::uint32_t>{0, 1})) << "bytes that are not known are not zero";
  EXPECT_EQ(timeline.copy_bytes, (std::vector<std::uint64_t>{4096, 65536}));
}

TEST(NsysExport, GraphsAreWorkWithoutKernels) {
  ExportBuilder database;
  database.run(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, "
      "globalPid INT, graphId INT, graphExecId INT)");
  database.run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (10, 90, 0, 1, 7, 3, {}, 4, 5)", process_id(1)));
  const Timeline timeline = timeline_of(database);
  ASSERT_EQ(timeline.size(), 1u);
  EXPECT_EQ(timeline.kind[0], EventKind::graph);
  EXPECT_EQ(timeline.name_of(0), "CUDA graph 4");
  EXPECT_THAT(timeline.notes[0].text, HasSubstr("--cuda-graph-trace=node"));
}

// The tables of 2020 have other columns than those of 2026.
TEST(NsysExport, GpusOfOldAndNewSchemas) {
  ExportBuilder old_one, new_one;
  old_one.kernel(10, 20, 1, "k")
      .run(
          "CREATE TABLE TARGET_INFO_CUDA_GPU (deviceId INT, name TEXT, globalMemorySize INT, numMultiprocessors INT, "
          "computeCapabilityMajor INT, "
          "computeCapabilityMinor INT); INSERT INTO TARGET_INFO_CUDA_GPU VALUES (2, 'A100', 42297524224, 108, 8, 0)");
  new_one.kernel(10, 20, 1, "k")
      .run(
          "CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, totalMemory INT, smCount INT, computeMajor INT, computeMinor INT, cuDevice "
          "INT); "
          "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100', 85095874560, 132, 9, 0, 5); "
          "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT, cudaId INT, pid INT); INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 1, 99)");
  const Timeline first = timeline_of(old_one), second = timeline_of(new_one);
  ASSERT_EQ(first.facts.gpus.size(), 1u);
  EXPECT_EQ(first.facts.gpus[0].id, 2);
  EXPECT_EQ(first.facts.gpus[0].sms, 108u);
  ASSERT_EQ(second.facts.gpus.size(), 1u);
  EXPECT_EQ(second.facts.gpus[0].id, 1) << "its number in CUDA, which kernels name";
  EXPECT_EQ(second.facts.gpus[0].cc, (model::ComputeCapability{9, 0}));
}

TEST(NsysExport, LostEventsAreTold) {
  ExportBuilder database;
  database.kernel(10, 20, 1, "k")
      .run(
          "CREATE TABLE DIAGNOSTIC_EVENT (severity INT, text TEXT); INSERT INTO DIAGNOSTIC_EVENT VALUES "
          "(1, 'Profiling has started.'), (2, 'Not all CUDA events might have been collected.'), (2, 'No NVTX events collected.')");
  const Timeline timeline = timeline_of(database);
  ASSERT_EQ(timeline.notes.size(), 1u);
  EXPECT_EQ(timeline.notes[0].text, "Nsight Systems says: Not all CUDA events might have been collected.");
}

TEST(NsysExport, EventsWithoutTimesAreLeftOut) {
  ExportBuilder database;
  database.kernel(10, 20, 1, "good").kernel(30, 20, 2, "ends before it begins");
  database.run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ('soon', NULL, 0, 1, 7, 3, {}, 0, NULL)", process_id(1)));
  const Timeline timeline = timeline_of(database);
  EXPECT_EQ(timeline.size(), 1u);
  EXPECT_EQ(timeline.untimed_kernels, 2u);
  EXPECT_THAT(timeline.notes[0].text, HasSubstr("2 events without a usable time"));
}

std::string error_of(const std::string& bytes) {
  const Result<Timeline> read = read_export("run.sqlite", random_access_to(bytes));
  return read ? "no error" : to_string(read.error());
}

TEST(NsysExport, OtherFilesAreRefused) {
  EXPECT_THAT(error_of("SQLite format 3"), HasSubstr("run.sqlite: expected a database of SQLite"));
  EXPECT_THAT(error_of(std::string(5000, 'x')), HasSubstr("file is not a database"));
  ExportBuilder empty, other;
  EXPECT_THAT(error_of(empty.bytes()), HasSubstr("without GPU work"));
  EXPECT_THAT(error_of(other.run("DROP TABLE StringIds; CREATE TABLE people (name TEXT)").bytes()), HasSubstr("no table StringIds"));
}

// Nothing that the file would compute is computed: a view could go on for ever.
TEST(NsysExport, ViewsAndComputedColumnsAreNotRead) {
  ExportBuilder database;
  database.run(
      "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS start, x + 1 "
      "AS "
      "end FROM n");
  database.run(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT GENERATED ALWAYS AS (length(hex(zeroblob(1000000))))); INSERT INTO "
      "CUPTI_ACTIVITY_KIND_RUNTIME (start) VALUES (1)");
  EXPECT_THAT(error_of(database.bytes()), HasSubstr("without GPU work"));
}

TEST(NsysExport, ADamagedTableCountsUpToItsDamage) {
  ExportBuilder database;
  for (int i = 0; i < 2000; ++i) database.kernel(i * 100, i * 100 + 50, i + 1, "k");
  std::string bytes = database.bytes();
  const std::size_t page = 4096;
  for (std::size_t at = bytes.size() / page / 2 * page; at < bytes.size(); at += page) bytes[at] = '\x55';  // no page begins like this
  const Result<Timeline> read = read_export("run.sqlite", random_access_to(bytes));
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_GT(read->size(), 0u);
  EXPECT_LT(read->size(), 2000u);
  EXPECT_TRUE(read->cut_short);
}

// The graph that runs is a copy (node 70) of the one that was captured (node 7), inside of aten::mm and before the first step.
TEST(NsysExport, KernelsOfGraphsBelongToWhatCapturedThem) {
  ExportBuilder database;
  database.range(100, "200", "aten::mm, op_id = 1")
      .graph_node(150, 7, 0)
      .graph_node(300, 70, 7)
      .graph_node(310, 80, 8)
      .range(1000, "2000", "step")
      .call(1100, 1110, 5, "cudaGraphLaunch_v10000")
      .graph_kernel(1200, 1300, 5, "gemm", 70)
      .graph_kernel(1300, 1400, 5, "lost", 80)
      .kernel(1400, 1500, 6, "eager");
  const Timeline timeline = timeline_of(database);
  EXPECT_EQ(operator_of(timeline, "gemm"), "aten::mm");
  EXPECT_EQ(operator_of(timeline, "lost"), "step") << "its node was captured before the recording began";
  EXPECT_EQ(operator_of(timeline, "eager"), "");
  ASSERT_EQ(timeline.captured.size(), 1u);
  EXPECT_EQ(timeline.start[timeline.captured[0].capture], 150);
}

// Rows are not by time; memory of the host (kind 1) and managed memory (4) are none of the GPU.
TEST(NsysExport, AllocationsAddUpToTheMemoryInUse) {
  ExportBuilder database;
  database.kernel(10, 20, 1, "k")
      .run(
          "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INT, deviceId INT, bytes INT, memKind INT, memoryOperationType INT);"
          "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (30, 0, 100, 2, 1), (10, 0, 100, 2, 0), (20, 0, 50, 3, 0), (15, 0, 7, 1, 0), "
          "(16, 0, 7, 4, 0), (25, 1, 8, 2, 0), (40, 0, 500, 2, 1), (50, -1, 5, 2, 0), (60, 0, -5, 2, 0), (70, 0, 5, 2, 9)");
  std::vector<std::string> seen;
  for (const model::MemorySample& one : timeline_of(database).memory)
    seen.push_back(fmt::format("{}: {} on {}", one.time_ns, one.reserved_bytes, one.device));
  EXPECT_THAT(seen, ::testing::ElementsAre("10: 100 on 0", "20: 150 on 0", "25: 8 on 1", "30: 50 on 0", "40: 0 on 0"));
}

// The lowest byte of a type is the GPU. Kernels run from 10 to 20 and from 15 to 30 on GPU 0, and never on GPU 1.
TEST(NsysExport, SampledMetricsAreSummedUp) {
  ExportBuilder database;
  database.kernel(10, 20, 1, "k")
      .kernel(15, 30, 2, "k")
      .run(
          "CREATE TABLE TARGET_INFO_GPU_METRICS (metricId INT, metricName TEXT, typeName TEXT, typeId INT, sourceId INT);"
          "CREATE TABLE GPU_METRICS (timestamp INT, typeId INT, metricId INT, value INT);"
          "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (1, 'SMs Active [Throughput %]', 'GPU', 256, 0), (2, 'Never sampled', 'GPU', 256, 0),"
          "  (1, 'SMs Active [Throughput %]', 'GPU', 257, 0), (3, '', 'GPU', 256, 0);"
          "INSERT INTO GPU_METRICS VALUES (40, 256, 1, 0), (5, 256, 1, 10), (10, 256, 1, 80), (29, 256, 1, 40), (30, 256, 1, 20), (12, "
          "257, 1, 7),"
          "  (12, 256, 3, 9), (12, 256, 9, 9), (12, NULL, 1, 9), (12, 256, 1, 'x'), (12, 256, 1, 9e999);");
  const Timeline timeline = timeline_of(database);
  ASSERT_EQ(timeline.gpu_metrics.size(), 2u);
  const model::GpuMetric& active = timeline.gpu_metrics[0];
  EXPECT_EQ(active.device, 0);
  EXPECT_EQ(active.name, "SMs Active [Throughput %]");
  EXPECT_EQ(active.samples, 5u);
  EXPECT_DOUBLE_EQ(active.mean, 30);
  EXPECT_DOUBLE_EQ(active.largest, 80);
  EXPECT_EQ(active.busy_samples, 2u) << "a kernel does not run any more when it ends";
  EXPECT_DOUBLE_EQ(active.busy_mean.value_or(0), 60);
  EXPECT_EQ(timeline.gpu_metrics[1].device, 1);
  EXPECT_EQ(timeline.gpu_metrics[1].busy_mean, std::nullopt);
}

TEST(NsysExport, CopiesOfNodesInACircleHaveNoCapture) {
  ExportBuilder database;
  database.graph_node(100, 7, 8).graph_node(110, 8, 7).call(200, 210, 5, "cudaGraphLaunch_v10000").graph_kernel(300, 310, 5, "k", 7);
  EXPECT_TRUE(timeline_of(database).captured.empty());
}

// Programs that read a database while it is written leave it so.
TEST(NsysExport, ADatabaseWithAWriteAheadLogIsRead) {
  ExportBuilder database;
  std::string bytes = database.kernel(10, 20, 1, "k").bytes();
  bytes[18] = bytes[19] = 2;
  const Result<Timeline> read = read_export("run.sqlite", random_access_to(bytes));
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->size(), 1u);
}

TEST(NsysExport, CanBeStopped) {
  ExportBuilder database;
  database.kernel(10, 20, 1, "k");
  std::stop_source stop;
  stop.request_stop();
  const std::string bytes = database.bytes();
  const Result<Timeline> read = read_export("run.sqlite", random_access_to(bytes), {}, stop.get_token());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::stopped);
}

}  // namespace
}  // namespace frx::ingest::nsys
