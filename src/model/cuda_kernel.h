// What static analysis found in CUDA source: kernels, their launches, and what a launch could look like.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/code_subject.h"

namespace frx::model::cuda {

struct Parameter {
  std::string type, name;
};

// A kernel that the text defines and the parser did not find.
struct UnreadKernel {
  std::string name;  // "" where it cannot be told
  TextPlace place;
  std::string why;
};

struct SharedArray {
  std::string name;  // "extern_dynamic_shared" for the one whose size comes with the launch
  std::string type;
  std::vector<std::optional<std::int64_t>> dims;  // absent: no constant
  std::optional<std::uint64_t> bytes;
  bool is_dynamic = false;
  bool bank_conflict_risk = false;  // lanes of a warp do ask one bank for different words
  std::uint32_t conflict_ways = 1;
  TextPlace place;
};

struct Barrier {
  TextPlace place;
  bool in_loop = false;
  bool is_divergent = false;  // not all threads of a block get there
};

struct Kernel {
  std::string name;
  std::string signature;  // white space made one blank
  std::vector<Parameter> parameters;
  std::vector<std::string> template_parameters;
  TextPlace place;                                      // of its name
  std::optional<std::int64_t> max_threads, min_blocks;  // of __launch_bounds__, where constant
  std::vector<SharedArray> shared_memory;
  std::vector<Barrier> barriers;
  std::vector<std::string> indexing_patterns, memory_access_styles, atomics, reductions;  // words of cuda_static_v1
  std::uint32_t loops = 0, unrolled_loops = 0;
  std::uint32_t live_scalars = 0;  // most that are alive at one place
  // Bytes of global memory that a thread reads for each one it writes, for sizes of 4096; absent where the code does not tell.
  std::optional<double> global_reads_per_write;
  bool is_complete = true;  // false: too deeply nested or too long to follow to the end
};

struct Extent {
  std::uint64_t x = 1, y = 1, z = 1;
  std::uint64_t volume() const { return x * y * z; }
};

// How the number of blocks follows from the size of the data.
struct GridRounding {
  bool is_up = false;       // along x, blocks cover the data and some more: (n + 7) / 8
  bool is_up_in_y = false;  // the same along y
  bool is_down = false;     // along x, they cover no more than the data: n / 8
};

// A call that allocates or frees memory of the GPU in each iteration of a loop.
struct HostAllocation {
  std::string call;
  TextPlace place;
  std::string function = {};   // that the loop calls, where the allocation stands in one; else ""
  TextPlace function_at = {};  // that call
};

// Waits for the GPU between launches, though nothing needs what it has done so far.
struct NeedlessWaits {
  std::string call;               // the first one
  std::uint32_t count = 0;        // in the function; with `function`, of calls of it behind which another launch follows
  bool is_in_loop = false;        // some of them
  std::vector<TextPlace> places;  // some of them
  std::string function = {};      // with this wait at its end, which others call; else ""
};

// An argument of two launches, as written, and its positions in both.
struct SharedArgument {
  std::string text;
  std::vector<std::uint32_t> there, here;
};

// The launch before another one, of the same shape and stream, with nothing between them but waits and looks at errors.
struct PreviousLaunch {
  std::string kernel;
  TextPlace place;
  std::vector<SharedArgument> arguments;  // at least one
};

struct Launch {
  std::string kernel;  // without template arguments and namespaces
  TextPlace place;
  std::string raw_config, grid_expr, block_expr, shared_memory_expr, stream_expr;  // "" where not given
  std::optional<Extent> grid, block;                                               // where constant
  std::string size_of_block;                   // the size of run time that says how many threads the block has, if one does
  std::optional<std::uint64_t> least_threads;  // of a block whose size the host chooses
  GridRounding rounding;
  bool is_task_of_threads = false;  // the kernel stores nothing itself: each thread makes a call that others could not share
  std::optional<std::uint64_t> dynamic_shared_bytes;
  // The arguments of the template and of the call, where they are constant whole numbers.
  std::vector<std::optional<std::int64_t>> template_arguments, arguments;
  bool may_be_checked = true;        // its error, by code around it
  bool is_ignored = false;           // its error, by the function that launches
  bool is_checked_later = false;     // and that function looks at errors of later calls
  std::vector<TextPlace> unchecked;  // of the first launch of a file: all of that file whose errors nothing looks at
  bool callers_may_check = false;    // those: only the functions that launch are known to ignore them
  bool is_in_host_loop = false;      // of many iterations, or of unknown ones
  // At the first launch of that loop: the first call in it that allocates or frees memory of the GPU in each iteration; else null.
  std::shared_ptr<const HostAllocation> allocation;
  std::shared_ptr<const NeedlessWaits> waits;      // of the function, at the launch before the first one; else null
  std::shared_ptr<const PreviousLaunch> previous;  // null where there is none that has an argument of this one
};

struct LaunchCandidate {
  std::uint32_t block_size = 0;
  std::optional<double> occupancy_pct;  // with registers left out; absent without a GPU
};

struct LaunchAdvice {
  std::string kernel;
  std::vector<LaunchCandidate> candidates;
  std::vector<std::uint64_t> observed_block_sizes;
  std::vector<LaunchCandidate> observed;  // the possible ones among them, with the shared memory of the launches
  std::vector<std::string> notes;
};

// Everything about some source files at once.
struct Inspection {
  std::vector<Kernel> kernels;        // by file and line
  std::vector<Launch> launches;       // by file and line
  std::vector<CodeSubject> subjects;  // empty where they were handed over one by one
  std::vector<LaunchAdvice> advice;
  std::vector<UnreadKernel> not_read;  // by file and line: nothing was concluded about them

  // Kernels that are too long or too deeply nested to follow to the end: nothing was concluded about them.
  std::size_t unfollowed() const { return static_cast<std::size_t>(std::ranges::count(kernels, false, &Kernel::is_complete)); }
};

}  // namespace frx::model::cuda
