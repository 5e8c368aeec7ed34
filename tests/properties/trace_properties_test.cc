// What holds of the diagnosis of any training run: made-up traces (tests/support/synthetic_trace.h) are changed in a way whose effect is
// known, in the program or in the file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <sstream>

#include "base/files.h"
#include "report/run_comparison.h"
#include "report/time_parts.h"
#include "report/trace_analyst.h"
#include "support/synthetic_trace.h"

namespace frx {
namespace {

using report::TraceReport;
using testing::SyntheticTrace;

std::unique_ptr<TraceReport> report_of_text(const std::string& json) {
  static const std::unique_ptr<report::TraceAnalyst> analyst = report::TraceAnalyst::create("").value();
  const auto source = open_bytes(json);
  return analyst->analyse("made.json", *source).value();
}

const std::string& leading(const TraceReport& report) { return report.scope().diagnosis.user_facing; }

// The events of a made-up trace, each of which is one line of its file.
struct EventLine {
  std::string head, tail;  // around the times
  double begin = 0, duration = 0;
  bool is_on_gpu = false;
};
struct TraceLines {
  std::string before, after;
  std::vector<EventLine> events;

  explicit TraceLines(const std::string& json) {
    const std::size_t open = json.find("\"traceEvents\": [") + 16;
    before = json.substr(0, open);
    after = "]}";
    std::istringstream lines(json.substr(open, json.size() - open - 2));
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with(',')) line.pop_back();
      const std::size_t at = line.find("\"ts\":"), args = line.find(",\"args\"");
      double begin = 0, duration = 0;
      if (std::sscanf(line.c_str() + at, "\"ts\":%lf,\"dur\":%lf", &begin, &duration) != 2) std::abort();
      events.push_back({line.substr(0, at), line.substr(args), begin, duration, line.find("\"pid\":0") != line.npos});
    }
  }
  std::string text() const {
    std::string json = before;
    for (const EventLine& event : events) {
      if (&event != &events.front()) json += ",\n";
      json += fmt::format("{}\"ts\":{:.3f},\"dur\":{:.3f}{}", event.head, event.begin, event.duration, event.tail);
    }
    return json + after;
  }
};

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

// ---- B1: a step takes what the GPU takes

// The program launches everything early and does not wait: GPU and answer stay as they were.
TEST(TraceProperties, AProgramThatRunsAheadIsNoFaster) {
  int compared = 0;
  for (std::uint64_t i = 0; i < 2100; ++i) {
    const SyntheticTrace trace = testing::synthetic_trace(i, {.more_steps = 6});
    if (trace.cause != "busy" || !trace.is_decided) continue;
    const auto slow = report_of_text(trace.json);
    if (!slow->has_step_boundaries()) continue;
    for (const double pace : {0.6, 0.3, 0.1}) {
      TraceLines lines(trace.json);
      for (EventLine& event : lines.events) {
        if (event.is_on_gpu) continue;
        event.begin = 1e6 + pace * (event.begin - 1e6);
        event.duration *= pace;
      }
      const auto ahead = report_of_text(lines.text());
      const auto compared_with =
          report::compare(report::compared(*slow, "slow"), slow.get(), report::compared(*ahead, "ahead"), ahead.get(), 0.05);
      EXPECT_EQ(compared_with.judgement.answer, derive::compare::Answer::cannot_tell)
          << i << " at " << pace << ": " << compared_with.judgement.ratio.value_or(0);
      ++compared;
    }
  }
  EXPECT_GT(compared, 50);
}

// ---- B2: the largest idle gaps are known

TEST(TraceProperties, GapsAreIdleTimeAndTheLongestComesFirst) {
  for (std::uint64_t i = 0; i < 420; ++i) {
    const SyntheticTrace trace = testing::synthetic_trace(i);
    const auto report = report_of_text(trace.json);
    for (const model::StepTable& process : report->processes) {
      for (const model::GpuSteps& gpu : process.gpus) {
        std::int64_t of_gaps = 0, idle = 0;
        for (const model::IdleGap& gap : gpu.gaps) of_gaps += gap.length();
        for (const model::GpuTime& step : gpu.steps) idle += step.span - step.busy();
        EXPECT_LE(of_gaps, idle) << trace.cause << ' ' << i;
        const auto longest = report::longest_gaps(gpu);
        for (std::size_t k = 1; k < longest.size(); ++k) EXPECT_GE(longest[k - 1]->length(), longest[k]->length()) << i;
      }
    }
  }
}

// ---- B3: the larger a cause, the surer it leads

TEST(TraceProperties, MoreOfTheCauseKeepsItLeading) {
  int kept = 0;
  for (std::uint64_t i = 0; i < 1260; ++i) {
    const SyntheticTrace trace = testing::synthetic_trace(i);
    const bool is_busy = trace.label == "gpu_kept_busy";
    if (!trace.is_decided || trace.label.empty() || is_busy || leading(*report_of_text(trace.json)) != trace.label) continue;
    for (const double times : {1.3, 2.0, 4.0}) {
      const SyntheticTrace more = testing::synthetic_trace(i, {.cause_times = times});
      EXPECT_EQ(leading(*report_of_text(more.json)), trace.label) << trace.cause << ' ' << i << " x " << times;
      ++kept;
    }
  }
  EXPECT_GT(kept, 800);
}

// ---- B4: no dead zone

// Whatever part of the time is lost, something leads and has advice.
TEST(TraceProperties, WhereAFifthIsIdleSomethingLeadsAndHasAdvice) {
  int idle = 0;
  for (std::uint64_t i = 0; i < 2100; ++i) {
    const SyntheticTrace trace = testing::synthetic_trace(i);
    const auto report = report_of_text(trace.json);
    const auto& facts = report->scope().facts;
    const double busy = facts[model::RunFact::gpu_busy_fraction].value_or(1);
    if (busy > 0.75) continue;
    ++idle;
    EXPECT_TRUE(!leading(*report).empty() && leading(*report) != "inconclusive") << trace.cause << ' ' << i << " busy " << busy;
    EXPECT_FALSE(report->scope().advice.recommendations.empty())
        << leading(*report) << " has no card: " << trace.cause << ' ' << i << " busy " << busy;
  }
  EXPECT_GT(idle, 500);
}

using model::RunFact;

// Parts of a step as a trace tells them, or, of a run without kernels, waits and samples; what is not recorded is absent.
model::RunFacts any_facts(std::mt19937_64& engine, bool is_trace) {
  constexpr std::array parts = {RunFact::compute_fraction,      RunFact::input_fraction,   RunFact::copy_fraction,
                                RunFact::sync_fraction,         RunFact::host_fraction,    RunFact::allocator_fraction,
                                RunFact::device_fraction,       RunFact::unknown_fraction, RunFact::first_use_fraction,
                                RunFact::communication_fraction};
  const auto any = [&](double high) { return high * static_cast<double>(engine() >> 11) * 0x1p-53; };
  model::RunFacts facts;
  std::array<double, parts.size()> shares{};
  double sum = 0;
  for (double& share : shares) sum += share = engine() % 3 == 0 ? any(1) : any(0.1);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool is_recorded = is_trace || (i >= 1 && i <= 3 && engine() % 4 != 0);
    if (is_recorded) facts.set(parts[i], shares[i] / sum);
  }
  facts.set(RunFact::steps, 20);
  facts.set(RunFact::input_wait_fraction, facts[RunFact::input_fraction]);
  const double busy = (shares[0] + shares[2] + shares[9]) / sum;
  if (is_trace) facts.set(RunFact::gpu_busy_fraction, busy);
  if (is_trace || engine() % 2 == 0) facts.set(RunFact::gpu_utilization_pct, 100 * busy);
  if (!is_trace) return facts;
  facts.set(RunFact::profiler_windows, 1);
  facts.set(RunFact::kernels_per_step, std::floor(any(1000)));
  const double median = any(60);
  facts.set(RunFact::median_kernel_us, median);
  facts.set(RunFact::small_kernel_fraction, median < 10 ? 0.5 + any(0.5) : any(0.5));
  return facts;
}

double largest_loss(const model::RunFacts& facts) {
  double most = 0;
  for (const RunFact part :
       {RunFact::input_fraction, RunFact::copy_fraction, RunFact::sync_fraction, RunFact::host_fraction, RunFact::allocator_fraction,
        RunFact::device_fraction, RunFact::unknown_fraction, RunFact::first_use_fraction, RunFact::communication_fraction}) {
    most = std::max(most, facts[part].value_or(0));
  }
  return most;
}

// Of any division of the time, whatever was recorded of it.
TEST(TraceProperties, WhateverLosesAFifthHasALabelAndWhateverLeadsHasACard) {
  static const std::unique_ptr<report::TraceAnalyst> analyst = report::TraceAnalyst::create("").value();
  const auto some = report_of_text(testing::synthetic_trace(0).json);
  std::mt19937_64 engine(4);
  for (int i = 0; i < 4000; ++i) {
    const bool is_trace = i % 2 == 0;
    const model::RunFacts facts = any_facts(engine, is_trace);
    const report::RunScope scope = analyst->judged_with(*some, facts, true);
    const std::string& leads = scope.diagnosis.user_facing;
    std::string given;
    for (std::size_t fact = 0; fact < model::run_fact_count; ++fact) {
      if (const auto& value = facts[static_cast<RunFact>(fact)])
        given += fmt::format(" {} {:.3f}", model::run_fact_names[fact].name, *value);
    }
    const bool is_half_busy = is_trace && facts[RunFact::gpu_busy_fraction] < 0.85 && largest_loss(facts) >= 0.1;
    if (largest_loss(facts) >= 0.2 || is_half_busy) EXPECT_TRUE(!leads.empty() && leads != "inconclusive") << given;
    if (!leads.empty() && leads != "inconclusive") EXPECT_FALSE(scope.advice.recommendations.empty()) << leads << " of" << given;
  }
}

// ---- B5: a cold start is no advice for loops

TEST(TraceProperties, AColdStartIsNotSentToMendItsLoop) {
  for (std::uint64_t i = 0; i < 2100; ++i) {
    const SyntheticTrace trace = testing::synthetic_trace(i);
    if (trace.cause != "cold_start" || !trace.is_decided) continue;
    const auto report = report_of_text(trace.json);
    if (leading(*report) != "cold_start") continue;
    for (const advise::Recommendation& card : report->scope().advice.recommendations)
      EXPECT_FALSE(card.id.starts_with("rec_launch")) << i << ": " << card.id;
  }
}

// ---- B6, B7: the window and the steps are those of the program

TEST(TraceProperties, NeitherTheClockNorTheOrderOfEventsMatters) {
  std::mt19937_64 engine(7);
  for (std::uint64_t i = 0; i < 210; ++i) {
    const SyntheticTrace trace = testing::synthetic_trace(i);
    const auto before = report_of_text(trace.json);
    TraceLines lines(trace.json);
    const double shift = std::floor(static_cast<double>(engine() % 1'000'000'000'000));
    for (EventLine& event : lines.events) event.begin += shift;
    std::ranges::shuffle(lines.events, engine);
    const auto after = report_of_text(lines.text());
    EXPECT_EQ(leading(*after), leading(*before)) << trace.cause << ' ' << i;
    EXPECT_EQ(after->step_count(), before->step_count()) << trace.cause << ' ' << i;
    const auto& one = before->scope().facts;
    const auto& two = after->scope().facts;
    for (std::size_t fact = 0; fact < model::run_fact_count; ++fact) {
      const auto first = one[static_cast<model::RunFact>(fact)], second = two[static_cast<model::RunFact>(fact)];
      ASSERT_EQ(first.has_value(), second.has_value()) << model::run_fact_names[fact].name << ' ' << trace.cause << ' ' << i;
      if (first) EXPECT_NEAR(*first, *second, 1e-4 * std::max(1.0, std::abs(*first))) << model::run_fact_names[fact].name << ' ' << i;
    }
  }
}

// ---- B8: advice knows whose GPU it is

TEST(TraceProperties, OfAnAmdGpuNothingIsSaidOfNvidiasTools) {
  for (std::uint64_t i = 0; i < 210; ++i) {
    const SyntheticTrace trace = testing::synthetic_trace(i);
    const std::string json =
        replaced(replaced(replaced(trace.json, "NVIDIA A100-SXM4-80GB", "AMD Instinct MI250X"), "\"cuda", "\"hip"), "hip_", "cuda_");
    const auto report = report_of_text(json);
    for (const advise::Recommendation& card : report->scope().advice.recommendations) {
      for (const auto* texts : {&card.actions, &card.validation}) {
        for (const auto& text : *texts) {
          for (const std::string_view word : {"ncu ", "nsys ", "Nsight", "cudaStream", "CUDA Graph"})
            EXPECT_EQ(std::string_view(text).find(word), std::string_view::npos) << card.id << ": " << text;
        }
      }
    }
  }
}

// ---- B10: shares of the time of the GPU

TEST(TraceProperties, KernelsAndOperatorsAddUpToTheTimeOfTheGpu) {
  for (std::uint64_t i = 0; i < 420; ++i) {
    const SyntheticTrace trace = testing::synthetic_trace(i);
    const auto report = report_of_text(trace.json);
    double real = 0;
    for (const EventLine& event : TraceLines(trace.json).events) real += event.is_on_gpu ? event.duration : 0;
    double kernels = 0, operators = 0;
    for (const report::TimeOf& one : report->top_kernels) kernels += static_cast<double>(one.gpu_ns) / 1e3;
    for (const report::OperatorTime& one : report->operator_times) operators += static_cast<double>(one.gpu_ns) / 1e3;
    EXPECT_LE(kernels, real * 1.0001 + 0.1) << trace.cause << ' ' << i;
    EXPECT_NEAR(operators, real, 0.0001 * real + 0.1) << trace.cause << ' ' << i;
  }
}

// ---- B11: damage is said

bool says(const TraceReport& report, std::string_view word) {
  return std::ranges::any_of(report.notes, [&](const std::string& note) { return note.find(word) != note.npos; });
}

TEST(TraceProperties, DamageIsSaid) {
  std::mt19937_64 engine(11);
  for (std::uint64_t i = 0; i < 84; ++i) {
    const SyntheticTrace trace = testing::synthetic_trace(i);
    if (!trace.is_decided) continue;
    EXPECT_FALSE(says(*report_of_text(trace.json), "twice")) << i;
    TraceLines doubled(trace.json);
    const std::vector<EventLine> once = doubled.events;
    doubled.events.insert(doubled.events.end(), once.begin(), once.end());
    EXPECT_TRUE(says(*report_of_text(doubled.text()), "twice")) << trace.cause << ' ' << i;

    TraceLines early(trace.json);
    for (EventLine& event : early.events) event.begin -= event.is_on_gpu ? 3000 : 0;
    EXPECT_TRUE(says(*report_of_text(early.text()), "before")) << trace.cause << ' ' << i;

    const std::size_t cut = trace.json.size() / 2 + engine() % (trace.json.size() / 2 - 3);
    const auto part = report_of_text(trace.json.substr(0, cut));
    EXPECT_TRUE(says(*part, "cut") || says(*part, "ends")) << trace.cause << ' ' << i;
  }
}

}  // namespace
}  // namespace frx
