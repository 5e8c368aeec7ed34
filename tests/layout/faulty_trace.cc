#include "layout/faulty_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "layout/expected.h"
#include "layout/programs.h"
#include "layout/torch.h"

namespace frx::testing::layout {
namespace {

// Documented peaks: GB/s, and FLOP/s of fp32, of fp16 on tensor cores and of TF32.
const std::vector<Gpu>& gpus() {
  static const std::vector<Gpu> all = {
      {"NVIDIA A100-SXM4-80GB", 8, 0, 108, 2.039e6, 40e6, 19.5e6, 312e6, 156e6, 85899345920},
      {"NVIDIA A100-SXM4-40GB", 8, 0, 108, 1.555e6, 40e6, 19.5e6, 312e6, 156e6, 42949672960},
      {"NVIDIA H100 80GB HBM3", 9, 0, 132, 3.35e6, 50e6, 66.9e6, 989.4e6, 494.7e6, 85899345920},
      {"Tesla V100-SXM2-16GB", 7, 0, 80, 0.9e6, 6e6, 15.7e6, 125e6, 0, 17179869184},
  };
  return all;
}

struct Instance {
  const BlockKind* kind = nullptr;
  std::string module;
  Forward forward;
};

// A program, and the steps of it that are recorded.
class Program {
 public:
  Program(std::uint64_t number, FaultyTrace& trace)
      : trace_(trace),
        dice_{std::mt19937_64(number * 0x9e3779b97f4a7c15 + 1)},
        recorder_(trace.gpu, trace.recording, number),
        torch_(recorder_, trace.gpu) {
    torch_.has_reshape_alias = trace.recording.has_whole_microseconds && !trace.recording.has_concrete_inputs;
  }

  void run(const std::vector<const BlockKind*>& kinds) {
    torch_.is_training = dice_.one_in(3);
    recorder_.is_grad_mode = torch_.is_training;
    recorder_.next_sequence = dice_.whole(0, 5000);
    std::map<std::string_view, int> counts;
    for (const BlockKind* kind : kinds) {
      const int index = counts[kind->class_name]++;
      blocks_.push_back({kind, fmt::format("{}_{}", kind->class_name, index), kind->make(torch_, dice_)});
      trace_.blocks.push_back((kind->fault.empty() ? "" : "!") + std::string(kind->name));
    }
    for (int i = 0; i < 4; ++i) parameters_.push_back(torch_.parameter({dice_.of({256, 512}), 1024}, Scalar::f32));
    has_optimizer_ = torch_.is_training && dice_.one_in(2);
    const bool has_warm_up = trace_.recording.has_step_marks && dice_.one_in(3);
    const int steps = dice_.whole(4, 6);
    std::set<int> steady;
    for (int step = 0; step < steps; ++step) {
      run_step(step, has_warm_up && step == 0);
      if (!has_warm_up || step > 0) steady.insert(step);
    }
    trace_.steps = static_cast<int>(steady.size());
    trace_.assessable = assessable_detectors(trace_.recording);
    trace_.expectations = expectations(recorder_.seen(), steady, trace_.recording, trace_.gpu);
    trace_.json = recorder_.json();
  }

 private:
  void run_step(int step, bool is_warm_up) {
    recorder_.begin_step(step);
    recorder_.push_frame("train.py(14): <module>");
    recorder_.push_frame("train.py(52): train_step");
    // The first step chooses algorithms and fills caches: other work than the steps to come.
    if (is_warm_up) {
      for (int i = 0; i < 12; ++i) torch_.sum(torch_.given({256, 256}, Scalar::f32));
    }
    const std::vector<Tensor> outputs = run_blocks(step);
    if (is_warm_up) run_blocks(step);
    if (torch_.is_training) train(outputs);
    recorder_.pop_frame();
    recorder_.pop_frame();
    recorder_.pass(dice_.between(5, 60));
    recorder_.end_step();
  }

  std::vector<Tensor> run_blocks(int step) {
    std::vector<Tensor> outputs;
    const ModuleScope root(recorder_, "Network_0", "model.py", 12);
    for (const Instance& block : blocks_) {
      const ModuleScope scope(recorder_, block.module, "model.py", block.kind->line);
      const double begin = recorder_.now();
      if (const std::optional<Tensor> output = block.forward(torch_, step)) outputs.push_back(*output);
      if (trace_.recording.has_annotations) recorder_.annotate("forward of " + block.module, begin);
    }
    return outputs;
  }

  void train(const std::vector<Tensor>& outputs) {
    const Site before = recorder_.site;
    recorder_.site = {"", "train.py", 52};
    std::optional<Tensor> loss;
    for (const Tensor& output : outputs) {
      if (!output.needs_grad) continue;
      const Tensor part = torch_.to(torch_.sum(torch_.binary("mul", output, output)), Scalar::f32);  // losses are summed in one type
      loss = loss ? torch_.binary("add", *loss, part) : part;
    }
    if (loss) torch_.backward(*loss);
    if (has_optimizer_) torch_.optimizer_step(parameters_);
    recorder_.site = before;
  }

  FaultyTrace& trace_;
  Dice dice_;
  Recorder recorder_;
  Torch torch_;
  std::vector<Instance> blocks_;
  std::vector<Tensor> parameters_;
  bool has_optimizer_ = false;
};

// "": the clean ones.
std::vector<const BlockKind*> kinds_for(std::string_view detector) {
  std::vector<const BlockKind*> result;
  for (const BlockKind& kind : detector.empty() ? clean_blocks() : faulty_blocks()) {
    if (kind.fault == detector) result.push_back(&kind);
  }
  return result;
}

const BlockKind* one_of(Dice& dice, const std::vector<const BlockKind*>& kinds) {
  return kinds[static_cast<std::size_t>(dice.whole(0, static_cast<int>(kinds.size()) - 1))];
}

// Every fifth program is clean; the others have a fault of each detector in turn, and every third of them more.
std::vector<const BlockKind*> some_blocks(Dice& dice, std::uint64_t turn) {
  std::vector<const BlockKind*> blocks;
  const std::vector<const BlockKind*> clean = kinds_for("");
  for (int i = dice.whole(1, 4); i > 0; --i) blocks.push_back(one_of(dice, clean));
  const std::vector<std::string_view> names = detectors();
  if (turn % 5 != 0) {
    blocks.push_back(one_of(dice, kinds_for(names[turn % names.size()])));
    for (int i = dice.one_in(3) ? dice.whole(1, 2) : 0; i > 0; --i) {
      blocks.push_back(one_of(dice, kinds_for(names[static_cast<std::size_t>(dice.whole(0, static_cast<int>(names.size()) - 1))])));
    }
  }
  std::shuffle(blocks.begin(), blocks.end(), dice.random);
  return blocks;
}

}  // namespace

std::vector<std::string_view> detectors() {
  return {non_contiguous, contiguous_churn, permute_storm, channels_last, memory_bound, stride_instability};
}

const std::vector<Recording>& recordings() {
  static const std::vector<Recording> all = {
      {.name = "strides and stacks", .has_stacks = true},
      {.name = "strides, stacks and lines of calls", .has_stacks = true, .has_calls = true},
      {.name = "strides"},
      {.name = "shapes, decimal times", .has_strides = false},
      {.name = "shapes and stacks, whole microseconds",
       .has_strides = false,
       .has_stacks = true,
       .has_whole_microseconds = true,
       .has_true_external_ids = false},
      {.name = "shapes, whole microseconds", .has_strides = false, .has_whole_microseconds = true, .has_true_external_ids = false},
      {.name = "shapes without concrete inputs",
       .has_strides = false,
       .has_concrete_inputs = false,
       .has_whole_microseconds = true,
       .has_true_external_ids = false},
      {.name = "no shapes, stacks", .has_shapes = false, .has_strides = false, .has_concrete_inputs = false, .has_stacks = true},
      {.name = "no shapes", .has_shapes = false, .has_strides = false, .has_concrete_inputs = false},
  };
  return all;
}

FaultyTrace faulty_trace(std::uint64_t number) {
  FaultyTrace trace;
  Dice dice = {std::mt19937_64(number * 0xd1342543de82ef95 + 7)};
  trace.recording = recordings()[number % recordings().size()];
  trace.recording.has_flows = dice.one_in(2);
  trace.recording.has_clutter = dice.one_in(2);
  trace.recording.is_shuffled = dice.one_in(5);
  trace.recording.is_truncated = !trace.recording.is_shuffled && dice.one_in(12);
  trace.recording.has_annotations = dice.one_in(6);
  // Steps are then told by the root module; a file that is cut off would end in a step of unknown length.
  trace.recording.has_step_marks = !trace.recording.has_stacks || trace.recording.is_truncated || !dice.one_in(6);
  trace.gpu = gpus()[static_cast<std::size_t>(dice.of({0, 0, 0, 1, 1, 2, 3}))];
  Program(number, trace).run(some_blocks(dice, number / recordings().size()));
  return trace;
}

}  // namespace frx::testing::layout
