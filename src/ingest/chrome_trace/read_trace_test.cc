#include "ingest/chrome_trace/read_trace.h"

#include <gtest/gtest.h>

#include "ingest/chrome_trace/testing.h"

namespace frx::ingest::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;
using model::EventKind;
using model::Timeline;

std::string refusal(const std::string& text) {
  const std::unique_ptr<ByteSource> source = open_bytes(text);
  const Result<Timeline> timeline = read_trace("t.json", *source);
  return timeline ? "read" : to_string(timeline.error());
}

std::string all_notes(const Timeline& timeline) {
  std::string text;
  for (const model::Note& note : timeline.notes) text += note.text + "\n";
  return text;
}

const std::string op_before_kernels = event("cpu_op", "aten::mm", "1/1", 0, 1);
const std::string kernel = event("kernel", "sgemm", "0/7", 1000.25, 2.5, R"("correlation": 5, "device": 0, "stream": 7)");

TEST(ReadTrace, TakesTheColumnsOfAnEvent) {
  const Timeline t = trace_of(trace_with(kernel));
  ASSERT_EQ(t.size(), 1u);
  EXPECT_EQ(t.start[0], 1000250);
  EXPECT_EQ(t.duration[0], 2500);
  EXPECT_EQ(t.name_of(0), "sgemm");
  EXPECT_EQ(t.correlation[0], 5u);
  EXPECT_EQ(t.external[0], Timeline::no_id);
  EXPECT_EQ(t.kind[0], EventKind::kernel);
  EXPECT_EQ(t.tracks[t.track[0]].stream, 7);
  EXPECT_FALSE(t.whole_microseconds);
}

TEST(ReadTrace, ReadsABareArrayOfTheFirstRelease) {
  const Timeline t = trace_of(R"([
  { "ph": "X", "cat": "Operator", "name": "ProfilerStep#3", "pid": 57, "tid": "361", "ts": 1608036516993663, "dur": 19, "args": {} },
  { "ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": "stream 20", "ts": 1608036516993670, "dur": 1, "args": {"external id": 4} } ])");
  EXPECT_EQ(t.kind[0], EventKind::annotation);
  EXPECT_EQ(t.start[0], 1608036516993663000);
  EXPECT_EQ(t.tracks[t.track[1]].stream, 20);
  EXPECT_EQ(t.external[1], 4u);
  EXPECT_TRUE(t.whole_microseconds);
}

// Nineteen digits: a double would lose the nanoseconds.
TEST(ReadTrace, KeepsEveryNanosecondOfAnAbsoluteTime) {
  const Timeline t =
      trace_of(trace_with(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1715000000123456.789,"dur":"1.001"})"));
  EXPECT_EQ(t.start[0], 1715000000123456789);
  EXPECT_EQ(t.duration[0], 1001);
}

// What a tool writes that subtracted in floating point.
TEST(ReadTrace, RoundsBeyondTheNanosecond) {
  const Timeline t = trace_of(trace_with(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":12.300999999999998,"dur":2.00049})"));
  EXPECT_EQ(t.start[0], 12301);
  EXPECT_EQ(t.duration[0], 2000);
}

TEST(ReadTrace, ReadsWhatStandsBesideTheEvents) {
  const Timeline t = trace_of(
      R"({"deviceProperties": [{"id": 0, "name": "GPU", "totalGlobalMem": 100, "numSms": 28, "computeMajor": 8, "computeMinor": 6}],
    "pip": {"deep": [1, {"traceEvents": [1]}]}, "traceEvents": [)" +
      kernel + R"(], "cuda_runtime_version": 12040,
    "baseTimeNanoseconds": 1775078550000000000, "distributedInfo": {"rank": 3, "world_size": 8, "backend": "nccl"}})");
  ASSERT_EQ(t.facts.gpus.size(), 1u);
  EXPECT_EQ(t.facts.gpus[0].memory_bytes, 100u);
  EXPECT_EQ(t.facts.gpus[0].cc, (model::ComputeCapability{8, 6}));
  EXPECT_EQ(t.facts.rank, 3);
  EXPECT_EQ(t.facts.runtime_version, "12.4");
  EXPECT_EQ(t.facts.base_time_ns, 1775078550000000000);
}

TEST(ReadTrace, KeepsTheShapesOfOperators) {
  const std::string dims = R"([[8, 128], [], []])";
  const auto op = [&](std::string_view key, const std::string& value) {
    return event("cpu_op", "aten::mm", "1/1", 1, 1, fmt::format(R"("{}": {})", key, value));
  };
  const std::string long_dims = "[[" + std::string(300, '7') + "]]";
  const Timeline t = trace_of(trace_with(op("Input Dims", dims) + kernel + op("Input type", dims) + op("Input Dims", "[[8, 64]]") +
                                         op("Input dims", dims) + op("Input Dims", "[[], []]") + op("Input Dims", long_dims)));
  ASSERT_EQ(t.shaped_events.size(), 4u);
  EXPECT_EQ(t.shaped_events[1], 3u);
  EXPECT_EQ(t.shapes[t.shapes_of[0]], dims);
  EXPECT_EQ(t.shapes_of[2], t.shapes_of[0]) << "as the first releases spelt it";
  EXPECT_NE(t.shapes_of[1], t.shapes_of[0]);
  EXPECT_TRUE(Timeline::is_hash_of_shapes(t.shapes_of[3])) << "too long to be kept";
}

TEST(ReadTrace, KeepsTheShapesOfKernelsWhereTheyAreAskedFor) {
  const auto launched = [](std::string_view arguments) { return event("kernel", "k", "0/7", 1, 1, std::string(arguments)); };
  const std::string text =
      trace_with(op_before_kernels + launched("\"registers per thread\": 255, \"grid\": [\n 1,\n 256,\n 3\n], \"block\": [128, 2, 1]") +
                 launched(R"("grid": [0, 1, 1], "block": [1, 1, 1])") + launched(R"("grid": [1, 2], "block": [1, 1, 1])") +
                 launched(R"("grid": "[7,1,1]", "block": [32,1,1])"));
  EXPECT_TRUE(trace_of(text).kernel_shapes.empty());
  const std::unique_ptr<ByteSource> source = open_bytes(text);
  const Timeline t = read_trace("t.json", *source, {.kernel_shapes = true}).value();
  ASSERT_EQ(t.kernel_shapes.size(), 2u);
  const model::KernelShape& first = t.kernel_shapes[0];
  EXPECT_EQ(first.event, 1u);
  EXPECT_EQ(first.grid, (std::array<std::uint32_t, 3>{1, 256, 3}));
  EXPECT_EQ(first.block, (std::array<std::uint32_t, 3>{128, 2, 1}));
  EXPECT_EQ(first.registers_per_thread, 255u);
  EXPECT_EQ(first.dynamic_shared_bytes, model::KernelShape::not_recorded) << "a trace adds up both kinds of shared memory";
  EXPECT_EQ(t.kernel_shapes[1].grid[0], 7u);
  EXPECT_EQ(t.kernel_shapes[1].registers_per_thread, 0u);
}

TEST(ReadTrace, CountsMemoryOfADevice) {
  const Timeline t = trace_of(trace_with(kernel + R"({"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":5,
    "args":{"Total Allocated":10,"Total Reserved":20,"Device Type":1,"Device Id":2,"Bytes":-4}})"));
  ASSERT_EQ(t.memory.size(), 1u);
  EXPECT_EQ(t.memory[0].device, 2);
  EXPECT_EQ(t.memory[0].reserved_bytes, 20u);
}

TEST(ReadTrace, UsesWhatCameBeforeTheFileWasCut) {
  const std::string whole = trace_with(kernel + kernel + kernel);
  const Timeline t = trace_of(whole.substr(0, whole.size() - 60));
  EXPECT_EQ(t.size(), 2u);
  EXPECT_NE(all_notes(t).find("the file ends inside the list of events, behind 2 events"), std::string::npos) << all_notes(t);
}

TEST(ReadTrace, GoesOnBehindADamagedEvent) {
  const Timeline t = trace_of(trace_with(kernel + R"({"ph":"X","cat":"kernel","name" "broken","pid":0},)" + kernel));
  EXPECT_EQ(t.size(), 2u);
  EXPECT_NE(all_notes(t).find("1 damaged place"), std::string::npos) << all_notes(t);
}

// PyTorch wrote names of Python frames as they are until 2026.
TEST(ReadTrace, TakesQuotesInsideANameForPartOfIt) {
  const std::string frame = R"_({"ph":"X","cat":"python_function","name":"a.py(3): f("x")","pid":1,"tid":1,"ts":1,"dur":1},)_";
  const Timeline t = trace_of(trace_with(frame + kernel));
  ASSERT_EQ(t.size(), 2u);
  EXPECT_EQ(t.name_of(0), R"_(a.py(3): f("x"))_");
}

TEST(ReadTrace, ToleratesWhatWritersWrote) {
  const Timeline t = trace_of(
      "\xEF\xBB\xBF" +
      trace_with(
          R"({"ph":"X","cat":"kernel","name":"k\u0041","pid":0,"tid":7,"ts":1,"dur":0,"args":null},)"
          R"({"ph":"X","cat":"kernel","name":"n","pid":0,"tid":7,"ts":2,"dur":1,"args":{"est. achieved occupancy %": -nan, "bytes": inf}}, 7, "x", null,)"));
  ASSERT_EQ(t.size(), 2u);
  EXPECT_EQ(t.name_of(0), "kA");
  EXPECT_NE(all_notes(t).find("3 values that are no events"), std::string::npos) << all_notes(t);
}

TEST(ReadTrace, CountsKernelsWithoutADurationInsteadOfTakingThemForZero) {
  const Timeline t = trace_of(trace_with(kernel + R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1})"));
  EXPECT_EQ(t.size(), 1u);
  EXPECT_EQ(t.untimed_kernels, 1u);
}

// Times so far apart that the time between them would not fit 64 bits.
TEST(ReadTrace, LeavesOutTimesThatNoClockShows) {
  const std::string late = R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":9000000000000000,"dur":90},)";
  const std::string early = R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":-9000000000000000,"dur":1e3},)";
  const Timeline t = trace_of(trace_with(kernel + late + early));
  EXPECT_EQ(t.size(), 1u);
  EXPECT_EQ(t.untimed_kernels, 2u);
}

TEST(ReadTrace, NoticesAClockThatStopped) {
  std::string events = kernel;
  for (int i = 0; i < 3; ++i) events += event("cpu_op", "aten::mm", "1/1", 0, 0);
  EXPECT_TRUE(trace_of(trace_with(events)).clock_broken);
  EXPECT_FALSE(trace_of(trace_with(kernel)).clock_broken);
}

TEST(ReadTrace, KeepsHugeIdentifiersApart) {
  const Timeline t = trace_of(trace_with(event("kernel", "k", "0/7", 1, 1, R"("correlation": 18446744073709551615)") +
                                         event("kernel", "k", "0/7", 2, 1, R"("correlation": 18446744073709551614)") +
                                         event("kernel", "k", "0/7", 3, 1, R"("correlation": 18446744073709551615)")));
  EXPECT_EQ(t.correlation[0], t.correlation[2]);
  EXPECT_NE(t.correlation[0], t.correlation[1]);
}

TEST(ReadTrace, SaysThatMoreStandsBehindIt) {
  EXPECT_NE(all_notes(trace_of(trace_with(kernel) + "{}")).find("more data follows the trace, at byte"), std::string::npos);
}

TEST(ReadTrace, ReadsAValueLongerThanItsWindow) {
  const std::string name(3 << 20, 'n');
  EXPECT_EQ(trace_of(trace_with(event("kernel", name, "0/7", 1, 1) + kernel)).name_of(0).size(), name.size());
}

TEST(ReadTrace, NeedsNoStackForNesting) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_EQ(trace_of(trace_with(event("kernel", "k", "0/7", 1, 1, R"("x": )" + deep))).size(), 1u);
}

TEST(ReadTrace, IsNotTakenForAPageOfNsightCompute) {
  EXPECT_TRUE(may_be_trace("\xEF\xBB\xBF {\n  \"schemaVersion\": 1"));
  EXPECT_TRUE(may_be_trace("[\n\n  {\n    \"ph\": \"X\""));
  EXPECT_FALSE(may_be_trace("[7592] vectorAdd@127.0.0.1"));
  EXPECT_FALSE(may_be_trace("==PROF== Connected to process 7592"));
  EXPECT_FALSE(may_be_trace("{{template}}"));
  EXPECT_FALSE(may_be_trace(""));
}

TEST(ReadTrace, RefusesWhatIsNoTraceOfTheProfiler) {
  EXPECT_EQ(refusal(""), "t.json: the file is empty");
  EXPECT_NE(refusal("{}").find("expected a trace with 'traceEvents', found other JSON"), std::string::npos);
  EXPECT_NE(refusal(R"({"schema_version": "1.1", "capture_metadata": {}, "operators": []})").find("frx operators report"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"traceEvents": []})").find("has no events"), std::string::npos);
  EXPECT_NE(refusal(trace_with(event("tf", "op", "1/1", 1, 1))).find("not one of the PyTorch profiler"), std::string::npos);
  EXPECT_NE(refusal("x").find("t.json: byte 0: expected a trace in JSON, found 'x'"), std::string::npos) << refusal("x");
  EXPECT_NE(refusal(R"({"a": )").find("byte"), std::string::npos);
}

TEST(ReadTrace, KeepsWhatWritersSayOfACollective) {
  const std::string arguments =
      R"("Collective name": "allreduce", "In msg nelems": 100, "Out msg nelems": 200, "dtype": "Float", "Process Group Name": "0",)"
      R"( "Process Group Ranks": "[0, 1]")";
  const Timeline t = trace_of(trace_with(kernel + event("kernel", "ncclDevKernel_AllReduce", "0/17", 2000, 8, arguments)));
  ASSERT_EQ(t.collectives.size(), 1u);
  const model::CollectiveArguments& one = t.collectives[0];
  EXPECT_EQ(one.event, 1u);
  EXPECT_EQ(t.names[one.name], "allreduce");
  EXPECT_EQ(t.names[one.type], "Float");
  EXPECT_EQ(t.names[one.group], "0");
  EXPECT_EQ(t.names[one.group_ranks], "[0, 1]");
  EXPECT_EQ(one.in_elements, 100u);
  EXPECT_EQ(one.out_elements, 200u);
}

TEST(ReadTrace, KnowsTheRankOfATrackInAFileMergedFromSeveral) {
  const Timeline t = trace_of(trace_with(kernel + event("kernel", "sgemm", "100000003/7", 1000, 2, R"("device": 3, "rank": 1)")));
  EXPECT_EQ(t.tracks[t.track[0]].rank, -1);
  EXPECT_EQ(t.tracks[t.track[1]].rank, 1);
  EXPECT_EQ(t.tracks[t.track[1]].device, 3);
}

// Checksum and length of a compressed file stand behind the last byte of the text.
TEST(ReadTrace, ACompressedTraceIsCheckedToItsEnd) {
  class Failing : public ByteSource {
   public:
    explicit Failing(std::string text) : text_(std::move(text)) {}
    Result<std::size_t> read(std::span<char> buffer) override {
      if (given_ == text_.size()) return fail(ErrorKind::malformed, "the compressed data is damaged");
      const std::size_t size = std::min(buffer.size(), text_.size() - given_);
      std::copy_n(text_.data() + given_, size, buffer.data());
      given_ += size;
      return size;
    }

   private:
    std::string text_;
    std::size_t given_ = 0;
  };
  Failing source(testing::trace_with(testing::event("kernel", "k", "0/7", 0, 5)));
  const Result<Timeline> timeline = read_trace("t.json.gz", source);
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->size(), 1u);
  EXPECT_NE(all_notes(*timeline).find("the compressed data is damaged behind the trace"), std::string::npos) << all_notes(*timeline);
}

}  // namespace
}  // namespace frx::ingest::trace
