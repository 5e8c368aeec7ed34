// What statements of host code do between launches.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "derive/cuda/program.h"

namespace frx::derive::cuda {

// Functions that launch and, as the last thing they do, wait for the GPU.
using WaitingNames = std::unordered_set<std::string_view>;

struct HostStep {
  // A launch, or other work of a stream; a wait for the GPU; something that needs what the GPU has done, or may; a call of a function that
  // launches and then waits, or of one that launches before it may need anything; or none of these.
  enum Kind : std::uint8_t { passes, launches, waits, needs, launches_and_waits, launches_first };
  Kind kind = passes;
  std::uint32_t call = none;
  std::string_view stream = {};  // of a launch, or that is waited for, as written
  bool needs_before = false;     // of a launch: what it is given needs results
};

// The range-based for as well, but not the `do { ... } while (0)` of macros.
bool is_host_loop(const Source& source, std::uint32_t node);

// The innermost loop of a host function around a node, or none.
std::uint32_t host_loop_around(const Source& source, std::uint32_t node, std::uint32_t function);

// What a node sets, counts or gives a pointer to: the left side of an assignment, the operand of ++ or --, the x of &x; none for others.
std::uint32_t changed_by(const Source& source, std::uint32_t node);

// Can the host reach what kernels write without a copy?
enum class HostReach : std::uint8_t {
  unknown,
  apart,   // the file takes memory by cudaMalloc()
  shared,  // it speaks of managed, pinned or mapped memory, or of vectors that copy element by element
};
HostReach host_reach(std::string_view text);

// The same of all files, found out when it is first asked for; from any thread.
class HostMemory {
 public:
  explicit HostMemory(const Sources& sources) : sources_(sources) {}
  bool is_shared_anywhere() const;

 private:
  const Sources& sources_;
  mutable std::once_flag once_;
  mutable bool is_shared_ = false;
};

// What is known of a file. `waiting` must outlive what it is given to: with it, calls of small functions of the file are looked into, and
// those by these names are seen.
struct HostView {
  const WaitingNames* waiting = nullptr;
  HostReach reach = HostReach::unknown;
  const HostMemory* memory = nullptr;  // null: not asked
};

// Does a call by name lead to a function, the only one of its name: not std::fill() to one called fill, nor x.size() to one that is no
// member?
bool may_call(const Program& program, const Source& source, std::uint32_t call, const Function& function);

// Does the host wait in a function, perhaps: does it name a wait, or a function that may only wait?
bool may_wait(const Program& program, const Function& function);

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
  HostStep::Kind kind_of_small(std::uint32_t call, std::string_view name) const;
  HostStep::Kind kind_of_body(const Function& called) const;
  bool has_return(std::uint32_t statement) const;
  std::optional<std::string_view> stream_of_work(std::uint32_t call, std::string_view name) const;
  bool is_of_device(std::uint32_t iterator) const;
  bool computes(std::uint32_t binary) const;
  bool only_waits(std::uint32_t call, std::string_view name) const;
  bool has_default_for_others(std::uint32_t call, const Function& called) const;
  bool body_only_waits(const Function& called) const;
  bool is_whole_statement(std::uint32_t call, std::uint32_t statement) const;
  bool makes_object(std::uint32_t node) const;
  bool is_given_to_gpu(std::string_view object) const;
  std::string_view followed_in(std::uint32_t node) const;
  bool looks_at_errors_alone(std::uint32_t arguments) const;
  std::string_view stream_in(std::uint32_t config) const;
  bool reads_memory(std::uint32_t node) const;
  bool is_variable_of_device(std::uint32_t node) const;

  const Program& program_;
  const Source& source_;
  const model::cuda::Syntax& syntax_;
  const Function& function_;
  HostView view_;
  mutable std::optional<std::unordered_set<std::string_view>>
      given_;  // what launches and waiting calls of the function are given, as written
  mutable std::optional<std::unordered_set<std::string_view>> device_pointers_;  // variables of the type thrust::device_ptr
  mutable std::unordered_map<std::uint32_t, bool> waits_;                        // functions that it calls: do they only wait?
  mutable std::unordered_map<std::uint32_t, HostStep::Kind> kinds_;              // and small ones
  int depth_;                                                                    // of small functions that call each other
};

}  // namespace frx::derive::cuda
