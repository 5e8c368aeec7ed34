// Traces of a few steps for tests of stability, written operator by operator.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "derive/layout/layout_trace.h"
#include "ingest/chrome_trace/testing.h"

namespace frx::derive::layout::testing {

// "[8, 64]" of sizes and strides, one pair for each input; the type of all is float.
struct Input {
  std::string sizes, strides;
};

class Steps {
 public:
  // The next step; operators that follow are of it.
  Steps& step() {
    if (number_ > 0) close_step();
    begin_ = at_;
    ++number_;
    return *this;
  }
  // An operator of 10 us, after those before it. `inside` are events within it, as text.
  Steps& op(std::string_view name, const std::vector<Input>& inputs = {}, double gpu_us = 0, std::string_view thread = "1/1") {
    write("cpu_op", name, thread, at_, 10, arguments(inputs));
    if (gpu_us > 0) kernel(gpu_us, thread);
    at_ += 20;
    return *this;
  }
  // An operator around those that `fill` writes.
  template <typename Fill>
  Steps& around(std::string_view name, const std::vector<Input>& inputs, Fill fill) {
    const double begin = at_++;
    fill(*this);
    write("cpu_op", name, "1/1", begin, ++at_ - begin, arguments(inputs));
    at_ += 10;
    return *this;
  }
  Steps& event(std::string_view category, std::string_view name, double duration = 5) {
    write(category, name, "1/1", at_, duration, "");
    at_ += duration + 5;
    return *this;
  }
  std::string text() {
    close_step();
    return frx::testing::trace_with(events_ + R"({"ph": "M", "name": "process_name", "pid": 1})");
  }
  std::unique_ptr<LayoutTrace> trace() {
    const std::string text = this->text();
    const std::unique_ptr<ByteSource> source = open_bytes(text);
    ingest::trace::TraceOptions options;
    options.all_arguments = true;
    Result<model::Timeline> timeline = ingest::trace::read_trace("t.json", *source, options);
    if (!timeline) {
      ADD_FAILURE() << to_string(timeline.error());
      return nullptr;
    }
    Result<std::unique_ptr<LayoutTrace>> made = LayoutTrace::of(std::move(*timeline));
    if (!made) ADD_FAILURE() << to_string(made.error());
    return made ? std::move(*made) : nullptr;
  }

 private:
  static std::string arguments(const std::vector<Input>& inputs) {
    if (inputs.empty()) return "";
    std::string sizes, strides, types;
    for (const Input& input : inputs) {
      const char* const comma = sizes.empty() ? "" : ", ";
      sizes += comma + input.sizes;
      strides += comma + input.strides;
      types += fmt::format("{}\"float\"", comma);
    }
    const bool has_strides = !inputs.front().strides.empty();
    return fmt::format(R"("Input Dims": [{}], "Input type": [{}])", sizes, types) +
           (has_strides ? fmt::format(R"(, "Input Strides": [{}])", strides) : "");
  }
  void kernel(double us, std::string_view thread) {
    ++correlation_;
    write("cuda_runtime", "cudaLaunchKernel", thread, at_ + 1, 2, fmt::format(R"("correlation": {})", correlation_));
    write("kernel", "work", "0/7", at_ + 5, us, fmt::format(R"("correlation": {}, "device": 0, "stream": 7)", correlation_));
  }
  void write(std::string_view category, std::string_view name, std::string_view thread, double start, double duration,
             std::string_view arguments) {
    events_ += frx::testing::event(category, name, thread, start, duration, arguments);
  }
  void close_step() {
    write("user_annotation", fmt::format("ProfilerStep#{}", number_), "1/1", begin_ - 5, at_ - begin_ + 5, "");
    at_ += 20;
  }

  std::string events_;
  double at_ = 100, begin_ = 100;
  int number_ = 0, correlation_ = 0;
};

}  // namespace frx::derive::layout::testing
