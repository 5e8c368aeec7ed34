#include "layout/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <ranges>

#include "base/text.h"

namespace frx::testing::layout {
namespace {

constexpr int process = 4242, autograd_thread = 4249, stream = 7;
constexpr double epoch_us = 1695835573040765;    // of files that count from 1970
constexpr double since_base_us = 4808593490886;  // of files with baseTimeNanoseconds
constexpr std::int64_t base_ns = 1727743122000000000;

// A list as PyTorch writes it: [2, 3].
std::string list_text(const Extents& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

std::string lists_text(const std::vector<Tensor>& tensors, Extents Tensor::*member) {
  std::vector<std::string> lists;
  for (const Tensor& tensor : tensors) lists.push_back(list_text(tensor.*member));
  return fmt::format("[{}]", fmt::join(lists, ", "));
}

std::string extents_of(const Argument& argument, Extents Tensor::*member) {
  if (argument.kind() == Argument::Kind::tensor) return list_text(argument.tensors().front().*member);
  if (argument.kind() == Argument::Kind::tensors) return lists_text(argument.tensors(), member);
  return "[]";
}

std::string_view type_of(const Argument& argument) {
  switch (argument.kind()) {
    case Argument::Kind::tensor: return trace_name(argument.tensors().front().type);
    case Argument::Kind::tensors: return "TensorList";
    case Argument::Kind::scalar: return "Scalar";
    case Argument::Kind::list: return "ScalarList";
    case Argument::Kind::none: break;
  }
  return "";
}

// "conv2d" of "aten::conv2d".
std::string_view bare_name(std::string_view name) {
  const std::size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

}  // namespace

Argument::Argument(const Extents& list) : kind_(Kind::list), text_(list_text(list)) {}

Argument Argument::scalar(std::string text) {
  Argument result;
  result.kind_ = Kind::scalar;
  result.text_ = std::move(text);
  return result;
}

Argument Argument::number(std::int64_t value) { return scalar(std::to_string(value)); }

Recorder::Recorder(const Gpu& gpu, const Recording& recording, std::uint64_t seed) : gpu_(gpu), recording_(recording), noise_(seed) {
  first_external_id_ = std::uniform_int_distribution(1, 4000)(noise_);
  correlation_ = std::uniform_int_distribution(100, 90000)(noise_);
}

Recorder::Event& Recorder::add(std::string_view category, std::string name, double begin, double duration, std::string arguments) {
  events_.push_back({category, std::move(name), cpu_place(), begin, duration, std::move(arguments), std::max(step_, 0)});
  return events_.back();
}

std::string Recorder::cpu_place() const {
  return fmt::format(R"("pid": {}, "tid": {})", process, is_backward_ ? autograd_thread : process);
}

std::string Recorder::numbers_of(std::int64_t sequence, int forward_thread) const {
  return sequence < 0 ? "" : fmt::format(R"("Sequence number": {}, "Fwd thread id": {}, )", sequence, forward_thread);
}

std::string Recorder::inputs_of(const std::vector<Argument>& arguments) const {
  if (!recording_.has_shapes || arguments.empty()) return "";
  std::vector<std::string> concrete, types, strides, dims;
  for (const Argument& argument : arguments) {
    concrete.push_back(fmt::format("\"{}\"", argument.text()));
    types.push_back(fmt::format("\"{}\"", type_of(argument)));
    strides.push_back(extents_of(argument, &Tensor::strides));
    dims.push_back(extents_of(argument, &Tensor::sizes));
  }
  std::string text;
  if (recording_.has_concrete_inputs) text += fmt::format(R"("Concrete Inputs": [{}], )", fmt::join(concrete, ", "));
  text += fmt::format(R"("Input type": [{}], )", fmt::join(types, ", "));
  if (recording_.has_strides) text += fmt::format(R"("Input Strides": [{}], )", fmt::join(strides, ", "));
  return text + fmt::format(R"("Input Dims": [{}], )", fmt::join(dims, ", "));
}

bool Recorder::is_seen_by_autograd() const {
  if (!is_grad_mode || is_backward_) return false;
  return std::ranges::all_of(stack(), [](const Open& open) { return open.is_composite || open.is_wrapper; });
}

bool Recorder::is_recorded() const {
  if (!is_grad_mode || is_backward_ || stack().empty()) return false;
  return std::all_of(stack().begin(), stack().end() - 1, [](const Open& open) { return open.is_composite || open.is_wrapper; });
}

bool Recorder::is_top_level() const {
  return std::ranges::count_if(stack(), [](const Open& open) { return !open.is_wrapper; }) == 1;
}

void Recorder::open(std::string_view name, const std::vector<Argument>& arguments, bool is_composite) {
  const bool is_first = std::ranges::all_of(stack(), [](const Open& open) { return open.is_wrapper; });
  if (is_first) {
    copied_ = 0;
    push_frame(fmt::format("<built-in method {} of Tensor object at {:#x}>", bare_name(name), 0x7f3a00000000 + (noise_() & 0xfffff0)));
  }
  now_ += between(0.8, 2.2);
  const int external_id = first_external_id_ + event_index_;
  const std::string sequence = is_seen_by_autograd() ? numbers_of(next_sequence, 0) : "";
  const std::string record = recording_.has_concrete_inputs ? R"("Record function id": 0, )" : "";
  std::string text =
      fmt::format(R"("External id": {}, {}{}{}"Ev Idx": {})", external_id, sequence, record, inputs_of(arguments), event_index_++);
  stack().push_back({events_.size(), std::string(name), external_id, false, is_composite, false, {}, {}, {}});
  add("cpu_op", std::string(name), now_, 0, std::move(text));
  for (const Argument& argument : arguments) {
    for (const Tensor& tensor : argument.tensors()) {
      if (tensor.is_unstable) note_unstable(name);
    }
  }
  now_ += between(0.2, 0.9);
}

void Recorder::open_wrapper(const std::string& name, std::int64_t sequence) {
  now_ += between(0.5, 1.5);
  const int external_id = first_external_id_ + event_index_;
  std::string text = fmt::format(R"("External id": {}, {}"Ev Idx": {})", external_id, numbers_of(sequence, 1), event_index_++);
  stack().push_back({events_.size(), name, external_id, true, true, false, {}, {}, {}});
  add("cpu_op", name, now_, 0, std::move(text));
  now_ += between(0.2, 0.8);
}

void Recorder::close() {
  now_ += between(0.3, 0.9);
  const Open open = stack().back();
  stack().pop_back();
  events_[open.event].duration = now_ - events_[open.event].begin;
  now_ += between(0.1, 0.4);
  if (open.is_wrapper || std::ranges::any_of(stack(), [](const Open& outer) { return !outer.is_wrapper; })) return;
  pop_frame();
  if (open.is_view && copied_ == 0) return add_to_run(open);
  end_run(&open);
}

void Recorder::annotate(const std::string& name, double since) {
  add("user_annotation", name, since, now_ - since,
      fmt::format(R"("External id": {}, "Ev Idx": {})", first_external_id_ + event_index_, event_index_));
  ++event_index_;
}

void Recorder::note_view(const Tensor& from, const Tensor& to, const Extents& order) {
  if (!is_top_level()) return;
  Open& open = stack().back();
  open.is_view = true;
  open.from = from;
  open.to = to;
  open.order = order;
}

void Recorder::add_to_run(const Open& open) {
  if (run_.views.empty()) run_ = {step_, is_backward_, {}, 0, {}};
  run_.views.push_back({open.name, site, open.from.id, open.to.id, open.order, open.from.sizes});
}

// Runs end with the next operator that is no view, with the thread and with the step.
void Recorder::end_run(const Open* by) {
  if (!run_.views.empty()) {
    if (by) run_.end = {by->name};
    run_.copied = by ? copied_ : 0;
    seen_.runs.push_back(run_);
  }
  run_ = {};
  copied_ = 0;
}

void Recorder::note_copy(CopyKind kind, const Tensor& to, const Tensor& from, double us) {
  static constexpr std::array hot_operators = {
      "aten::mm",         "aten::addmm",   "aten::bmm",        "aten::linear",
      "aten::matmul",     "aten::einsum",  "aten::conv2d",     "aten::convolution_backward",
      "aten::layer_norm", "aten::softmax", "aten::batch_norm", "aten::scaled_dot_product_attention"};
  CopySeen copy = {step_, is_backward_, site, {}, "", kind, bytes(to) + unique_bytes(from), us};
  for (const Open& open : stack()) {
    if (open.is_wrapper) continue;
    copy.path.push_back(open.name);
    if (copy.hot.empty() && std::ranges::find(hot_operators, open.name) != hot_operators.end()) copy.hot = open.name;
  }
  if (kind == CopyKind::relayout || kind == CopyKind::materialise || kind == CopyKind::compact || kind == CopyKind::cast_relayout) {
    copied_ = from.id;
  }
  seen_.copies.push_back(std::move(copy));
}

void Recorder::note_unstable(std::string_view name) { seen_.unstable.emplace(site, std::string(name)); }

void Recorder::launch(const Kernel& kernel) {
  const double call = between(2.5, 6);
  ++correlation_;
  const int external_id = stack().empty() ? 0 : stack().back().external_id;
  const std::string id = recording_.has_true_external_ids ? fmt::format(R"("External id": {}, )", external_id) : "";
  add("cuda_runtime", "cudaLaunchKernel", now_, call, fmt::format(R"({}"cbid": 211, "correlation": {})", id, correlation_));
  now_ += call;
  const double begin = std::max(gpu_free_, now_ + between(1.2, 2.5));
  gpu_free_ = begin + kernel.us;
  if (step_gpu_begin_ < 0) step_gpu_begin_ = begin;
  constexpr int block = 128;
  const std::int64_t blocks = std::max<std::int64_t>(1, kernel.threads / block);
  const double per_multiprocessor = static_cast<double>(blocks) / gpu_.multiprocessors;
  const int seen_id = recording_.has_true_external_ids ? external_id : correlation_ + 500000;
  add("kernel", kernel.name, begin, kernel.us,
      fmt::format(
          R"("External id": {}, "queued": 0, "device": 0, "context": 1, "stream": {}, "correlation": {}, "registers per thread": 32, )"
          R"("shared memory": 0, "blocks per SM": {:.6f}, "warps per SM": {:.6f}, "grid": [{}, 1, 1], "block": [{}, 1, 1], )"
          R"("est. achieved occupancy %": {})",
          seen_id, stream, correlation_, per_multiprocessor, per_multiprocessor * block / 32, blocks, block,
          std::min(100, static_cast<int>(per_multiprocessor * 10))))
      .place = fmt::format(R"("pid": 0, "tid": {})", stream);
  KernelSeen seen = {step_, is_backward_, site, {}, kernel.bytes, kernel.us, kernel.is_elementwise, false};
  for (const Open& open : stack()) {
    if (!open.is_wrapper) seen.path.push_back(open.name);
    seen.is_copy |= open.name == "aten::copy_";
  }
  seen_.kernels.push_back(std::move(seen));
  seen_.total_bytes += static_cast<double>(kernel.bytes);
}

void Recorder::memcpy_on_gpu(std::string_view kind, std::int64_t count, double us) {
  const double call = between(2.5, 6);
  ++correlation_;
  const int external_id = stack().empty() ? 0 : stack().back().external_id;
  const std::string id = recording_.has_true_external_ids ? fmt::format(R"("External id": {}, )", external_id) : "";
  add("cuda_runtime", "cudaMemcpyAsync", now_, call, fmt::format(R"({}"cbid": 41, "correlation": {})", id, correlation_));
  now_ += call;
  const double begin = std::max(gpu_free_, now_ + between(1.2, 2.5));
  gpu_free_ = begin + us;
  const int seen_id = recording_.has_true_external_ids ? external_id : correlation_ + 500000;
  add("gpu_memcpy", fmt::format("Memcpy {}", kind), begin, us,
      fmt::format(
          R"x("External id": {}, "device": 0, "context": 1, "stream": {}, "correlation": {}, "bytes": {}, "memory bandwidth (GB/s)": {})x",
          seen_id, stream, correlation_, count, static_cast<double>(count) / us / 1000))
      .place = fmt::format(R"("pid": 0, "tid": {})", stream);
  if (kind.starts_with("DtoD")) seen_.total_bytes += 2 * static_cast<double>(count);
}

void Recorder::push_frame(std::string name, int module) {
  if (!recording_.has_stacks || is_backward_) return;
  now_ += between(0.3, 0.9);
  const int parent = frames_.empty() ? 0 : frames_.back().id;
  Frame frame = {std::move(name), now_, ++frame_ids_, parent, module, ""};
  if (recording_.has_calls) frame.called_from = caller_of(frame);
  frames_.push_back(std::move(frame));
}

// Equal calls of a function stand in one line. A module has no file of its own: torch calls what is in it.
std::string Recorder::caller_of(const Frame& frame) const {
  const std::string_view called = std::string_view(frame.name).substr(0, frame.name.find(" of Tensor"));
  for (const Frame& around : frames_ | std::views::reverse) {
    if (around.module >= 0) return "torch/nn/modules/module.py:1784";
    const std::size_t open = around.name.find(".py(");
    if (open == std::string::npos) continue;
    const int line =
        std::stoi(around.name.substr(open + 4)) + 1 + static_cast<int>(std::hash<std::string_view>()(called) % lines_of_a_function);
    return fmt::format("{}:{}", around.name.substr(0, open + 3), line);
  }
  return "";
}

void Recorder::pop_frame() {
  if (!recording_.has_stacks || is_backward_ || frames_.empty()) return;
  const Frame frame = frames_.back();
  frames_.pop_back();
  now_ += between(0.1, 0.5);
  const std::string parent = frame.parent == 0 ? "null" : std::to_string(frame.parent);
  const std::string module = frame.module < 0 ? "" : fmt::format(R"("Python module id": {}, )", frame.module);
  const std::string call = frame.called_from.empty() ? "" : fmt::format(R"("CallFrom": "{}", )", frame.called_from);
  add("python_function", frame.name, frame.begin, now_ - frame.begin,
      fmt::format(R"("Python parent id": {}, "Python id": {}, {}{}"Ev Idx": {})", parent, frame.id, call, module, 50000 + frame.id));
  now_ += between(0.05, 0.2);
}

void Recorder::enter_autograd_thread(bool is_entered) {
  end_run(nullptr);
  is_backward_ = is_entered;
}

void Recorder::begin_step(int number) {
  step_ = number;
  now_ += between(3, 10);
  step_begin_ = now_;
  step_gpu_begin_ = -1;
  now_ += between(1, 4);
}

void Recorder::end_step() {
  end_run(nullptr);
  if (recording_.has_clutter) clutter();
  now_ += between(1, 4);
  if (!recording_.has_step_marks) return;
  annotate(fmt::format("ProfilerStep#{}", step_ + 3), step_begin_);
  if (step_gpu_begin_ < 0) return;
  add("gpu_user_annotation", fmt::format("ProfilerStep#{}", step_ + 3), step_gpu_begin_, gpu_free_ - step_gpu_begin_, "").place =
      fmt::format(R"("pid": 0, "tid": {})", stream);
}

// Events that have nothing to do with layouts: of loader threads, of the allocator, of the profiler itself.
void Recorder::clutter() {
  const double begin = step_begin_ + 2;
  const double length = std::max(now_ - begin - 1, 1.0);
  const std::string place = fmt::format(R"("pid": {}, "tid": {})", process, 4300);
  add("cpu_op", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", begin, length * 0.4,
      R"("External id": 900001, "Ev Idx": 900001)")
      .place = place;
  add("cpu_op", "aten::stack", begin + length * 0.5, length * 0.2, R"("External id": 900002, "Ev Idx": 900002)").place = place;
  // A copy on the CPU, of a loader: it has no GPU work.
  add("cpu_op", "aten::contiguous", begin + length * 0.75, length * 0.1, R"("External id": 900003, "Ev Idx": 900003)").place = place;
  add("cpu_op", "aten::clone", begin + length * 0.76, length * 0.08, R"("External id": 900004, "Ev Idx": 900004)").place = place;
  add("cpu_op", "aten::copy_", begin + length * 0.77, length * 0.06, R"("External id": 900005, "Ev Idx": 900005)").place = place;
  add("overhead", "Activity Buffer Request", begin, 1.5, "").place = R"("pid": -1, "tid": 0)";
  add("cuda_runtime", "cudaStreamIsCapturing", now_, 0.4, R"("cbid": 317, "correlation": 7)");
}

void Recorder::write_event(const Event& event, std::string& text) const {
  const double base = recording_.has_whole_microseconds ? epoch_us : since_base_us;
  double begin = base + event.begin, end = base + event.begin + event.duration;
  const char* format = R"({{"ph": "X", "cat": "{}", "name": "{}", {}, "ts": {:.3f}, "dur": {:.3f}, "args": {{{}}}}})";
  if (recording_.has_whole_microseconds) {
    begin = std::floor(begin);
    end = std::floor(end);
    format = R"({{"ph": "X", "cat": "{}", "name": "{}", {}, "ts": {:.0f}, "dur": {:.0f}, "args": {{{}}}}})";
  }
  fmt::format_to(std::back_inserter(text), fmt::runtime(format), event.category, event.name, event.place, begin, end - begin,
                 event.arguments);
  if (recording_.has_flows && event.category == "cuda_runtime" && event.name != "cudaStreamIsCapturing") {
    const std::size_t at = event.arguments.rfind(' ');
    fmt::format_to(std::back_inserter(text),
                   ",\n"
                   R"({{"ph": "s", "id": {}, {}, "ts": {:.3f}, "cat": "ac2g", "name": "ac2g"}})",
                   std::string_view(event.arguments).substr(at + 1), event.place, begin);
  }
}

std::string Recorder::header() const {
  std::string text = fmt::format(
      R"({{"schemaVersion": 1, "deviceProperties": [{{"id": 0, "name": "{}", "totalGlobalMem": {}, "computeMajor": {}, "computeMinor": {}, )"
      R"("maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65536, "warpSize": 32, "sharedMemPerBlock": 49152, )"
      R"("numSms": {}, "regsPerMultiprocessor": 65536, "sharedMemPerBlockOptin": 166912, "sharedMemPerMultiprocessor": 167936}}], )",
      gpu_.name, gpu_.memory_bytes, gpu_.major, gpu_.minor, gpu_.multiprocessors);
  if (recording_.has_shapes) text += R"("record_shapes": 1, )";
  if (recording_.has_stacks) text += R"("with_stack": 1, )";
  if (!recording_.has_whole_microseconds) text += fmt::format(R"("displayTimeUnit": "ms", "baseTimeNanoseconds": {}, )", base_ns);
  return text + "\"traceEvents\": [\n";
}

std::string Recorder::json() {
  // As Kineto writes them: what the CPU did by time, then what CUPTI delivered, then Python.
  static constexpr std::array<std::string_view, 3> last_categories = {"cuda_runtime", "kernel", "gpu_memcpy"};
  const auto group_of = [](const Event& event) {
    if (event.category == "python_function") return 2;
    return std::ranges::find(last_categories, event.category) != last_categories.end() ? 1 : 0;
  };
  std::ranges::stable_sort(
      events_, {}, [&](const Event& event) { return std::tuple(recording_.is_truncated ? event.step : 0, group_of(event), event.begin); });
  if (recording_.is_shuffled) std::shuffle(events_.begin(), events_.end(), noise_);
  std::string text = header();
  std::size_t last_step = text.size();
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (i > 0) text += ",\n";
    if (i > 0 && events_[i].step != events_[i - 1].step) last_step = text.size();
    write_event(events_[i], text);
  }
  if (recording_.is_truncated) return text.substr(0, last_step + (text.size() - last_step) / 2);
  return text + R"(
], "traceName": "./log/simulated.pt.trace.json"})";
}

ModuleScope::ModuleScope(Recorder& recorder, const std::string& name, const std::string& file, int line)
    : recorder_(recorder), before_(recorder.site) {
  recorder_.push_frame("nn.Module: " + name, 0);
  recorder_.push_frame("torch/nn/modules/module.py(1553): _call_impl");
  recorder_.push_frame(fmt::format("{}({}): forward", file, line));
  recorder_.site = {before_.module.empty() ? name : before_.module + "." + name, file, line};
}

ModuleScope::ModuleScope(Recorder& recorder, const std::string& name, const std::string& torch_file_and_line)
    : recorder_(recorder), before_(recorder.site) {
  recorder_.push_frame("nn.Module: " + name, 0);
  recorder_.push_frame("torch/nn/modules/module.py(1553): _call_impl");
  recorder_.push_frame(torch_file_and_line + ": forward");
  recorder_.site.module = before_.module + "." + name;
}

ModuleScope::~ModuleScope() {
  for (int i = 0; i < 3; ++i) recorder_.pop_frame();
  recorder_.site = before_;
}

}  // namespace frx::testing::layout
