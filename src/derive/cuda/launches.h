// Launches, facts about each of them, and advice on how a kernel could be launched.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "derive/cuda/lanes.h"
#include "derive/cuda/mentions.h"
#include "derive/cuda/trace.h"
#include "knowledge/gpus.h"
#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

struct KernelView;
struct TargetGpu;

// All `name<<<...>>>(...)` of the program, by file and line, and the mentions of each file.
struct ProgramLaunches {
  std::vector<model::cuda::Launch> launches;
  std::vector<Mentions> mentions;  // by file, without launch_nodes
};
ProgramLaunches launches_of(const Program& program);

// What the launches of one kernel name reveal about its blocks. The launches outlive it; those that are named are null where there is none.
struct KernelLaunches {
  Shape first_block;                       // the first constant and valid block; 0 threads: there is none
  std::uint64_t threads = 0;               // in the last constant block
  std::uint64_t dynamic_shared_bytes = 0;  // the most of any launch
  bool has_open_size = false;              // grid or block of some launch is no constant
  bool is_by_one_thread = false;           // at least one launch has a single thread
  bool is_handed_on = false;               // to a function that may launch it as well
  std::set<std::uint64_t> block_sizes;     // constant ones
  std::uint32_t count = 0;
  LaunchedWith with;               // what all of them agree on
  std::uint64_t most_threads = 0;  // of a constant block, and the launch that has it
  const model::cuda::Launch* with_most_threads = nullptr;
  std::uint32_t kernels = 0;       // of that name
  bool rounds_up = false;          // a launch may have more threads along x than the data
  std::uint32_t rounded_down = 0;  // launches that have no more, and the first one
  const model::cuda::Launch* first_rounded_down = nullptr;
  std::array<std::uint32_t, 2> rounded_up = {};           // launches whose blocks along x, along y may be more than the data asks for
  std::uint32_t single_blocks = 0;                        // launches with one block, and the first one
  std::vector<model::TextPlace> places_of_single_blocks;  // the first of them
  std::uint32_t in_host_loops = 0;                        // launches in loops of many iterations
  std::uint32_t fixed_grids = 0;  // launches whose grid is a constant; the most blocks of any, and the launch that has them
  std::uint64_t most_blocks = 0;
  const model::cuda::Launch* with_most_blocks = nullptr;
  std::uint32_t blocks_of_size = 0;  // launches with a block of as many threads as a size of run time says, and the first one
  const model::cuda::Launch* first_block_of_size = nullptr;
};
using LaunchesByKernel = std::unordered_map<std::string_view, KernelLaunches>;
LaunchesByKernel by_kernel(const std::vector<model::cuda::Launch>& launches);

// Threads that __launch_bounds__ allows, and the most that a launch has, where both are constants and the name is of one kernel alone.
void add_launch_bounds(const model::cuda::Kernel& kernel, const KernelLaunches& launches, model::CodeSubject& into);

// Is the work of a kernel that grows with some size done by one block, in all launches?
void add_single_block(const KernelView& view, const KernelLaunches& launches, model::CodeSubject& into);

// Does every launch of a kernel whose loops touch memory have a few blocks that are written there, whatever the size of the work?
// `sm_count`: of the GPU, where that was given.
void add_fixed_grid(const KernelView& view, const KernelLaunches& launches, std::optional<double> sm_count, model::CodeSubject& into);

// Does every launch have as many whole blocks as the data fill, and leave out the rest, for which the kernel has a comparison?
void add_left_out(const KernelView& view, const KernelLaunches& launches, model::CodeSubject& into);

model::CodeSubject launch_subject(const model::cuda::Launch& launch);

// The occupancy of a block of that size, without registers: they are unknown before compilation.
std::optional<double> occupancy_pct(std::uint64_t threads, std::uint64_t shared_bytes, const knowledge::SmLimits* limits);

model::CodeSubject occupancy_subject(const model::cuda::Kernel& kernel, const KernelLaunches& launches, const TargetGpu& gpu);

model::cuda::LaunchAdvice advice_for(const model::cuda::Kernel& kernel, const KernelLaunches& launches, const knowledge::SmLimits* limits);

}  // namespace frx::derive::cuda
