// The resources of an SM that the machine code of a kernel needs, as its compiler recorded them.
//
// Read from a cubin, so these are physical numbers: registers after allocation, not the virtual ones of PTX.
// What the file does not say is absent, never zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/session.h"

namespace frx::model {

// Local memory is the stack of a thread: spilled registers, arrays with computed indices, arguments of calls.
// Counted over the code, not over an execution; an instruction in a loop counts once.
struct LocalAccesses {
  std::uint32_t loads = 0, stores = 0;            // instructions
  std::uint64_t load_bytes = 0, store_bytes = 0;  // per thread
  bool operator==(const LocalAccesses&) const = default;
};

struct KernelResources {
  std::string name;          // mangled
  std::string demangled;     // "" when the name is no C++ name
  std::string architecture;  // "sm_90a"
  std::string member;        // of a static library: "kernels.cu.o"; else ""
  ComputeCapability cc;
  // Relocatable device code (nvcc -dc): registers, stack and shared memory of the functions
  // it calls in other translation units are not counted.
  bool relocatable = false;

  std::optional<std::uint32_t> registers_per_thread;
  std::optional<std::uint32_t> register_limit;         // that the compiler had to keep, from launch bounds or -maxrregcount
  std::optional<std::uint64_t> frame_bytes;            // stack of the kernel itself, per thread
  std::optional<std::uint64_t> stack_bytes;            // with what it calls, per thread; absent when recursion leaves it open
  std::optional<std::uint64_t> static_shared_bytes;    // per block, as the source declares
  std::optional<std::uint64_t> reserved_shared_bytes;  // per block, that the compiler laid before it for the system
  std::optional<std::uint32_t> parameter_bytes;
  std::optional<std::uint64_t> constant_bytes;    // constant bank 0: launch values, parameters
  std::optional<std::uint32_t> barriers;          // of the 16 of a block
  std::optional<Dim3> max_threads;                // per block: __launch_bounds__, .maxntid
  std::optional<Dim3> required_threads;           // per block: __block_size__, .reqntid
  std::optional<Dim3> cluster;                    // blocks: __cluster_dims__
  std::optional<std::uint32_t> max_cluster_size;  // blocks: third argument of __launch_bounds__

  std::optional<LocalAccesses> local;             // with functions in the kernel's own section; absent before Volta
  std::optional<LocalAccesses> spills;            // those of `local` that save or restore a register of the kernel;
                                                  // absent when the compiler does not mark them
  std::optional<std::uint32_t> indirect_calls;    // to addresses known at run time: what they take is not counted
  std::optional<std::uint32_t> driver_functions;  // such as printf and malloc, which the driver adds when it loads the
                                                  // kernel; it may then use more registers than stated here
  std::uint64_t code_bytes = 0;
  std::optional<std::uint32_t> cuda_version;  // of the compiler: 130 for 13.0
};

}  // namespace frx::model
