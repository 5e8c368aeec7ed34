#include "ingest/run_events/read_events.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace frx::ingest {
namespace {

using model::HostTime;
using model::RunRecord;

RunRecord record_of(const std::string& events, const std::string& samples = "") {
  RunRecord record;
  EXPECT_TRUE(read_run_events(*open_bytes(events), record));
  EXPECT_TRUE(read_gpu_samples(*open_bytes(samples), record));
  return record;
}

std::string event(std::string_view type, std::string_view step, long time, long duration, std::string_view payload) {
  return fmt::format(R"({{"event_type": "{}", "step_id": {}, "timestamp_ns": {}, "duration_ns": {}, "payload": {{{}}}}})", type, step, time,
                     duration, payload) +
         "\n";
}

const std::string start = event("step_start", "1", 1000, 0, R"("step_kind": "train")");
const std::string end = event("step_end", "1", 1100, 100, R"("step_kind": "train", "status": "ok")");

TEST(RunEvents, FoldTheEventsOfAStep) {
  const RunRecord record = record_of(
      start + event("dataloader_span", "1", 1030, 20, R"("stage": "next")") + event("phase_span", "1", 0, 0, R"("phase_name": "forward")") +
      event("phase_span", "1", 0, 30, R"("phase_name": "forward")") + event("memcpy_span", "1", 0, 7, R"("copy_kind": "h2d")") +
      event("memcpy_span", "1", 0, 9, R"("copy_kind": "d2h")") + event("sync_wait", "1", 0, 3, R"("wait_kind": "item")") + end);
  ASSERT_EQ(record.steps.size(), 1u);
  const model::StepTable& steps = record.steps;
  EXPECT_TRUE(steps.completed(0));
  EXPECT_EQ(steps.time(HostTime::loader, 0), 20);
  EXPECT_EQ(steps.time(HostTime::loader_before, 0), 0);
  EXPECT_EQ(steps.time(HostTime::forward, 0), 30);
  EXPECT_EQ(steps.time(HostTime::host_to_device, 0), 7);
  EXPECT_EQ(steps.time(HostTime::sync, 0), 3);
  EXPECT_FALSE(steps.recorded(HostTime::optimizer));
}

// Spec 09, B6: the batch is fetched before the step begins; its wait is part of what a step costs.
TEST(RunEvents, CountsTheWaitBeforeAStepBesideItsDuration) {
  const RunRecord record = record_of(event("dataloader_span", "1", 1000, 300, R"("stage": "next")") + start + end);
  EXPECT_EQ(record.steps.time(HostTime::loader_before, 0), 300);
  EXPECT_EQ(record.steps.total_ns(0), 400);
}

// Spec 09, B13: with gradient accumulation forward runs several times in a step.
TEST(RunEvents, AddsUpPhases) {
  const std::string forward = event("phase_span", "1", 0, 30, R"("phase_name": "forward")");
  EXPECT_EQ(record_of(start + forward + forward + end).steps.time(HostTime::forward, 0), 60);
}

// Spec 09, B6: the program counts from 0 in each epoch; with or without its loader doing the same.
TEST(RunEvents, NumberStepsOnWhereTheProgramBeginsAgain) {
  std::string events;
  long now = 1000;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (const char* id : {"0", "1"}) {
      events += event("dataloader_span", id, now + 5, 5, R"("stage": "next")") + event("step_start", id, now + 5, 0, "") +
                event("step_end", id, now + 105, 100, R"("status": "ok")");
      now += 105;
    }
  }
  const RunRecord record = record_of(events);
  ASSERT_EQ(record.steps.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(record.steps.ids[i], static_cast<std::int64_t>(i));
    EXPECT_EQ(record.steps.total_ns(i), 105) << i;
  }
  ASSERT_EQ(record.notes.size(), 1u);
}

TEST(RunEvents, GiveTheWaitOfALoaderThatCountsForItselfToTheNextStep) {
  std::string events;
  for (int step = 0; step < 6; ++step) {
    const long now = 1000 + 105 * step;
    events += event("dataloader_span", std::to_string(step % 2), now, 5, R"("stage": "next")") +
              event("step_start", std::to_string(step), now, 0, "") +
              event("step_end", std::to_string(step), now + 100, 100, R"("status": "ok")");
  }
  const RunRecord record = record_of(events);
  ASSERT_EQ(record.steps.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(record.steps.time(HostTime::loader_before, i), 5) << i;
}

// Spec 09, B14.
TEST(RunEvents, DivideTheKernelsOfAWindowAmongItsSteps) {
  const std::string window =
      event("profiler_window", "1", 0, 0, R"("window_state": "exported", "start_step": 1, "end_step": 5, "kernel_count": 500)");
  EXPECT_EQ(record_of(start + window + end).steps.kernels[0], 100);
}

TEST(RunEvents, TakesTheLastEndOfAStep) {
  const RunRecord record = record_of(start + end + event("step_end", "1", 1100, 100, R"("status": "ok", "loss": 2.5)"));
  EXPECT_EQ(record.steps.size(), 1u);
  EXPECT_EQ(record.steps.loss[0], 2.5);
}

// The SDK writes what JSON has no numbers for as text.
TEST(RunEvents, KeepALossThatIsNoNumberAnyMore) {
  const auto loss_of = [](std::string_view loss) {
    return record_of(start + event("step_end", "1", 1100, 100, fmt::format(R"("status": "ok", "loss": {})", loss))).steps.loss[0];
  };
  EXPECT_TRUE(std::isnan(loss_of("\"nan\"").value()));
  EXPECT_EQ(loss_of("\"inf\""), std::numeric_limits<double>::infinity());
  EXPECT_EQ(loss_of("\"-inf\""), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(loss_of("\"1.5\""), 1.5);
  EXPECT_EQ(loss_of("\"low\""), std::nullopt);
  EXPECT_EQ(loss_of("null"), std::nullopt);
}

TEST(RunEvents, SaysWhichStepChangedItsShape) {
  std::string events;
  for (const auto& [id, length] : {std::pair(1, 128), std::pair(2, 256), std::pair(3, 256)}) {
    events += event("shape_snapshot", std::to_string(id), 0, 0, fmt::format(R"("batch_size": 8, "shapes": {{"x": [8, {}]}})", length));
  }
  const RunRecord record = record_of(events);
  EXPECT_EQ(record.steps.shape_changed(0), false);
  EXPECT_EQ(record.steps.shape_changed(1), true);
  EXPECT_EQ(record.steps.shape_changed(2), false);
}

// Spec 09, B9: valid JSON that is no event, and members of the wrong kind.
TEST(RunEvents, LeavesOutWhatIsNoEvent) {
  const RunRecord record = record_of("123\n[1]\n\n{\"a\": 1}\n{broken\n" + start + event("step_end", "\"1\"", 0, 100, R"("status": "ok")") +
                                     "{\"event_type\": \"step_end\", \"step_id\": {}, \"payload\": null}\n");
  ASSERT_EQ(record.notes.size(), 1u);
  EXPECT_EQ(record.notes[0].text, "4 of the event stream are no events and left out");
  ASSERT_EQ(record.steps.size(), 1u);
  EXPECT_TRUE(record.steps.completed(0));  // a number written as text is a number
}

TEST(RunEvents, SurvivesTimesThatNoRunHas) {
  const std::string huge = event("sync_wait", "1", 0, 8000000000000000000, R"("wait_kind": "item")");
  EXPECT_GT(record_of(start + huge + huge + huge + huge + huge + end).steps.time(HostTime::sync, 0), 0);
}

// Sorted by id, whatever the order of their events; each keeps its own values.
TEST(RunEvents, SortsStepsById) {
  std::string events;
  for (const char* id : {"3", "1", "2"}) events += event("step_end", id, 0, 100 + *id, R"("status": "ok")");
  const RunRecord record = record_of(events + event("sync_wait", "1", 0, 7, ""));
  EXPECT_EQ(record.steps.ids, (std::vector<std::int64_t>{1, 2, 3}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(record.steps.wall_ns(i), static_cast<std::int64_t>(100 + '1' + i));
  EXPECT_EQ(record.steps.time(HostTime::sync, 0), 7);
  EXPECT_EQ(record.steps.time(HostTime::sync, 2), 0) << "waits were recorded, and this step had none";
}

// Each step has a number of its own, whatever the program calls it.
TEST(RunEvents, NumbersOnWhereAProgramCountsBackwards) {
  std::string events;
  std::int64_t time = 0;
  for (const char* id : {"1", "2", "2", "1", "3"}) {
    events += event("step_start", id, ++time, 0, "");
    events += event("step_end", id, ++time, 100, R"("status": "ok")");
  }
  EXPECT_EQ(record_of(events).steps.ids, (std::vector<std::int64_t>{1, 2, 3, 4, 6}));
}

TEST(GpuSamples, ReadMemoryInMebibytes) {
  const RunRecord record = record_of("",
                                     "timestamp,index,name,utilization.gpu,utilization.memory,memory.used,memory.total\n"
                                     "t,1,GPU, 41, [N/A], 20480, 40960\nt,1,GPU,[N/A],[N/A],[N/A],[N/A]\n\n");
  ASSERT_EQ(record.samples.size(), 1u);
  EXPECT_EQ(record.samples[0].index, 1);
  EXPECT_EQ(record.samples[0].utilization_pct, 41);
  EXPECT_FALSE(record.samples[0].memory_utilization_pct);
  EXPECT_EQ(record.samples[0].memory_total, 40960.0 * 1048576);
}

}  // namespace
}  // namespace frx::ingest
