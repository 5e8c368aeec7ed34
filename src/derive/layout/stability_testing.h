// Recordings of several steps whose operators differ a little, for tests of stability: a step is written call by call.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "derive/layout/testing.h"

namespace frx::derive::layout {

// "[8, 64]" of sizes and strides; the type is float. Strides "": not recorded.
struct RecordedFloats {
  std::string sizes, strides;
};

class RecordedSteps {
 public:
  // The next step; what follows is of it.
  RecordedSteps& step() {
    steps_.emplace_back();
    return *this;
  }
  RecordedSteps& op(std::string_view name, const std::vector<RecordedFloats>& inputs = {}, double gpu_us = 0) {
    return add([=, name = std::string(name)](Recording& made) {
      made.op(name, arguments(inputs), [&] {
        if (gpu_us > 0) made.kernel("work", gpu_us);
      });
    });
  }
  // An operator around those that `fill` writes.
  RecordedSteps& around(std::string_view name, const std::vector<RecordedFloats>& inputs, const std::function<void(RecordedSteps&)>& fill) {
    RecordedSteps inside;
    fill(inside.step());
    return add([=, name = std::string(name)](Recording& made) { made.op(name, arguments(inputs), [&] { inside.write(made, 0); }); });
  }
  // Of 1 us.
  RecordedSteps& event(std::string_view category, std::string_view name) {
    return add([category = std::string(category), name = std::string(name)](Recording& made) { made.range(category, name, [] {}); });
  }

  Recording recording() const {
    Recording made;
    for (std::size_t i = 0; i < steps_.size(); ++i) made.step(static_cast<int>(i + 1), [&] { write(made, i); });
    return made;
  }
  std::unique_ptr<LayoutTrace> trace() const { return recording().trace(); }

 private:
  using Call = std::function<void(Recording&)>;

  RecordedSteps& add(Call call) {
    steps_.back().push_back(std::move(call));
    return *this;
  }
  void write(Recording& made, std::size_t step) const {
    for (const Call& call : steps_[step]) call(made);
  }
  static RecordedArguments arguments(const std::vector<RecordedFloats>& inputs) {
    if (inputs.empty()) return {};
    RecordedArguments all;
    for (const RecordedFloats& input : inputs) {
      const char* const before = all.sizes.empty() ? "[" : ", ";
      all.sizes += before + input.sizes;
      all.strides += before + input.strides;
      all.types += fmt::format("{}\"float\"", before);
    }
    for (std::string* const list : {&all.sizes, &all.strides, &all.types}) *list += "]";
    if (inputs.front().strides.empty()) all.strides.clear();
    return all;
  }

  std::vector<std::vector<Call>> steps_;
};

}  // namespace frx::derive::layout
