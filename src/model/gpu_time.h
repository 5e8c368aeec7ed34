// Where the time of steps went on a GPU: computing, communicating, copying, or idle and why.
//
// A nanosecond is counted once. While any kernel computes the GPU computes; what communication or copies add to that
// is exposed; the rest is idle, and is attributed to the first of the causes that holds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frx::model {

enum class IdleCause : std::uint8_t {
  input,      // the program was waiting for its data loader
  sync,       // the program had stopped to wait for the GPU, and had nothing ready when it went on
  allocator,  // a call that frees or reserves device memory stood in the way
  first_use,  // code was loaded, compiled or captured, which happens once
  host,       // the next kernel had not been launched yet: Python, the framework, the launches themselves
  device,     // it had been launched, and the GPU had not begun it (dependencies, launch latency)
  unknown,    // the recording does not contain the launch of the next work
};
inline constexpr std::string_view idle_cause_names[] = {"input", "sync", "allocator", "first_use", "host", "device", "unknown"};
inline constexpr std::size_t idle_cause_count = std::size(idle_cause_names);
constexpr std::string_view name_of(IdleCause cause) { return idle_cause_names[static_cast<std::size_t>(cause)]; }

// Nanoseconds of a stretch of time. compute + communication + copy + idle = span.
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
  std::int64_t idle_because(IdleCause cause) const { return idle_by[static_cast<std::size_t>(cause)]; }
  GpuTime& operator+=(const GpuTime& other);
};

// A time in which a GPU has nothing to do.
struct IdleGap {
  std::int64_t begin = 0, end = 0;  // ns, of the clock of the trace
  std::array<std::int64_t, idle_cause_count> idle_by{};
  std::string during;       // what the program did for most of it: an operator, a call, a range; "": unknown
  bool is_one_off = false;  // happens once in many steps
  std::size_t step = 0;     // in which it begins
  std::int64_t after = 0;   // ns from the beginning of the first step to it
  std::int64_t length() const { return end - begin; }
  IdleCause cause() const;  // the one that takes most of it
};

// One GPU that a process launched work on.
struct GpuSteps {
  std::int32_t device = -1;
  std::vector<GpuTime> steps;            // by step of the process
  std::vector<GpuTime> usual;            // the same without the gaps that happen once; empty when there are none
  std::vector<IdleGap> gaps;             // the longest, by begin
  std::vector<IdleGap> drawn_gaps = {};  // more of them, where a figure is wanted
  std::size_t gaps_left_out = 0;         // of those that would be drawn

  const GpuTime& usual_time(std::size_t step) const { return usual.empty() ? steps[step] : usual[step]; }
};

// The steps from `skipped` on, together.
GpuTime total_of(const GpuSteps& gpu, std::size_t skipped = 0);

}  // namespace frx::model
