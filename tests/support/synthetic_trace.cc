#include "support/synthetic_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <iterator>
#include <random>

namespace frx::testing {
namespace {

// What an operation is, and which label its cost belongs to.
enum class Work : std::uint8_t { host, kernel, wait, loader, copy, collective, allocation, first_use, delay };

constexpr std::string_view label_of(Work work) {
  switch (work) {
    case Work::host: return "host_bound";
    case Work::kernel: return "launch_bound";
    case Work::wait: return "sync_bound";
    case Work::loader: return "input_bound";
    case Work::copy: return "copy_bound";
    case Work::collective: return "communication_bound";
    case Work::allocation: return "allocator_bound";
    case Work::first_use: return "cold_start";
    case Work::delay: return "device_wait";
  }
  return "";
}
constexpr std::array all_work = {Work::host,       Work::kernel,     Work::wait,      Work::loader, Work::copy,
                                 Work::collective, Work::allocation, Work::first_use, Work::delay};

using WorkSet = std::bitset<all_work.size()>;
WorkSet only(Work work) { return WorkSet().set(static_cast<std::size_t>(work)); }

struct Operation {
  Work work;
  double us = 0;               // of the program, or on the GPU for kernels, copies, collectives and delays
  bool is_overlapped = false;  // a collective that nothing waits for
};
using StepOperations = std::vector<Operation>;

// What was not recorded, and how steps are told.
struct Recording {
  enum class Marks : std::uint8_t { profiler, range, none } marks = Marks::profiler;
  bool has_operators = true, has_calls = true, has_loader = true, has_whole_microseconds = false;
  double launch_us = 4;
  std::uint64_t noise = 0;  // a seed
};

// Carries out a program. Operations of the kinds that are left out cost nothing.
class Machine {
 public:
  Machine(const Recording& recording, WorkSet left_out, std::string* json)
      : recording_(recording), left_out_(left_out), json_(json), random_(recording.noise) {}

  double run(const std::vector<StepOperations>& steps) {
    if (json_) *json_ += R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}], "traceEvents": [)";
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const double begin = cpu_;
      for (const Operation& operation : steps[i]) carry_out(operation);
      if (recording_.marks == Recording::Marks::profiler)
        event("user_annotation", fmt::format("ProfilerStep#{}", i + 3), 1, begin, cpu_ - begin);
      if (recording_.marks == Recording::Marks::range) event("user_annotation", "train_iteration", 1, begin, cpu_ - begin);
    }
    if (json_) {
      if (json_->ends_with(",\n")) json_->resize(json_->size() - 2);
      *json_ += "]}";
    }
    return std::max({cpu_, compute_, copies_, collectives_});
  }

 private:
  bool is_left_out(Work work) const { return left_out_.test(static_cast<std::size_t>(work)); }
  double cost(const Operation& operation) const { return is_left_out(operation.work) ? 0 : operation.us; }
  double jitter(double about) { return about * std::uniform_real_distribution(0.8, 1.2)(random_); }

  void event(std::string_view category, std::string_view name, int thread, double begin, double duration, std::string_view arguments = "") {
    if (!json_) return;
    if (!recording_.has_operators && category == "cpu_op") return;
    if (!recording_.has_calls && (category == "cuda_runtime" || category == "cuda_driver")) return;
    if (recording_.has_whole_microseconds) {
      duration = std::floor(begin + duration) - std::floor(begin);
      begin = std::floor(begin);
    }
    fmt::format_to(std::back_inserter(*json_),
                   R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}},)"
                   "\n",
                   category, name, category == "kernel" || category == "gpu_memcpy" ? 0 : 1, thread, 1e6 + begin, duration, arguments);
  }
  void call(std::string_view name, double duration, std::string_view category = "cuda_runtime") {
    event(category, name, 1, cpu_, duration);
    cpu_ += duration;
  }

  // On a stream that is free from then on; returns when it begins.
  double submit(std::string_view call_name, std::string_view kind, std::string_view name, int stream, double& free, double not_before,
                double us) {
    const std::string id = fmt::format(R"("correlation":{},"device":0,"stream":{})", ++correlation_, stream);
    const double launch = is_left_out(Work::kernel) ? 0 : jitter(recording_.launch_us);
    event("cuda_runtime", call_name, 1, cpu_, launch, id);
    cpu_ += launch;
    const double begin = std::max({free, not_before, cpu_ + (is_left_out(Work::kernel) ? 0 : 2.5)});
    free = begin + us;
    event(kind, name, stream, begin, us, id);
    return begin;
  }

  void wait_for_gpu() {
    const double until = std::max({cpu_ + 2, compute_, copies_}) + 1;
    call("cudaStreamSynchronize", is_left_out(Work::wait) ? 0 : until - cpu_);
  }

  void carry_out(const Operation& operation) {
    const double us = cost(operation);
    switch (operation.work) {
      case Work::host:
        event("cpu_op", "aten::index_put_", 1, cpu_, us);
        cpu_ += us;
        break;
      case Work::kernel: {
        // The operator around the launch is work of the program, which goes with the launch.
        const double begin = cpu_;
        cpu_ += is_left_out(Work::kernel) ? 0 : jitter(recording_.launch_us * 0.7);
        submit("cudaLaunchKernel", "kernel", "void gemm_kernel<float>(float*)", 7, compute_, ready_, operation.us);
        event("cpu_op", "aten::mm", 1, begin, cpu_ - begin);
        break;
      }
      case Work::wait: wait_for_gpu(); break;
      case Work::loader:
        if (recording_.has_loader) event("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 1, cpu_, us);
        cpu_ += us;
        break;
      case Work::copy: submit("cudaMemcpyAsync", "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 7, compute_, ready_, us); break;
      case Work::collective: {
        submit("cudaLaunchKernel", "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", 24, collectives_, compute_, us);
        if (!operation.is_overlapped) ready_ = std::max(ready_, collectives_);
        break;
      }
      case Work::allocation: {
        // It waits for the GPU, too: where the program never waits, it does not here.
        const bool waits = !is_left_out(Work::allocation) && !is_left_out(Work::wait);
        const double until = std::max(cpu_, waits ? compute_ : cpu_) + us;
        call("cudaFree", until - cpu_);
        break;
      }
      case Work::first_use: call("cuModuleLoadData", us, "cuda_driver"); break;
      case Work::delay: ready_ = std::max({ready_, compute_, cpu_}) + us; break;
    }
  }

  const Recording& recording_;
  WorkSet left_out_;
  std::string* json_;
  std::mt19937_64 random_;
  double cpu_ = 0, compute_ = 0, copies_ = 0, collectives_ = 0;  // us; when each is free
  double ready_ = 0;                                             // when the next kernel may begin
  int correlation_ = 0;
};

struct Dice {
  std::mt19937_64 random;
  double between(double low, double high) { return std::uniform_real_distribution(low, high)(random); }
  int whole(int low, int high) { return std::uniform_int_distribution(low, high)(random); }
  bool one_in(int n) { return whole(1, n) == 1; }
};

// A program that its operations are added to.
struct Plan {
  std::vector<StepOperations> steps;
  Recording recording;
  double computing = 0;  // us of kernels of each step
  int kernels = 0;       // of each step

  void each(Operation operation, bool at_the_end = false) {
    for (StepOperations& step : steps) step.insert(at_the_end ? step.end() : step.begin(), operation);
  }
  void spread(Dice& dice, Operation operation, int times) {
    for (StepOperations& step : steps) {
      for (int i = 0; i < times; ++i) step.insert(step.begin() + dice.whole(0, static_cast<int>(step.size())), operation);
    }
  }
  // So much of each step that it is this share of the whole.
  double for_share(double share) const { return computing * share / (1 - share); }
};

Plan plan_of(Dice& dice, int least_steps, int most_steps, double least_kernel_us, double most_kernel_us, int least_kernels,
             int most_kernels) {
  Plan plan;
  plan.recording.launch_us = dice.between(3, 6);
  plan.recording.noise = dice.random();
  plan.kernels = dice.whole(least_kernels, most_kernels);
  StepOperations step;
  for (int i = 0; i < plan.kernels; ++i) {
    const double us = dice.between(least_kernel_us, most_kernel_us);
    plan.computing += us;
    step.push_back({Work::kernel, us});
  }
  plan.steps.assign(static_cast<std::size_t>(dice.whole(least_steps, most_steps)), step);
  return plan;
}

Plan usual_plan(Dice& dice) { return plan_of(dice, 2, 7, 60, 400, 6, 20); }

// A program that reads its loss: it waits for the GPU at the end of each step.
Plan waiting_plan(Dice& dice) {
  Plan plan = usual_plan(dice);
  plan.each({Work::wait}, true);
  return plan;
}

void add_loader(Dice& dice, Plan& plan) { plan.each({Work::loader, plan.for_share(dice.between(0.27, 0.7))}); }

Plan loader(Dice& dice) {
  Plan plan = waiting_plan(dice);
  add_loader(dice, plan);
  return plan;
}

Plan launches(Dice& dice) {
  Plan plan = plan_of(dice, 2, 4, 1.5, 5, 40, 90);
  plan.recording.launch_us = dice.between(7, 14);
  return plan;
}

Plan program(Dice& dice) {
  Plan plan = waiting_plan(dice);
  const int times = dice.whole(1, 4);
  // After the wait, before the first launch: nothing is in the queue.
  for (int i = 0; i < times; ++i) plan.each({Work::host, plan.for_share(dice.between(0.3, 0.65)) / times});
  if (dice.one_in(2)) {
    for (StepOperations& step : plan.steps) std::erase_if(step, [](const Operation& one) { return one.work == Work::wait; });
    // Without the wait the queue must be empty all the same: more work of the program than of the GPU.
    plan.each({Work::host, plan.computing * dice.between(1.1, 1.6)});
  }
  return plan;
}

// Waits in the middle of steps, each with some work of the program behind it that the wait keeps from being done ahead.
Plan waits(Dice& dice) {
  Plan plan = usual_plan(dice);
  const double lost = plan.for_share(dice.between(0.3, 0.45));
  const int times = dice.whole(2, 4);
  for (StepOperations& step : plan.steps) {
    StepOperations with;
    for (std::size_t i = 0; i < step.size(); ++i) {
      with.push_back(step[i]);
      if ((i + 1) * static_cast<std::size_t>(times) / step.size() == i * static_cast<std::size_t>(times) / step.size()) continue;
      with.push_back({Work::wait});
      with.push_back({Work::host, lost / times});
    }
    step = std::move(with);
  }
  return plan;
}

Plan copies(Dice& dice) {
  Plan plan = usual_plan(dice);
  const int times = dice.whole(1, 3);
  for (int i = 0; i < times; ++i) plan.each({Work::copy, plan.for_share(dice.between(0.3, 0.7)) / times});
  return plan;
}

Plan communication(Dice& dice) {
  Plan plan = usual_plan(dice);
  const int times = dice.whole(1, 4);
  for (int i = 0; i < times; ++i) plan.each({Work::collective, plan.for_share(dice.between(0.3, 0.7)) / times}, true);
  return plan;
}

// Collectives wait for a rank that comes late: as long as ten others.
Plan late_rank(Dice& dice) {
  Plan plan = usual_plan(dice);
  plan.each({Work::collective, plan.computing * 0.02}, true);
  plan.each({Work::collective, plan.for_share(dice.between(0.3, 0.7))}, true);
  return plan;
}

Plan allocations(Dice& dice) {
  Plan plan = waiting_plan(dice);
  const int times = dice.whole(1, 5);
  for (int i = 0; i < times; ++i) plan.each({Work::allocation, plan.for_share(dice.between(0.3, 0.65)) / times});
  return plan;
}

Plan delays(Dice& dice) {
  Plan plan = usual_plan(dice);
  const int times = dice.whole(1, 3);
  const double us = plan.for_share(dice.between(0.3, 0.65)) / times;
  plan.spread(dice, {Work::delay, us}, times);
  return plan;
}

Plan busy(Dice& dice) { return usual_plan(dice); }

Plan busy_and_waiting(Dice& dice) {
  Plan plan = plan_of(dice, 2, 6, 300, 900, 8, 16);
  plan.each({Work::wait}, true);
  return plan;
}

Plan hidden_loader(Dice& dice) {
  Plan plan = plan_of(dice, 3, 7, 150, 500, 10, 20);
  plan.each({Work::loader, plan.computing * dice.between(0.4, 0.75)});
  return plan;
}

Plan hidden_communication(Dice& dice) {
  Plan plan = usual_plan(dice);
  // Behind a kernel in the middle of a step, beside those that follow.
  for (StepOperations& step : plan.steps)
    step.insert(step.begin() + static_cast<std::ptrdiff_t>(step.size() / 3),
                {Work::collective, plan.computing * dice.between(0.2, 0.4), true});
  return plan;
}

// One step of many loses as much as some steps take.
Plan one_gap(Dice& dice) {
  Plan plan = plan_of(dice, 6, 12, 80, 300, 6, 14);
  constexpr std::array kinds = {Work::host, Work::loader, Work::allocation};
  const Work work = kinds[static_cast<std::size_t>(dice.whole(0, 2))];
  StepOperations& odd = plan.steps[static_cast<std::size_t>(dice.whole(3, static_cast<int>(plan.steps.size()) - 1))];
  odd.insert(odd.begin(), {work, plan.computing * dice.between(2, 5)});
  odd.insert(odd.begin(), {Work::wait});
  return plan;
}

Plan cold_start(Dice& dice) {
  Plan plan = plan_of(dice, 1, 3, 60, 400, 6, 20);
  const int times = dice.whole(1, 4);
  const double us = plan.for_share(dice.between(0.4, 0.8)) * static_cast<double>(plan.steps.size()) / times;
  for (int i = 0; i < times; ++i) plan.steps.front().insert(plan.steps.front().begin(), {Work::first_use, std::max(us, 1500.0)});
  return plan;
}

// The code is loaded in the first of many steps; what all of them lose is another thing.
Plan loader_after_cold_start(Dice& dice) {
  Plan plan = plan_of(dice, 6, 10, 60, 300, 6, 14);
  plan.each({Work::wait}, true);
  plan.each({Work::loader, plan.for_share(dice.between(0.35, 0.6))});
  plan.steps.front().insert(plan.steps.front().begin(), {Work::first_use, plan.computing * dice.between(6, 12)});
  return plan;
}

// A program that works for long before it launches anything, in a recording without steps.
Plan late_begin(Dice& dice) {
  Plan plan = plan_of(dice, 1, 1, 60, 400, 6, 40);
  plan.steps.front().insert(plan.steps.front().begin(), {Work::host, plan.computing * dice.between(3, 30)});
  plan.recording.marks = Recording::Marks::none;
  return plan;
}

Plan loader_and_copies(Dice& dice) {
  Plan plan = waiting_plan(dice);
  plan.each({Work::copy, plan.computing * dice.between(0.1, 0.3)});
  add_loader(dice, plan);
  return plan;
}

Plan allocations_and_program(Dice& dice) {
  Plan plan = allocations(dice);
  plan.each({Work::host, plan.computing * dice.between(0.1, 0.25)});
  return plan;
}

Plan communication_and_loader(Dice& dice) {
  Plan plan = communication(dice);
  plan.each({Work::wait}, true);
  plan.each({Work::loader, plan.computing * dice.between(0.1, 0.3)});
  return plan;
}

// Some of everything, large and small, in any order.
Plan anything(Dice& dice) {
  Plan plan = dice.one_in(2) ? waiting_plan(dice) : usual_plan(dice);
  constexpr std::array kinds = {Work::host, Work::copy, Work::collective, Work::loader, Work::allocation, Work::delay};
  for (const Work work : kinds) {
    if (!dice.one_in(3)) continue;
    const int times = dice.whole(1, 3);
    plan.spread(dice, {work, plan.for_share(dice.between(0.02, 0.6)) / times}, times);
  }
  return plan;
}

struct Cause {
  std::string_view name;
  Plan (*plan)(Dice&);
  std::string_view label;       // what leads; "": what costs most
  bool has_usual_steps = true;  // the recording may be told in other ways
};
constexpr Cause causes[] = {
    {"loader", loader, "input_bound"},
    {"launches", launches, "launch_bound"},
    {"program", program, "host_bound"},
    {"waits", waits, "sync_bound"},
    {"copies", copies, "copy_bound"},
    {"communication", communication, "communication_bound"},
    {"late_rank", late_rank, "communication_bound"},
    {"allocations", allocations, "allocator_bound"},
    {"delays", delays, "device_wait"},
    {"busy", busy, "gpu_kept_busy"},
    {"busy_and_waiting", busy_and_waiting, "gpu_kept_busy"},
    {"hidden_loader", hidden_loader, "gpu_kept_busy"},
    {"hidden_communication", hidden_communication, "gpu_kept_busy"},
    {"one_gap", one_gap, "gpu_kept_busy", false},
    {"cold_start", cold_start, "cold_start"},
    {"loader_after_cold_start", loader_after_cold_start, "input_bound", false},
    {"late_begin", late_begin, "host_bound", false},
    {"loader_and_copies", loader_and_copies, "input_bound"},
    {"allocations_and_program", allocations_and_program, "allocator_bound"},
    {"communication_and_loader", communication_and_loader, "communication_bound"},
    {"anything", anything, ""},
};

// In every second trace something was not recorded.
void leave_out(Dice& dice, const Cause& cause, std::uint64_t number, Plan& plan, SyntheticTrace& trace) {
  if (number / std::size(causes) % 2 == 0) return;
  Recording& recording = plan.recording;
  if (cause.has_usual_steps && dice.one_in(2)) recording.marks = dice.one_in(2) ? Recording::Marks::range : Recording::Marks::none;
  recording.has_operators = !dice.one_in(3);
  recording.has_whole_microseconds = dice.one_in(4);
  recording.has_calls = !dice.one_in(6);
  recording.has_loader = !dice.one_in(6);
  // Without calls nothing tells why the GPU is idle; without the range of the loader its wait is work of the program.
  const bool is_loss_on_gpu = cause.label == "copy_bound" || cause.label == "communication_bound" || cause.label == "gpu_kept_busy";
  trace.is_decided = (recording.has_calls || is_loss_on_gpu) &&
                     (recording.has_loader || (cause.label != "input_bound" && !cause.label.empty())) &&
                     (recording.has_operators || cause.plan != late_begin);
  trace.shows_loader = recording.has_loader;
}

// A little of everything else: none of it a tenth of a step.
void disturb(Dice& dice, const Cause& cause, Plan& plan) {
  if (dice.one_in(2)) plan.each({Work::host, plan.computing * dice.between(0, 0.03)});
  if (dice.one_in(3)) plan.each({Work::copy, plan.computing * dice.between(0, 0.04)});
  if (dice.one_in(3)) plan.each({Work::collective, plan.computing * dice.between(0, 0.04)}, true);
  // It waits for the GPU, too, so that nothing is hidden any more.
  if (cause.label != "gpu_kept_busy" && dice.one_in(4)) plan.each({Work::allocation, plan.computing * dice.between(0, 0.03)});
}

// What saves nearly as much is as right: between four pieces of work of the program are three waits, and each of them hides one.
void accept(const Cause& cause, double most, SyntheticTrace& trace) {
  constexpr double notable = 0.12, clear = 0.22, nearly_as_much = 0.65;
  if (!cause.label.empty()) trace.accepted.push_back(cause.label);
  const bool is_busy = cause.label == "gpu_kept_busy" || (cause.label.empty() && most < clear);
  const double least = is_busy ? std::max(notable, 0.99 * most) : nearly_as_much * most;
  for (const auto& [label, share] : trace.costs) {
    if (label != cause.label && share >= least) trace.accepted.push_back(label);
  }
  if (is_busy && most >= notable) {
    trace.accepted.emplace_back("inconclusive");
    trace.accepted.emplace_back("underutilized_gpu");  // idle for a reason that was not recorded
  }
  if (is_busy && cause.label.empty()) trace.accepted.emplace_back("gpu_kept_busy");
}

}  // namespace

std::vector<std::string_view> trace_causes() {
  std::vector<std::string_view> names;
  for (const Cause& cause : causes) names.push_back(cause.name);
  return names;
}

SyntheticTrace synthetic_trace(std::uint64_t number, const TraceVariation& variation) {
  const Cause& cause = causes[number % std::size(causes)];
  Dice dice{std::mt19937_64(number * 0x9E3779B97F4A7C15 + 1)};
  SyntheticTrace trace;
  trace.cause = cause.name;
  trace.label = cause.label;
  Plan plan = cause.plan(dice);
  disturb(dice, cause, plan);
  leave_out(dice, cause, number, plan, trace);
  for (int i = 0; i < variation.more_steps; ++i) plan.steps.push_back(StepOperations(plan.steps.back()));
  for (StepOperations& step : plan.steps) {
    for (Operation& operation : step) {
      const bool is_cause = operation.work != Work::kernel && label_of(operation.work) == cause.label;
      if (is_cause) operation.us *= variation.cause_times;
    }
  }
  if (variation.has_tiny_kernel) plan.each({Work::kernel, 1}, true);
  const double whole = Machine(plan.recording, {}, &trace.json).run(plan.steps);
  const double bare = Machine(plan.recording, WorkSet().set(), nullptr).run(plan.steps);
  double most = 0;
  for (const Work work : all_work) {
    const double alone = whole - Machine(plan.recording, only(work), nullptr).run(plan.steps);
    const double last = Machine(plan.recording, ~only(work), nullptr).run(plan.steps) - bare;
    trace.costs[label_of(work)] = alone / whole;
    trace.most[label_of(work)] = std::max(alone, last) / whole;
    most = std::max(most, alone / whole);
  }
  if (!trace.shows_loader) {
    for (auto* costs : {&trace.costs, &trace.most}) (*costs)["host_bound"] = std::max((*costs)["host_bound"], (*costs)["input_bound"]);
  }
  accept(cause, most, trace);
  return trace;
}

}  // namespace frx::testing
