// Where the time of steps went, on each GPU: computing, communicating, copying, waiting; and what it waited for.
//
// A nanosecond is counted once. While any kernel computes the GPU computes; what communication or copies add to that
// is exposed; the rest is idle, and is attributed to the first of these causes that applies:
//   input      the program was waiting for its data loader
//   sync       the program had waited for the GPU, and had nothing ready when the wait ended
//   allocator  a call that frees or reserves device memory blocked the GPU
//   host       the next kernel had not been launched yet: Python, the framework, the launches themselves
//   device     it had been launched, and the GPU had not begun it (dependencies, launch latency)
//   unknown    the recording does not contain the launch of the next work
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "derive/trace/attribution.h"
#include "derive/trace/intervals.h"
#include "derive/trace/shapes.h"
#include "derive/trace/steps.h"
#include "model/timeline.h"

namespace frx::derive::trace {

enum class IdleCause : std::uint8_t { input, sync, allocator, host, device, unknown };
inline constexpr std::size_t idle_cause_count = 6;
std::string_view name_of(IdleCause cause);

// Nanoseconds of an interval. compute + communication + copy + idle = span.
struct GpuTime {
  std::int64_t span = 0;
  std::int64_t compute = 0;
  std::int64_t communication = 0;      // exposed: nothing computed meanwhile
  std::int64_t copy = 0;               // exposed: nothing computed nor communicated meanwhile; fills included
  std::int64_t host_to_device = 0;     // of `copy`, from the host to the GPU
  std::int64_t all_communication = 0;  // hidden or not
  std::int64_t all_host_to_device = 0;
  std::int64_t idle = 0;
  std::array<std::int64_t, idle_cause_count> idle_by{};

  std::int64_t busy() const { return compute + communication + copy; }
  GpuTime& operator+=(const GpuTime& other);
};

struct GpuTrack {
  std::int32_t device = -1;
  std::vector<GpuTime> steps;  // by step of the process
  GpuTime all;                 // over the steps
};

// What the program itself did in a step, as seen from the CPU.
struct HostTime {
  std::int64_t wall = 0;
  std::int64_t input = 0;                                 // waiting for the data loader
  std::int64_t sync = 0;                                  // calls that wait for the GPU
  std::int64_t forward = 0, backward = 0, optimizer = 0;  // ranges of the program that say so; 0: none
  std::uint32_t kernels = 0;                              // launched in the step
  std::optional<double> median_kernel_ns;                 // none without kernels
  double small_kernels = 0;                               // share of kernels below 10 us
};

struct ProcessTimes {
  Steps steps;
  std::vector<HostTime> host;  // by step
  bool has_loader = false;     // a data loader was recorded
  ModelShapes shapes;
  std::vector<GpuTrack> gpus;  // by device; those on which the process launched work
};

// Kernels of NCCL, RCCL and the like, by name.
bool is_communication(std::string_view kernel);

// O(n log n) in the number of events.
std::vector<ProcessTimes> break_down(const model::Timeline& timeline, const Attribution& attribution, std::vector<Steps> steps);

}  // namespace frx::derive::trace
