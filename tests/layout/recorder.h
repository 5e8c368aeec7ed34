// What the profiler of PyTorch writes while a simulated program runs: operators on CPU threads, launches, kernels of one stream, Python
// frames and steps. Beside the trace it keeps what really happened, from which faulty_trace.cc derives what has to be found.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "layout/seen.h"
#include "layout/tensor.h"

namespace frx::testing::layout {

// A product with its documented peaks, as deviceProperties names it.
struct Gpu {
  std::string_view name;
  int major = 0, minor = 0, multiprocessors = 0;
  double bytes_per_us = 0;  // peak of memory
  double l2_bytes = 0;
  double simt_flops_per_us = 0;    // fp32
  double tensor_flops_per_us = 0;  // fp16 and bf16
  double tf32_flops_per_us = 0;    // 0: there is no TF32
  std::int64_t memory_bytes = 0;
};

inline constexpr int lines_of_a_function = 9;

// What was switched on, and which versions wrote the file.
struct Recording {
  std::string_view name;            // of the row in docs/validation/layout.md
  bool has_shapes = true;           // record_shapes
  bool has_strides = true;          // PyTorch 2.4 and later
  bool has_concrete_inputs = true;  // PyTorch 2.1 and later
  bool has_stacks = false;          // with_stack
  bool has_calls = false;           // and the lines of calls, of 2026 and later: within `lines_of_a_function` behind that of the function
  bool has_whole_microseconds = false;  // PyTorch 2.2 and before
  bool has_true_external_ids = true;    // GPU events name the operator that launched them; before 2024 they did not
  // Any of the above may come with these.
  bool has_flows = false;
  bool has_clutter = false;  // other threads, memory events, overhead, metadata, CPU-only operators
  bool is_shuffled = false;
  bool has_step_marks = true;    // ProfilerStep#N; without it steps are told by the calls of the root module, which only stacks show
  bool has_annotations = false;  // record_function() around modules
  bool is_truncated = false;     // the file ends in the middle of the last step
};

// An input of an operator as it is recorded.
class Argument {
 public:
  enum class Kind : std::uint8_t { none, tensor, tensors, scalar, list };

  Argument() = default;  // not given
  Argument(const Tensor& tensor)
      : kind_(Kind::tensor), tensors_{tensor} {}  // NOLINT(google-explicit-constructor): lists of them stay readable
  Argument(std::vector<Tensor> tensors) : kind_(Kind::tensors), tensors_(std::move(tensors)) {}  // NOLINT(google-explicit-constructor)
  Argument(const Extents& list);                                                                 // NOLINT(google-explicit-constructor)
  static Argument scalar(std::string text);                                                      // "1e-05", "False"
  static Argument number(std::int64_t value);

  Kind kind() const { return kind_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::string& text() const { return text_; }

 private:
  Kind kind_ = Kind::none;
  std::vector<Tensor> tensors_;
  std::string text_;
};

// A kernel, and what the model of the GPU says of it.
struct Kernel {
  std::string name;
  double us = 0;
  std::int64_t bytes = 0;    // moved to and from memory if every byte is moved once
  std::int64_t threads = 0;  // of the grid
  bool is_elementwise = false;
};

class Recorder {
 public:
  Recorder(const Gpu& gpu, const Recording& recording, std::uint64_t seed);

  // An operator of the current thread, until close(). Composite: its children are seen by autograd.
  void open(std::string_view name, const std::vector<Argument>& arguments, bool is_composite);
  void close();
  void open_wrapper(const std::string& name,
                    std::int64_t sequence);              // an event that holds operators: a node of autograd, a compiled region
  void annotate(const std::string& name, double since);  // a user_annotation, from `since` to now

  void launch(const Kernel& kernel);
  void memcpy_on_gpu(std::string_view kind, std::int64_t bytes, double us);  // "DtoD (Device -> Device)"

  // Python frames; without effect where stacks are not recorded.
  void push_frame(std::string name, int module = -1);
  void pop_frame();

  void begin_step(int number);
  void end_step();
  void enter_autograd_thread(bool is_entered);
  void pass(double us) { now_ += us; }  // of the CPU

  // What autograd counts: a node takes the number that its operator carries.
  bool is_grad_mode = false;
  std::int64_t next_sequence = 0;
  bool is_seen_by_autograd() const;  // the next operator
  bool is_recorded() const;          // the open operator makes a node: nothing around it does

  // For the truth.
  Site site;  // of the code that runs
  Seen& seen() { return seen_; }
  int step() const { return step_; }
  bool is_backward() const { return is_backward_; }
  bool is_top_level() const;                                                   // one operator is open, and no other holds it
  void note_view(const Tensor& from, const Tensor& to, const Extents& order);  // the top-level operator is a view; order: of a permutation
  void note_copy(CopyKind kind, const Tensor& to, const Tensor& from, double us);
  void note_unstable(std::string_view name);

  double now() const { return now_; }
  double between(double low, double high) { return std::uniform_real_distribution(low, high)(noise_); }
  int new_id() { return ++ids_; }

  std::string json();  // the file; once

 private:
  struct Event {
    std::string_view category;
    std::string name;
    std::string place;  // "pid": 1, "tid": 2
    double begin = 0, duration = 0;
    std::string arguments;
    int step = 0;
  };
  struct Open {
    std::size_t event = 0;
    std::string name;
    int external_id = 0;
    bool is_wrapper = false, is_composite = false;
    bool is_view = false;
    Tensor from, to;
    Extents order;
  };
  struct Frame {
    std::string name;
    double begin = 0;
    int id = 0, parent = 0, module = -1;
    std::string called_from;  // "model.py:47"; "": not recorded
  };

  std::vector<Open>& stack() { return is_backward_ ? backward_stack_ : stack_; }
  const std::vector<Open>& stack() const { return is_backward_ ? backward_stack_ : stack_; }
  std::string caller_of(const Frame& frame) const;
  Event& add(std::string_view category, std::string name, double begin, double duration, std::string arguments);
  std::string cpu_place() const;
  std::string inputs_of(const std::vector<Argument>& arguments) const;
  std::string numbers_of(std::int64_t sequence, int forward_thread) const;
  void add_to_run(const Open& open);
  void end_run(const Open* by);
  void clutter();
  void write_event(const Event& event, std::string& text) const;
  std::string header() const;

  const Gpu& gpu_;
  Recording recording_;
  std::mt19937_64 noise_;
  Seen seen_;
  std::vector<Event> events_;
  std::vector<Open> stack_, backward_stack_;
  std::vector<Frame> frames_;
  ViewRun run_;
  int copied_ = 0;  // the source of the last copy within the open top-level operator
  double now_ = 0, gpu_free_ = 0, step_begin_ = 0, step_gpu_begin_ = -1;
  int step_ = -1, ids_ = 0, event_index_ = 0, correlation_ = 0, frame_ids_ = 0, first_external_id_ = 0;
  bool is_backward_ = false;
};

// An operator for as long as a scope lasts.
class Op {
 public:
  enum Kind : std::uint8_t { leaf, composite };
  Op(Recorder& recorder, std::string_view name, const std::vector<Argument>& arguments, Kind kind = leaf) : recorder_(recorder) {
    recorder_.open(name, arguments, kind == composite);
  }
  ~Op() { recorder_.close(); }
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;

 private:
  Recorder& recorder_;
};

// The frames of a call of nn.Module, and its site: a module of the program, with a file of its own code, or one of PyTorch's.
class ModuleScope {
 public:
  ModuleScope(Recorder& recorder, const std::string& name, const std::string& file, int line);
  ModuleScope(Recorder& recorder, const std::string& name, const std::string& torch_file_and_line);  // "torch/nn/modules/linear.py(116)"
  ~ModuleScope();
  ModuleScope(const ModuleScope&) = delete;
  ModuleScope& operator=(const ModuleScope&) = delete;

 private:
  Recorder& recorder_;
  Site before_;
};

}  // namespace frx::testing::layout
