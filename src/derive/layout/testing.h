// Recordings for tests of the layout advisor, written as the calls of a program:
//
//   Recording made;
//   made.step(1, [&] {
//     made.op("aten::contiguous", {.sizes = "[[8, 4]]", .strides = "[[1, 8]]", .types = R"(["float"])"}, [&] {
//       made.op("aten::copy_", {...}, [&] { made.kernel("direct_copy_kernel", 10); });
//     });
//   });
//   const std::unique_ptr<LayoutTrace> trace = made.trace();
//
// Operators begin and end a microsecond apart; kernels run one after the other on a stream of their own.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "derive/layout/layout_trace.h"
#include "ingest/chrome_trace/testing.h"

namespace frx::derive::layout {

struct RecordedArguments {
  std::string sizes = {}, strides = {}, types = {}, values = {};  // as in a trace; "": not recorded
};

class Recording {
 public:
  using Calls = std::function<void()>;

  void op(std::string_view name, const RecordedArguments& arguments = {}, const Calls& inside = {}, std::string_view more = "") {
    const double start = ++now_;
    const int id = ++ids_;
    if (inside) inside();
    ++now_;
    std::string args = fmt::format(R"("External id": {})", id);
    if (!arguments.sizes.empty()) args += fmt::format(R"(, "Input Dims": {})", arguments.sizes);
    if (!arguments.strides.empty()) args += fmt::format(R"(, "Input Strides": {})", arguments.strides);
    if (!arguments.types.empty()) args += fmt::format(R"(, "Input type": {})", arguments.types);
    if (!arguments.values.empty()) args += fmt::format(R"(, "Concrete Inputs": {})", arguments.values);
    if (!more.empty()) args += fmt::format(", {}", more);
    events_ += frx::testing::event("cpu_op", name, thread_, start, now_ - start, args);
  }
  // Launched here. `more`: of its arguments, R"("grid": [8, 1, 1], "block": [256, 1, 1])".
  void kernel(std::string_view name, double duration_us, std::string_view category = "kernel", std::string_view more = "") {
    ++now_;
    const std::string correlation = fmt::format(R"("correlation": {})", ++launches_);
    events_ += frx::testing::event("cuda_runtime", "cudaLaunchKernel", thread_, now_, 0.5, correlation);
    gpu_ = std::max(gpu_, now_) + 1;
    const std::string arguments = fmt::format(R"({}, "device": 0, "stream": 7{}{})", correlation, more.empty() ? "" : ", ", more);
    events_ += frx::testing::event(category, name, "0/7", gpu_, duration_us, arguments);
    gpu_ += duration_us;
  }
  void range(std::string_view category, std::string_view name, const Calls& inside, std::string_view arguments = "") {
    const double start = ++now_;
    inside();
    ++now_;
    events_ += frx::testing::event(category, name, thread_, start, now_ - start, arguments);
  }
  // A method of a tensor, called in the line "model.py:47".
  void called_from(std::string_view line, const Calls& inside) {
    range("python_function", "<built-in method of Tensor object at 0x7f21c0>", inside, fmt::format(R"("CallFrom": "{}")", line));
  }
  void step(int number, const Calls& inside) { range("user_annotation", fmt::format("ProfilerStep#{}", number), inside); }
  // Of another thread, while the current range is open.
  void on_thread(std::string_view thread, const Calls& inside) {
    const std::string before = std::exchange(thread_, std::string(thread));
    inside();
    thread_ = before;
  }

  // A view of a tensor of floats; `values` are its other arguments, "" for unknown strides: view("aten::transpose", "[8, 4]", "[4, 1]",
  // {"0", "1"}).
  void view(std::string_view name, std::string_view sizes, std::string_view strides, const std::vector<std::string>& values) {
    RecordedArguments arguments{fmt::format("[{}", sizes), fmt::format("[{}", strides), R"(["float")", R"([""])"};
    arguments.values.pop_back();
    for (const std::string& value : values) {
      arguments.sizes += ", []";
      arguments.strides += ", []";
      arguments.types += R"(, "Scalar")";
      arguments.values += fmt::format(R"(, "{}")", value);
    }
    for (std::string* const list : {&arguments.sizes, &arguments.strides, &arguments.types, &arguments.values}) *list += "]";
    if (strides.empty()) arguments.strides.clear();
    op(name, arguments);
  }

  // contiguous > clone > empty_like, copy_ of a tensor of floats.
  void contiguous(std::string_view sizes, std::string_view strides, std::string_view result_strides, double us = 10,
                  std::string_view name = "aten::contiguous") {
    const std::string one = fmt::format("[{}]", sizes), types = R"(["float"])";
    op(name, {one, fmt::format("[{}]", strides), types}, [&] {
      op("aten::clone", {one, fmt::format("[{}]", strides), types}, [&] {
        op("aten::empty_like");
        op("aten::copy_",
           {fmt::format("[{}, {}, []]", sizes, sizes), fmt::format("[{}, {}, []]", result_strides, strides),
            R"(["float", "float", "Scalar"])"},
           [&] { kernel("void at::native::elementwise_kernel<128, 2, at::native::direct_copy_kernel_cuda", us); });
      });
    });
  }

  std::string text() const {
    return R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "computeMajor": 8, "computeMinor": 0}], )"
           R"("traceEvents": [)" +
           events_.substr(0, events_.size() - 1) + "]}";
  }
  model::Timeline timeline() const {
    const std::string bytes = text();
    const std::unique_ptr<ByteSource> source = open_bytes(bytes);
    Result<model::Timeline> read = ingest::trace::read_trace("t.json", *source, {.all_arguments = true, .kernel_shapes = true});
    if (!read) ADD_FAILURE() << to_string(read.error());
    return read ? std::move(*read) : model::Timeline();
  }
  std::unique_ptr<LayoutTrace> trace(const std::optional<StepSelection>& selection = {}) const {
    Result<std::unique_ptr<LayoutTrace>> built = LayoutTrace::of(timeline(), selection);
    if (!built) ADD_FAILURE() << to_string(built.error());
    return built ? std::move(*built) : nullptr;
  }

 private:
  std::string events_, thread_ = "1/1";
  double now_ = 0, gpu_ = 0;
  int ids_ = 0, launches_ = 0;
};

}  // namespace frx::derive::layout
