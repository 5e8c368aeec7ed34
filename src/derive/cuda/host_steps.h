// What statements of host code do between launches.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "derive/cuda/program.h"

namespace frx::derive::cuda {

// Functions that launch and, as the last thing they do, wait for the GPU.
using WaitingNames = std::unordered_set<std::string_view>;

struct HostStep {
  // A launch; a wait for the GPU; something that needs what the GPU has done, or may; a call of a function that launches and then waits; or
  // none of these.
  enum Kind : std::uint8_t { passes, launches, waits, needs, launches_and_waits };
  Kind kind = passes;
  std::uint32_t call = none;
  std::string_view stream = {};  // of a launch, or that is waited for, as written
};

bool is_host_loop(NodeKind kind);  // the range-based for as well

// The innermost loop of a host function around a node, or none.
std::uint32_t host_loop_around(const model::cuda::Syntax& syntax, std::uint32_t node, std::uint32_t function);

// What is known of a program. `waiting` must outlive what it is given to: with it, calls of small functions of the file are looked into,
// and those by these names are seen.
struct HostView {
  const WaitingNames* waiting = nullptr;
  bool reaches_gpu_memory = true;
};

// May the host reach what kernels write by itself? Not where the program takes memory by cudaMalloc() and neither managed nor pinned one.
bool reaches_gpu_memory(const Sources& sources);

// Of one host function.
class HostSteps {
 public:
  HostSteps(const Program& program, const Function& function, HostView view = {}, int depth = 0)
      : program_(program),
        source_(program.sources()[function.at.source]),
        syntax_(source_.syntax),
        function_(function),
        view_(view),
        depth_(depth) {}

  // A statement; long ones and loops need results.
  HostStep of(std::uint32_t statement) const;

  // Does a loop need results outside of its body?
  bool needs_results(std::uint32_t loop, std::uint32_t body) const;

 private:
  HostStep of_call(std::uint32_t call) const;
  bool only_passes(std::string_view name) const;
  bool looks_at_errors_alone(std::uint32_t arguments) const;
  std::string_view stream_in(std::uint32_t config) const;
  bool reads_memory(std::uint32_t node) const;
  bool is_variable_of_device(std::uint32_t node) const;

  const Program& program_;
  const Source& source_;
  const model::cuda::Syntax& syntax_;
  const Function& function_;
  HostView view_;
  int depth_;  // of small functions that call each other
};

}  // namespace frx::derive::cuda
