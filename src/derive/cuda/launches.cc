#include "derive/cuda/launches.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <set>
#include <span>
#include <tuple>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/text.h"
#include "derive/cuda/facts.h"
#include "derive/cuda/host_callers.h"
#include "derive/cuda/host_loops.h"
#include "derive/cuda/host_waits.h"
#include "derive/cuda/inspect.h"
#include "derive/cuda/launch_checks.h"
#include "derive/cuda/launches_in_turn.h"
#include "derive/cuda/size_names.h"
#include "knowledge/occupancy.h"

namespace frx::derive::cuda {
namespace {

constexpr std::size_t most_places = 64;  // of a fact

using model::CodeSubject;
using Id = model::CodeFactId;
using model::cuda::Extent;
using model::cuda::Kernel;
using model::cuda::Launch;

constexpr std::uint64_t warp_threads = 32;

std::optional<Extent> extent_of(const std::array<std::optional<std::int64_t>, 3>& parts) {
  const auto fits = [](std::optional<std::int64_t> part) { return part && *part >= 0 && *part < (std::int64_t{1} << 31); };
  if (!std::ranges::all_of(parts, fits)) return std::nullopt;
  return Extent{static_cast<std::uint64_t>(*parts[0]), static_cast<std::uint64_t>(*parts[1]), static_cast<std::uint64_t>(*parts[2])};
}

Launch launch_of(const Program& program, const LaunchSite& site) {
  const Source& source = program.sources()[site.at.source];
  const auto& syntax = source.syntax;
  Launch launch;
  const std::uint32_t name = site.kernel_name != none ? site.kernel_name : name_in(source, syntax.child(site.at.node, Role::function));
  launch.kernel = std::string(source.text_of(name));
  launch.place = source.place_of(name == none ? site.at.node : name);
  const std::uint32_t config = syntax.child(site.at.node, NodeKind::kernel_call_syntax);
  std::array<std::string*, 4> parts{&launch.grid_expr, &launch.block_expr, &launch.shared_memory_expr, &launch.stream_expr};
  std::size_t i = 0;
  for (std::uint32_t c = config == none ? none : syntax.first_child(config); c != none && i < 4; c = syntax.next_sibling(c)) {
    if (!syntax.is(c, NodeKind::token)) *parts[i++] = source.written(c);
  }
  if (site.kernel_name != none) {
    launch.grid_expr = source.written(site.extents[0]);
    launch.block_expr = source.written(site.extents[1]);
  }
  const std::string as_written = source.written(config);
  std::string_view raw = as_written;
  if (raw.starts_with("<<<") && raw.ends_with(">>>")) raw = raw.substr(3, raw.size() - 6);
  launch.raw_config = std::string(trim(raw));
  launch.grid = extent_of(site.grid);
  launch.block = extent_of(site.block);
  launch.rounding = site.rounding;
  launch.size_of_block = std::string(site.size_of_block);
  if (!launch.block && site.least_block) launch.least_threads = static_cast<std::uint64_t>(*site.least_block);
  if (launch.shared_memory_expr.empty() && site.kernel_name == none) {
    launch.dynamic_shared_bytes = 0;
  } else if (site.shared && *site.shared >= 0) {
    launch.dynamic_shared_bytes = static_cast<std::uint64_t>(*site.shared);
  }
  launch.template_arguments = site.template_arguments;
  launch.arguments = site.arguments;
  return launch;
}

// Keeps the values that launches agree on.
void agree(std::vector<std::optional<std::int64_t>>& known, const std::vector<std::optional<std::int64_t>>& more, bool is_first) {
  if (is_first) known = more;
  known.resize(std::min(known.size(), more.size()));
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] != more[i]) known[i].reset();
  }
}

bool only_calls_others(const Program& program, const Function& kernel) {
  const Source& source = program.sources()[kernel.at.source];
  for (std::uint32_t n = kernel.body; n < source.syntax[kernel.body].last; ++n) {
    const NodeKind kind = source.syntax.kind(n);
    if (kind == NodeKind::call) {
      const std::uint32_t name = name_in(source, source.syntax.child(n, Role::function));
      if (name == none || program.defined(source.text_of(name)) != none || source.text_of(name).starts_with("atomic")) return false;
    } else if (kind == NodeKind::assignment || kind == NodeKind::update) {
      const std::uint32_t into = source.syntax.child(n, kind == NodeKind::update ? Role::argument : Role::left);
      if (into == none || !source.syntax.is(into, NodeKind::identifier)) return false;
    }
  }
  return true;
}

// Does every kernel of that name only construct objects, or call functions that the program does not define, such as one that sends a
// message?
bool leaves_work_to_others(const Program& program, std::string_view kernel) {
  const std::uint32_t number = program.defined(kernel);
  bool any = false;
  for (const std::uint32_t file : number == none ? std::span<const std::uint32_t>() : program.files_defining(number)) {
    for (const Function& function : program.functions_in(file)) {
      if (!function.is_kernel || function.name != kernel) continue;
      if (!only_calls_others(program, function)) return false;
      any = true;
    }
  }
  return any;
}

// whole = n / size; k<<<whole, size>>>(x); rest<<<1, size>>>(x + whole * size): what a function multiplies, such as the number of blocks to
// compute what they cover.
std::set<ExprId> factors_in(const Expressions& e) {
  std::set<ExprId> factors;
  for (ExprId id = 0; id < e.size(); ++id) {
    if (e[id].op == Op::mul) factors.insert({e[id].a, e[id].b});
  }
  return factors;
}

// k<<<threads, blocks>>>, k<<<block_size, grid_size>>>, by the names. Not where the values say that only the names are odd: a block of
// whole warps beside a grid that follows from a size, or a grid of as many blocks as cover the data.
bool has_swapped_extents(const Launch& launch) {
  const auto is_one_name = [](std::string_view written) {  // not `n / block_size`
    return std::ranges::all_of(written, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  };
  if (!is_one_name(launch.grid_expr) || !is_one_name(launch.block_expr)) return false;
  if (!is_block_shape(launch.grid_expr) || !is_block_count(launch.block_expr)) return false;
  if (launch.rounding.is_up || launch.rounding.is_up_in_y || launch.rounding.is_down) return false;
  const std::uint64_t threads = launch.block ? launch.block->volume() : 0;
  const bool has_whole_warps = threads >= 2 * warp_threads && threads % warp_threads == 0;
  return !has_whole_warps || launch.grid;
}

struct Found {
  std::vector<Launch> launches;
  std::optional<HostHelper> helper;
  std::uint64_t steps = 0;
};

// A function, and the last node of it that may be a launch.
struct Launcher {
  std::uint32_t function = none, last_launch = none;
};

Found launches_in(const Program& program, const Launcher& launcher, std::uint64_t steps, const ErrorLooks& looks, HostView view) {
  Found found;
  const Function& function = program.functions()[launcher.function];
  const Trace trace = trace_host(program, launcher.function, steps, launcher.last_launch);
  found.steps = trace.steps;
  const LookEnds ends = ends_of_looks(program, function, looks);
  const std::uint32_t end_of_certain = end_of_unchecked(program, function);
  const std::optional<FoundWaits> waits = needless_waits(program, function, view);
  const PreviousLaunches previous = trace.launches.size() > 1 ? previous_launches(program, function) : PreviousLaunches();
  std::optional<std::set<ExprId>> factors;  // once a launch asks for them
  std::set<std::uint32_t> loops;            // around launches so far
  std::vector<NamedLaunch> places;
  std::set<std::uint32_t> seen;  // a launch counts once, also when its function is called by another one that launches
  for (const LaunchSite& site : trace.launches) {
    const auto& node = program.sources()[site.at.source].syntax[site.at.node];
    const auto& body = program.sources()[function.at.source].syntax[function.body];
    const bool inside = site.at.source == function.at.source && node.begin >= body.begin && node.end <= body.end;
    if (!inside || !seen.insert(site.at.node).second) continue;
    found.launches.push_back(launch_of(program, site));
    Launch& launch = found.launches.back();
    if (launch.rounding.is_down && !factors) factors = factors_in(trace.expressions);
    launch.rounding.is_down = launch.rounding.is_down && !factors->contains(site.blocks);
    launch.may_be_checked = site.kernel_name != none || site.at.node >= end_of_certain;
    const Ignored ignored = ignored_by(program, function, site, ends, looks);
    launch.is_ignored = ignored.is_ignored;
    launch.is_checked_later = ignored.is_checked_later;
    launch.is_in_host_loop = is_in_long_host_loop(trace, site);
    if (launch.is_in_host_loop && loops.insert(site.loop).second) launch.allocation = allocation_in(program, trace.loops[site.loop]);
    if (const auto at = previous.find(site.at.node); at != previous.end()) launch.previous = at->second;
    if (waits && waits->launch == site.at.node && !prints(program, launch.kernel))
      launch.waits = std::make_shared<model::cuda::NeedlessWaits>(waits->waits);
    launch.is_task_of_threads = launch.block && launch.block->volume() < warp_threads && leaves_work_to_others(program, launch.kernel);
    places.push_back({site.at.node, launch.place, launch.kernel});
  }
  found.helper = helper_of(program, launcher.function, places, view);
  return found;
}

bool has_lambda(const model::cuda::Syntax& syntax, std::uint32_t node) {
  for (std::uint32_t n = node; n < syntax[node].last; ++n) {
    if (syntax.is(n, NodeKind::lambda)) return true;
  }
  return false;
}

// The functions of the file that contain a place which may be a launch.
std::vector<Launcher> may_launch(const Program& program, std::uint32_t source, const Mentions& mentions) {
  std::vector<Launcher> launchers;
  if (program.sources().without_syntax(source).is_included) return launchers;
  const model::cuda::Syntax& syntax = program.sources()[source].syntax;
  for (const Function& function : program.functions_in(source)) {
    const auto first = std::ranges::lower_bound(mentions.launch_nodes, function.body);
    const auto end = std::ranges::lower_bound(mentions.launch_nodes, syntax[function.body].last);
    if (first == end) continue;
    // A lambda is followed where it is called, which may be behind it.
    const std::uint32_t last_launch = has_lambda(syntax, function.body) ? none : *(end - 1);
    launchers.push_back({static_cast<std::uint32_t>(&function - program.functions().data()), last_launch});
  }
  return launchers;
}

}  // namespace

ProgramLaunches launches_of(const Program& program) {
  constexpr std::size_t at_once = 32;  // files that are unpacked together
  constexpr std::size_t functions_at_once = 192;
  ProgramLaunches all;
  StepBudget budget(program);
  const std::vector<Look> looking = looks_of_files(program.sources());
  const HostMemory memory(program.sources());
  std::vector<HostHelper> helpers;
  all.mentions.resize(program.sources().size());
  for (std::size_t begin = 0; begin < all.mentions.size(); begin += at_once) {
    std::vector<std::vector<Launcher>> by_file(std::min(at_once, all.mentions.size() - begin));
    std::vector<ErrorLooks> looks(by_file.size());
    std::vector<HostReach> reach(by_file.size());
    for_each_in_parallel(by_file.size(), [&](std::size_t i) {
      const auto source = static_cast<std::uint32_t>(begin + i);
      all.mentions[source] = mentions_in(program, source);
      by_file[i] = may_launch(program, source, all.mentions[source]);
      if (!by_file[i].empty()) {
        looks[i] = error_looks(program, source, looking);
        const std::string_view text = program.sources()[source].text;
        if (program.has_functions_that_wait() || text.find("Synchronize") != text.npos) reach[i] = host_reach(text);
      }
      all.mentions[source].launch_nodes = {};
    });
    std::vector<Launcher> launchers;
    for (const std::vector<Launcher>& some : by_file) launchers.insert(launchers.end(), some.begin(), some.end());
    // A few functions at a time, so that those behind expensive ones have less.
    for (std::span<const Launcher> rest = launchers; !rest.empty(); rest = rest.subspan(std::min(rest.size(), functions_at_once))) {
      std::vector<Found> found(std::min(rest.size(), functions_at_once));
      const std::uint64_t share = budget.share_of(found.size());
      for_each_in_parallel(found.size(), [&](std::size_t i) {
        const std::size_t file = program.functions()[rest[i].function].at.source - begin;
        found[i] = launches_in(program, rest[i], share, looks[file], {.waiting = nullptr, .reach = reach[file], .memory = &memory});
      });
      for (Found& some : found) {
        budget.spend(some.steps);
        std::ranges::move(some.launches, std::back_inserter(all.launches));
        if (some.helper) helpers.push_back(std::move(*some.helper));
      }
    }
    program.sources().pack_all();
  }
  std::ranges::stable_sort(all.launches, {},
                           [](const Launch& l) { return std::tuple(std::string_view(l.place.file), l.place.line, l.place.column); });
  note_callers(program, all.mentions, std::move(helpers), memory, all.launches);
  note_unchecked(all.launches, std::ranges::all_of(looking, [](Look look) { return look == Look::nothing; }));
  all.launches.shrink_to_fit();
  return all;
}

LaunchesByKernel by_kernel(const std::vector<Launch>& launches) {
  LaunchesByKernel named;
  for (const Launch& launch : launches) {
    KernelLaunches& all = named[launch.kernel];
    agree(all.with.template_arguments, launch.template_arguments, all.count == 0);
    agree(all.with.arguments, launch.arguments, all.count == 0);
    ++all.count;
    all.rounded_up[0] += launch.rounding.is_up;
    all.rounded_up[1] += launch.rounding.is_up_in_y;
    all.rounds_up = all.rounds_up || launch.rounding.is_up;
    if (launch.rounding.is_down && all.rounded_down++ == 0) all.first_rounded_down = &launch;
    all.has_open_size = all.has_open_size || !launch.grid || !launch.block;
    all.dynamic_shared_bytes = std::max(all.dynamic_shared_bytes, launch.dynamic_shared_bytes.value_or(0));
    if (launch.grid) ++all.fixed_grids;
    if (launch.grid && launch.grid->volume() > all.most_blocks) {
      all.most_blocks = launch.grid->volume();
      all.with_most_blocks = &launch;
    }
    if (launch.grid && launch.grid->volume() == 1 && all.single_blocks++ < most_places) all.places_of_single_blocks.push_back(launch.place);
    all.in_host_loops += launch.is_in_host_loop;
    if (!launch.size_of_block.empty() && all.blocks_of_size++ == 0) all.first_block_of_size = &launch;
    if (!launch.block) continue;
    const Extent& b = *launch.block;
    const bool is_possible = b.x >= 1 && b.y >= 1 && b.z >= 1 && b.x <= 1024 && b.y <= 1024 && b.z <= 64 && b.volume() <= 1024;
    if (is_possible && all.first_block.threads() == 0) {
      all.first_block = {static_cast<std::uint32_t>(b.x), static_cast<std::uint32_t>(b.y), static_cast<std::uint32_t>(b.z)};
    }
    all.threads = b.volume();
    all.is_by_one_thread = all.is_by_one_thread || all.threads == 1;
    all.block_sizes.insert(all.threads);
    if (all.threads > all.most_threads) {
      all.most_threads = all.threads;
      all.with_most_threads = &launch;
    }
  }
  return named;
}

void add_launch_bounds(const Kernel& kernel, const KernelLaunches& launches, CodeSubject& into) {
  if (!kernel.max_threads || *kernel.max_threads <= 0 || launches.kernels != 1 || launches.most_threads == 0) return;
  into.set(Id::launch_bound_threads, static_cast<double>(*kernel.max_threads));
  into.set(Id::launched_threads, static_cast<double>(launches.most_threads), {launches.with_most_threads->place});
}

std::string_view launch_checker(const Launch& launch) {
  if (!launch.callers_may_check) return "Nothing looks";
  if (!launch.is_checked_later) return "The function that launches does not look";
  return "The function that launches looks at what later calls return, which says nothing of a launch that is refused, and not";
}

std::string wait_before_launch(const model::cuda::NeedlessWaits& waits) {
  const auto counted = [&](std::string_view what) {
    return fmt::format("at least {} {}{}", waits.count, what, waits.count == 1 ? "" : "s");
  };
  if (waits.function.empty())
    return fmt::format("The host waits in `{}` ({} in this function) before it launches the next kernel", waits.call, counted("such call"));
  return fmt::format("The last thing that `{}` does is to wait in `{}`, and behind {} of it the host launches the next kernel",
                     waits.function, waits.call, counted("call"));
}

CodeSubject launch_subject(const Launch& launch) {
  CodeSubject subject;
  subject.scope = CodeSubject::Scope::launch;
  subject.kernel = launch.kernel;
  subject.place = launch.place;
  if (!launch.unchecked.empty()) {
    const auto last = launch.unchecked.begin() + static_cast<std::ptrdiff_t>(std::min(launch.unchecked.size(), most_places));
    subject.set(Id::unchecked_launch_count, static_cast<double>(launch.unchecked.size()), {launch.unchecked.begin(), last});
    subject.set(Id::callers_may_check, launch.callers_may_check);
    subject.set(Id::launch_checker, std::string(launch_checker(launch)));
    subject.set(Id::launch_consequence,
                std::string(launch.callers_may_check ? "unless its callers do, a launch that fails is not noticed"
                                                     : "when it fails, the kernel does not run and the program goes on"));
  }
  if (launch.allocation) {
    const model::cuda::HostAllocation& allocation = *launch.allocation;
    const bool is_called = !allocation.function.empty();
    const std::string_view does = allocation.call.starts_with("thrust::") ? "makes a" : "calls";
    subject.set(Id::allocates_in_host_loop, true,
                is_called ? std::vector{allocation.place, allocation.function_at} : std::vector{allocation.place});
    subject.set(Id::allocation_in_loop,
                is_called ? fmt::format("A loop of the host calls `{}` in each iteration, which {} `{}` each time", allocation.function,
                                        does, allocation.call)
                          : fmt::format("A loop of the host that launches {} `{}` in each iteration", does, allocation.call));
  }
  if (launch.waits) {
    subject.set(Id::needless_wait_count, static_cast<double>(launch.waits->count), launch.waits->places);
    subject.set(Id::wait_before_launch, wait_before_launch(*launch.waits));
    subject.set(Id::waits_in_host_loop, launch.waits->is_in_loop);
  }
  if (has_swapped_extents(launch)) {
    subject.set(Id::has_swapped_extents, true, {launch.place});
    subject.set(Id::launch_grid, launch.grid_expr);
    subject.set(Id::launch_block, launch.block_expr);
  }
  if (!launch.block && launch.least_threads && *launch.least_threads < warp_threads) {
    subject.set(Id::block_size, static_cast<double>(*launch.least_threads), {launch.place});
    subject.set(Id::is_small_task, true);
  }
  if (!launch.block) return subject;
  // A few threads in all are work for a few threads: no shape of the block would make it faster.
  const bool is_one_block = launch.grid && launch.grid->volume() == 1;
  if (is_one_block && launch.block->volume() < warp_threads) return subject;
  subject.set(Id::block_size, static_cast<double>(launch.block->volume()), {launch.place});
  if (launch.grid) subject.set(Id::launch_threads, static_cast<double>(launch.grid->volume() * launch.block->volume()));
  const double lanes = std::ceil(static_cast<double>(launch.block->volume()) / warp_threads) * warp_threads;
  subject.set(Id::idle_lane_share, lanes > 0 ? 1 - static_cast<double>(launch.block->volume()) / lanes : 0.0);
  subject.set(Id::block_size_warp_aligned, launch.block->volume() % warp_threads == 0);
  subject.set(Id::is_small_task, launch.is_task_of_threads);
  return subject;
}

std::optional<double> occupancy_pct(std::uint64_t threads, std::uint64_t shared_bytes, const knowledge::SmLimits* limits) {
  if (!limits || threads == 0 || threads > limits->threads_per_block || shared_bytes > limits->shared_per_block) return std::nullopt;
  knowledge::LaunchShape shape;
  shape.threads_per_block = static_cast<std::uint32_t>(threads);
  shape.registers_per_thread = 16;  // so few that registers never limit
  shape.static_shared_bytes = static_cast<std::uint32_t>(shared_bytes);
  shape.dynamic_shared_bytes = 0;
  return knowledge::occupancy(shape, *limits).occupancy_pct;
}

// On the GPU on which it is largest.
std::optional<double> largest_occupancy_pct(std::uint64_t threads, std::uint64_t shared_bytes, const TargetGpu& gpu) {
  constexpr std::uint64_t much = 16 * 1024;  // bytes; with less, no number of warps is limited to a quarter
  std::optional<double> largest;
  if (!gpu.of_all || shared_bytes < much) return largest;
  for (const knowledge::SmLimits* const limits : gpu.of_all()) largest = std::max(largest, occupancy_pct(threads, shared_bytes, limits));
  return largest;
}

CodeSubject occupancy_subject(const Kernel& kernel, const KernelLaunches& launches, const TargetGpu& gpu) {
  CodeSubject subject;
  subject.scope = CodeSubject::Scope::occupancy;
  subject.kernel = kernel.name;
  subject.place = kernel.place;
  const std::uint64_t threads = launches.block_sizes.empty() ? 256 : launches.threads;
  const std::uint64_t dynamic = launches.dynamic_shared_bytes;
  const std::optional<std::uint64_t> bytes = static_shared_bytes(kernel);
  std::optional<double> percent = bytes ? occupancy_pct(threads, *bytes + dynamic, gpu.limits) : std::nullopt;
  const bool is_of_any_gpu = !gpu.limits && bytes && !launches.block_sizes.empty();
  if (is_of_any_gpu) percent = largest_occupancy_pct(threads, *bytes + dynamic, gpu);
  // An SM takes 16 to 32 blocks, and at least twice as many warps.
  const bool is_one_warp = launches.block_sizes == std::set<std::uint64_t>{warp_threads} && launches.has_open_size;
  if (!percent && !is_one_warp) return subject;
  subject.set(Id::threads_per_block, static_cast<double>(threads), {kernel.place});
  subject.set(Id::has_one_warp_blocks, is_one_warp);
  if (percent) subject.set(Id::occupancy_pct, *percent);
  if (bytes) subject.set(Id::shared_bytes, static_cast<double>(*bytes + dynamic));
  const std::string size = fmt::format("{} threads and {} bytes of shared memory per block", threads, bytes.value_or(0) + dynamic);
  subject.set(Id::occupancy_reason,
              percent
                  ? fmt::format("With {} at most {:.3g} % of an SM's warps can be resident{}", size, *percent,
                                is_of_any_gpu ? ", whatever the GPU" : "")
                  : std::string("With blocks of one warp at most half of an SM's warps can be resident, since it takes 16 to 32 blocks"));
  return subject;
}

model::cuda::LaunchAdvice advice_for(const Kernel& kernel, const KernelLaunches& launches, const knowledge::SmLimits* limits) {
  model::cuda::LaunchAdvice advice;
  advice.kernel = kernel.name;
  const std::optional<std::uint64_t> bytes = static_shared_bytes(kernel);
  for (const std::uint32_t size : {128u, 256u, 512u}) {
    if (kernel.max_threads && static_cast<std::int64_t>(size) > *kernel.max_threads) continue;
    advice.candidates.push_back({size, bytes ? occupancy_pct(size, *bytes, limits) : std::nullopt});
  }
  advice.observed_block_sizes.assign(launches.block_sizes.begin(), launches.block_sizes.end());
  for (const std::uint64_t size : launches.block_sizes) {
    if (size == 0 || size > 1024) continue;  // such a launch fails
    const auto percent = bytes ? occupancy_pct(size, *bytes + launches.dynamic_shared_bytes, limits) : std::nullopt;
    advice.observed.push_back({static_cast<std::uint32_t>(size), percent});
  }
  advice.notes.emplace_back("starting points to measure, not answers: registers are not known before compilation");
  if (kernel.max_threads) advice.notes.push_back(fmt::format("__launch_bounds__ allows at most {} threads", *kernel.max_threads));
  if (!bytes) advice.notes.emplace_back("the size of a shared array is no constant, so no occupancy is estimated");
  for (const model::cuda::SharedArray& array : kernel.shared_memory) {
    if (!array.bank_conflict_risk) continue;
    advice.notes.push_back(
        fmt::format("lanes ask one bank of {} for {} words: pad its rows by one element", array.name, array.conflict_ways));
  }
  return advice;
}

}  // namespace frx::derive::cuda
