#include "capture/step_tail.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::capture {
namespace {

// The stream of a run, which is written piece by piece.
struct Stream {
  TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  std::string path = folder.file("trace.jsonl");
  StepTail tail{path};

  void append(const std::string& text) const { std::ofstream(path, std::ios::app) << text; }
};

std::string end_of_step(int id, long time_ns, const std::string& more = "", const std::string& span = "") {
  return fmt::format(
      R"({{"event_type":"step_end","timestamp_ns":{},"step_id":{},"span_id":"{}","duration_ns":900,"payload":{{"step_kind":"train","status":"ok"{}}}}})"
      "\n",
      time_ns, id, span.empty() ? fmt::format("step-{}", id) : span, more);
}

TEST(StepTail, HasNoStepsBeforeThereIsAFile) {
  Stream stream;
  EXPECT_TRUE(stream.tail.read().empty());
}

TEST(StepTail, ReadsWhatWasAddedSince) {
  Stream stream;
  stream.append(R"({"event_type":"step_start","timestamp_ns":100,"step_id":0,"payload":{"step_kind":"train"}})"
                "\n" +
                end_of_step(0, 1000));
  EXPECT_EQ(stream.tail.read().size(), 1U);
  stream.append(end_of_step(1, 3000, R"(,"loss":0.25)"));
  const std::vector<LiveStep>& steps = stream.tail.read();
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[1].step_id, 1);
  EXPECT_EQ(steps[1].end_ns, 3000);
  EXPECT_EQ(steps[1].duration_ns, 900);
  EXPECT_EQ(steps[1].status, "ok");
  EXPECT_EQ(steps[1].kind, "train");
  EXPECT_EQ(steps[1].loss, 0.25);
  EXPECT_EQ(steps[0].loss, std::nullopt);
  EXPECT_EQ(steps[0].batch_size, std::nullopt);
}

TEST(StepTail, WaitsForTheEndOfALine) {
  Stream stream;
  const std::string line = end_of_step(0, 1000);
  for (const char byte : line.substr(0, line.size() - 1)) {
    stream.append(std::string(1, byte));
    EXPECT_TRUE(stream.tail.read().empty());
  }
  stream.append("\n");
  EXPECT_EQ(stream.tail.read().size(), 1U);
  EXPECT_EQ(stream.tail.bad_lines(), 0U);
}

TEST(StepTail, TakesTheLossThatIsWrittenLater) {
  Stream stream;
  stream.append(end_of_step(0, 1000) + end_of_step(1, 2000) + end_of_step(0, 1000, R"(,"loss":"nan")"));
  const std::vector<LiveStep>& steps = stream.tail.read();
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_TRUE(steps[0].loss && std::isnan(*steps[0].loss));
  EXPECT_EQ(steps[1].step_id, 1);
}

TEST(StepTail, ReadsLossesThatAreNotFinite) {
  Stream stream;
  stream.append(end_of_step(0, 1, R"(,"loss":"inf")") + end_of_step(1, 2, R"(,"loss":"-inf")") + end_of_step(2, 3, R"(,"loss":"high")"));
  const std::vector<LiveStep>& steps = stream.tail.read();
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].loss, std::numeric_limits<double>::infinity());
  EXPECT_EQ(steps[1].loss, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(steps[2].loss, std::nullopt);
}

TEST(StepTail, KnowsTheBatchOfAStep) {
  Stream stream;
  stream.append(R"({"event_type":"shape_snapshot","timestamp_ns":5,"step_id":0,"payload":{"batch_size":64,"shapes":{"0":[64,3]}}})"
                "\n" +
                end_of_step(0, 1000) + end_of_step(1, 2000) + end_of_step(0, 1000, R"(,"loss":1)"));
  const std::vector<LiveStep>& steps = stream.tail.read();
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].batch_size, 64);
  EXPECT_EQ(steps[0].loss, 1.0);
  EXPECT_EQ(steps[1].batch_size, std::nullopt);
}

TEST(StepTail, SkipsAndCountsWhatIsNoEvent) {
  Stream stream;
  stream.append("half of a li\n\n[1]\n{\"event_type\":\"step_end\"\n" + end_of_step(0, 1000) +
                R"({"event_type":"step_end","timestamp_ns":"late","step_id":1,"payload":{}})"
                "\n");
  EXPECT_EQ(stream.tail.read().size(), 1U);
  EXPECT_EQ(stream.tail.bad_lines(), 3U);
}

TEST(StepTail, SkipsALineThatIsTooLong) {
  Stream stream;
  const std::string mib(std::size_t{1} << 20, 'x');
  stream.append(mib);
  EXPECT_TRUE(stream.tail.read().empty());
  stream.append("and more" + mib);
  EXPECT_TRUE(stream.tail.read().empty());
  stream.append("\n" + end_of_step(0, 1000));
  EXPECT_EQ(stream.tail.read().size(), 1U);
  EXPECT_EQ(stream.tail.bad_lines(), 1U);
}

TEST(StepTail, BeginsAgainWithAnotherFile) {
  Stream stream;
  stream.append(end_of_step(0, 1000) + end_of_step(1, 2000));
  EXPECT_EQ(stream.tail.read().size(), 2U);
  const std::string other = stream.folder.file("other");
  std::ofstream(other) << end_of_step(7, 9000) << end_of_step(8, 9500) << end_of_step(9, 9900);
  std::filesystem::rename(other, stream.path);
  ASSERT_EQ(stream.tail.read().size(), 3U);
  EXPECT_EQ(stream.tail.read()[0].step_id, 7);
  std::ofstream(stream.path, std::ios::trunc) << end_of_step(4, 100);
  ASSERT_EQ(stream.tail.read().size(), 1U);
  EXPECT_EQ(stream.tail.read()[0].step_id, 4);
}

TEST(StepTail, ForgetsStepsAndGoesOn) {
  Stream stream;
  stream.append(end_of_step(0, 1000) + end_of_step(1, 2000));
  EXPECT_EQ(stream.tail.read().size(), 2U);
  stream.tail.forget_steps();
  EXPECT_TRUE(stream.tail.read().empty());
  stream.append(end_of_step(1, 2000, R"(,"loss":0.5)") + end_of_step(2, 3000) + end_of_step(2, 3000, R"(,"loss":0.25)"));
  const std::vector<LiveStep>& steps = stream.tail.read();
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].step_id, 2);
  EXPECT_EQ(steps[0].loss, 0.25);
}

TEST(StepTail, IsNotCutWhereStepsAreForgotten) {
  Stream stream;
  std::size_t seen = 0;
  for (int part = 0; part < 2; ++part) {
    std::string lines;
    for (int i = 0; i < 150'000; ++i) lines += end_of_step(part * 150'000 + i, 1000);  // more at once than a tail holds
    stream.append(lines);
    do {
      seen += stream.tail.read().size();
      stream.tail.forget_steps();
    } while (stream.tail.has_more());
  }
  EXPECT_EQ(seen, 300'000U);
  EXPECT_FALSE(stream.tail.is_cut());
}

// Steps end at 1, 3 and 6 ms; the first took 0.9 us itself.
TEST(StepTimes, CountTheWaitForTheBatch) {
  const std::vector<LiveStep> steps = {{.step_id = 0, .end_ns = 1'000'000, .duration_ns = 900, .status = "ok"},
                                       {.step_id = 1, .end_ns = 3'000'000, .duration_ns = 900, .status = "ok"},
                                       {.step_id = 2, .end_ns = 6'000'000, .duration_ns = 900, .status = "ok"}};
  EXPECT_EQ(step_times_ms(steps, 0), (std::vector<double>{0.0009, 2, 3}));
  EXPECT_EQ(step_times_ms(steps, 2), (std::vector<double>{3}));
  EXPECT_TRUE(step_times_ms(steps, 4).empty());
}

TEST(StepTimes, LeaveOutWhatDidNotEndWell) {
  const std::vector<LiveStep> steps = {{.step_id = 0, .end_ns = 1'000'000, .status = "ok"},
                                       {.step_id = 1, .end_ns = 3'000'000, .status = "error"},
                                       {.step_id = 2, .end_ns = 6'000'000, .status = "ok"}};
  EXPECT_EQ(step_times_ms(steps, 0), (std::vector<double>{3}));
}

}  // namespace
}  // namespace frx::capture
