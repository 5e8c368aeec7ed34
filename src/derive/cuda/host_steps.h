// What statements of host code do between launches.
#pragma once

#include <cstdint>
#include <string_view>

#include "derive/cuda/program.h"

namespace frx::derive::cuda {

struct HostStep {
  // A launch; a wait for the GPU; something that needs what the GPU has done, or may; or none of these.
  enum Kind : std::uint8_t { passes, launches, waits, needs };
  Kind kind = passes;
  std::uint32_t call = none;
  std::string_view stream = {};  // of a launch, or that is waited for, as written
};

// Of one host function.
class HostSteps {
 public:
  HostSteps(const Program& program, const Function& function)
      : program_(program), source_(program.sources()[function.at.source]), syntax_(source_.syntax), function_(function) {}

  // A statement; long ones and loops need results.
  HostStep of(std::uint32_t statement) const;

  // Does a loop need results outside of its body?
  bool needs_results(std::uint32_t loop, std::uint32_t body) const;

 private:
  HostStep of_call(std::uint32_t call) const;
  bool looks_at_errors_alone(std::uint32_t arguments) const;
  std::string_view stream_in(std::uint32_t config) const;
  bool reads_memory(std::uint32_t node) const;
  bool is_variable_of_device(std::uint32_t node) const;

  const Program& program_;
  const Source& source_;
  const model::cuda::Syntax& syntax_;
  const Function& function_;
};

}  // namespace frx::derive::cuda
