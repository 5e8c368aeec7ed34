#include "derive/trace/operator_calls.h"

#include <gtest/gtest.h>

#include <random>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

// Events on one thread (track 0) and one stream (track 1), named as they are.
class Made {
 public:
  Made() { timeline_.tracks = {{"1", "10", -1, -1, -1}, {"0", "7", 0, 7, -1}}; }
  std::uint32_t range(std::int64_t start, std::int64_t end, std::string_view name, EventKind kind = EventKind::cpu_op) {
    return add(start, end, name, kind, 0, Timeline::no_id);
  }
  std::uint32_t scope(std::int64_t start, std::int64_t end, std::string_view name) {
    return range(start, end, name, EventKind::annotation);
  }
  // A call at `launch`, and its kernel on the stream.
  std::uint32_t kernel(std::int64_t launch, std::int64_t start, std::int64_t end, std::string_view name) {
    ++correlation_;
    add(launch, launch + 1, "cudaLaunchKernel", EventKind::runtime, 0, correlation_);
    return add(start, end, name, EventKind::kernel, 1, correlation_);
  }
  std::uint32_t moment(std::int64_t at) { return range(at, at, "capture", EventKind::other); }
  // Of a graph that is launched at `launch`.
  void captured_kernel(std::int64_t launch, std::uint32_t capture) {
    const std::int64_t start = 1000 + static_cast<std::int64_t>(timeline_.size());
    const std::uint32_t row = kernel(launch, start, start + 1, "of a graph");
    timeline_.captured.push_back({row, capture});
  }
  OperatorCalls calls() const { return operator_calls(timeline_, attribute(timeline_)); }
  const Timeline& timeline() const { return timeline_; }

 private:
  std::uint32_t add(std::int64_t start, std::int64_t end, std::string_view name, EventKind kind, std::uint32_t track,
                    std::uint32_t correlation) {
    timeline_.start.push_back(start);
    timeline_.duration.push_back(end - start);
    timeline_.name.push_back(timeline_.names.add(name));
    timeline_.track.push_back(track);
    timeline_.correlation.push_back(correlation);
    timeline_.external.push_back(Timeline::no_id);
    timeline_.kind.push_back(kind);
    return static_cast<std::uint32_t>(timeline_.size() - 1);
  }

  Timeline timeline_;
  std::uint32_t correlation_ = 0;
};

TEST(OperatorCalls, TheInnermostOperatorCountsAndTheOthersAreAroundIt) {
  Made made;
  const std::uint32_t linear = made.range(0, 100, "aten::linear"), addmm = made.range(10, 90, "aten::addmm");
  made.kernel(20, 200, 250, "gemm");
  const OperatorCalls calls = made.calls();
  ASSERT_EQ(calls.calls.size(), 1u);
  EXPECT_EQ(calls.calls[0].range, addmm);
  EXPECT_EQ(calls.calls[0].gpu_ns, 50);
  EXPECT_EQ(calls.enclosing[addmm], linear);
  EXPECT_EQ(calls.enclosing[linear], none);
}

// The backward pass is launched by threads of autograd.
TEST(OperatorCalls, AnIterationIsThatOfTheProcess) {
  std::string events = testing::event("user_annotation", "frx::measure#0", "1/1", 100, 100) +
                       testing::event("user_annotation", "frx::measure#1", "1/1", 200, 100);
  int number = 0;
  for (const auto& [thread, at] : {std::pair("1/2", 50), {"1/2", 150}, {"1/2", 200}, {"1/2", 300}, {"2/2", 150}}) {
    const std::string correlation = fmt::format("\"correlation\": {}", ++number);
    events += testing::event("cuda_runtime", "cudaLaunchKernel", thread, at, 1, correlation);
    events += testing::event("kernel", "gemm", "0/7", 500 + 10 * number, 1, correlation + ", \"device\": 0, \"stream\": 7");
  }
  const Timeline timeline = testing::trace_of(testing::trace_with(events));
  std::vector<std::optional<std::uint32_t>> found;
  for (const OperatorKernel& kernel : operator_calls(timeline, attribute(timeline)).kernels) found.push_back(kernel.iteration);
  EXPECT_EQ(found, (std::vector<std::optional<std::uint32_t>>{std::nullopt, 0, 1, std::nullopt, std::nullopt}));
}

TEST(OperatorCalls, EachCallOfANameHasItsNumber) {
  Made made;
  for (int i = 0; i < 3; ++i) {
    made.range(i * 100, i * 100 + 50, "aten::mm");
    made.kernel(i * 100 + 10, 1000 + i * 100, 1050 + i * 100, "gemm");
  }
  const OperatorCalls calls = made.calls();
  ASSERT_EQ(calls.calls.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(calls.calls[i].index, i);
}

// Modules and layers are around operators; alone they answer for what no operator launched.
TEST(OperatorCalls, ScopesAnswerWhereNoOperatorDoes) {
  Made made;
  made.scope(0, 100, "nn.Module: block");
  made.range(10, 50, "aten::mm");
  made.scope(15, 45, "inner");
  made.kernel(20, 200, 250, "in the operator");
  made.scope(55, 95, "layer::unique::block");
  made.kernel(60, 300, 350, "in the module alone");
  made.kernel(150, 400, 450, "in nothing");
  const OperatorCalls calls = made.calls();
  ASSERT_EQ(calls.kernels.size(), 3u);
  EXPECT_EQ(calls.kernels[0].method, OperatorMethod::range);
  EXPECT_EQ(made.timeline().name_of(calls.kernels[0].range), "aten::mm");
  EXPECT_EQ(calls.kernels[1].method, OperatorMethod::scope);
  EXPECT_EQ(made.timeline().name_of(calls.kernels[1].range), "nn.Module: block") << "a layer is a tag and no operator";
  EXPECT_EQ(calls.kernels[2].method, OperatorMethod::unknown);
}

// Captured inside a module before the window, and launched in it by something that is a scope itself.
TEST(OperatorCalls, KernelsOfGraphsBelongToWhereTheyWereCaptured) {
  Made made;
  made.scope(0, 100, "nn.Module: block");
  made.range(10, 50, "aten::mm");
  const std::uint32_t in_operator = made.moment(20), in_module = made.moment(60), in_nothing = made.moment(110);
  made.scope(200, 400, "frx::measure#0");
  made.scope(210, 300, "replay");
  for (const std::uint32_t capture : {in_operator, in_module, in_nothing}) made.captured_kernel(220, capture);
  made.range(310, 390, "aten::copy_");
  for (const std::uint32_t capture : {in_operator, in_module}) made.captured_kernel(320, capture);
  const OperatorCalls calls = made.calls();
  ASSERT_EQ(calls.kernels.size(), 5u);
  const auto belongs_to = [&](std::size_t i) { return made.timeline().name_of(calls.kernels[i].range); };
  EXPECT_EQ(calls.kernels[0].method, OperatorMethod::capture);
  EXPECT_EQ(belongs_to(0), "aten::mm");
  EXPECT_EQ(calls.kernels[0].iteration, 0u) << "of the launch";
  EXPECT_EQ(calls.kernels[1].method, OperatorMethod::scope);
  EXPECT_EQ(belongs_to(1), "nn.Module: block");
  EXPECT_EQ(belongs_to(2), "replay");
  EXPECT_EQ(belongs_to(3), "aten::mm");
  EXPECT_EQ(belongs_to(4), "aten::copy_") << "an operator says more than a module";
}

TEST(OperatorCalls, WhatRanBeforeTheWindowIsNoOperatorOfIt) {
  Made made;
  made.range(0, 50, "aten::randn");
  made.kernel(10, 60, 70, "init");
  for (int i = 0; i < 2; ++i) {
    const int at = 100 + i * 100;
    made.scope(at, at + 90, fmt::format("frx::measure#{}", i));
    made.range(at + 10, at + 80, "aten::mm");
    made.kernel(at + 20, at + 300, at + 320, "gemm");
  }
  const OperatorCalls calls = made.calls();
  EXPECT_TRUE(calls.has_window());
  EXPECT_EQ(calls.kernels[0].method, OperatorMethod::before);
  EXPECT_EQ(calls.kernels[1].iteration, 0u);
  EXPECT_EQ(calls.kernels[2].iteration, 1u);
  EXPECT_EQ(calls.calls.size(), 2u);
}

TEST(OperatorCalls, RangesThatTouchDoNotEncloseEachOther) {
  Made made;
  const std::uint32_t outer = made.range(0, 100, "outer"), first = made.range(0, 50, "first"), second = made.range(50, 100, "second");
  const OperatorCalls calls = made.calls();
  EXPECT_EQ(calls.enclosing[first], outer);
  EXPECT_EQ(calls.enclosing[second], outer);
}

// Beside a search through all ranges, for random nesting.
TEST(OperatorCalls, EnclosingRangesAreThoseOfASearch) {
  std::mt19937 chance(7);
  for (int round = 0; round < 200; ++round) {
    Made made;
    std::vector<std::pair<int, int>> spans;
    const std::function<void(int, int, int)> nest = [&](int from, int to, int depth) {
      while (from + 2 < to && depth < 5 && chance() % 4 != 0) {
        const int begin = from + static_cast<int>(chance() % 3), end = std::min(to, begin + 1 + static_cast<int>(chance() % 12));
        if (begin >= end) break;
        made.range(begin, end, "op");
        spans.emplace_back(begin, end);
        nest(begin, end, depth + 1);
        from = end;
      }
    };
    nest(0, 60, 0);
    const OperatorCalls calls = made.calls();
    for (std::size_t i = 0; i < spans.size(); ++i) {
      std::uint32_t best = none;
      for (std::size_t j = 0; j < spans.size(); ++j) {
        const bool is_around = spans[j].first <= spans[i].first && spans[i].second <= spans[j].second && (spans[j] != spans[i] || j < i);
        if (j == i || !is_around) continue;
        const bool is_closer = best == none || spans[j].second - spans[j].first < spans[best].second - spans[best].first ||
                               (spans[j] == spans[best] && j > best);
        if (is_closer) best = static_cast<std::uint32_t>(j);
      }
      EXPECT_EQ(calls.enclosing[i], best) << round;
    }
  }
}

}  // namespace
}  // namespace frx::derive::trace
