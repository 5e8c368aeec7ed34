#include "derive/trace/equal_layers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "derive/trace/modules.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

// Splitmix64: equal inputs give equal results, and others all but never do.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t with) {
  hash = (hash ^ with) + 0x9E3779B97F4A7C15;
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EB;
  return hash ^ (hash >> 31);
}

// What ran inside of a range.
struct Work {
  std::uint64_t hash = 0, kernels = 0;
  std::int64_t gpu_ns = 0;
};

// A range or a kernel in the innermost range around it.
struct Member {
  std::uint32_t around, row;
  std::int64_t time;
  bool is_kernel;
};

class Hashes {
 public:
  Hashes(const Timeline& timeline, const OperatorCalls& calls) : timeline_(timeline), calls_(calls) {}

  // By row of the timeline; only ranges have any.
  std::vector<Work> all() {
    collect();
    std::vector<Work> work(timeline_.size());
    // Ranges inside of others come behind them, so that the last are finished first.
    for (std::size_t i = ranges_.size(); i-- > 0;) work[ranges_[i]] = work_of(ranges_[i], work);
    return work;
  }

 private:
  void collect() {
    for (std::uint32_t row = 0; row < timeline_.size(); ++row) {
      if (timeline_.kind[row] != EventKind::cpu_op && timeline_.kind[row] != EventKind::annotation) continue;
      ranges_.push_back(row);
      if (calls_.enclosing[row] != none) members_.push_back({calls_.enclosing[row], row, timeline_.start[row], false});
    }
    for (const OperatorKernel& kernel : calls_.kernels) {
      if (kernel.inner != none) members_.push_back({kernel.inner, kernel.event, timeline_.start[kernel.event], true});
    }
    const auto outer_first = [&](std::uint32_t row) { return std::tuple(timeline_.start[row], -timeline_.duration[row], row); };
    std::ranges::sort(ranges_, {}, outer_first);
    // Kernels have times of the GPU, ranges those of the CPU: each kind is in the order in which the program made it.
    std::ranges::sort(members_, {}, [](const Member& one) { return std::tuple(one.around, one.is_kernel, one.time, one.row); });
  }

  Work work_of(std::uint32_t range, const std::vector<Work>& inner) const {
    Work work;
    // Names of modules and layers differ where the work is the same.
    if (timeline_.kind[range] == EventKind::cpu_op) {
      work.hash = mixed(1, timeline_.name[range]);
      const auto shapes = std::ranges::lower_bound(timeline_.shaped_events, range);
      const bool is_known = shapes != timeline_.shaped_events.end() && *shapes == range;
      work.hash = mixed(
          work.hash, is_known ? timeline_.shapes_of[static_cast<std::size_t>(shapes - timeline_.shaped_events.begin())] : Timeline::no_id);
    }
    auto member = std::ranges::lower_bound(members_, range, {}, &Member::around);
    for (; member != members_.end() && member->around == range; ++member) {
      const Work one = member->is_kernel ? work_of_kernel(member->row) : inner[member->row];
      work.hash = mixed(work.hash, one.hash);
      work.kernels += one.kernels;
      work.gpu_ns += one.gpu_ns;
    }
    return work;
  }

  Work work_of_kernel(std::uint32_t row) const {
    Work work{mixed(2, timeline_.name[row]), 1, timeline_.duration[row]};
    const auto shape = std::ranges::lower_bound(timeline_.kernel_shapes, row, {}, &model::KernelShape::event);
    if (shape == timeline_.kernel_shapes.end() || shape->event != row) return work;
    for (std::size_t axis = 0; axis < 3; ++axis) work.hash = mixed(work.hash, std::uint64_t{shape->grid[axis]} << 32 | shape->block[axis]);
    return work;
  }

  const Timeline& timeline_;
  const OperatorCalls& calls_;
  std::vector<std::uint32_t> ranges_;
  std::vector<Member> members_;
};

// A module with all of its calls in the measured window.
struct Module {
  std::string_view name;
  std::uint32_t around = none;  // the module around its first call, by number
  std::uint64_t depth = 0;      // modules around it
  Work work;                    // of all its calls, in their order
};

class Modules {
 public:
  Modules(const Timeline& timeline, const OperatorCalls& calls, const std::vector<Work>& work) : timeline_(timeline), calls_(calls) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < timeline.size(); ++row) {
      if (is_module(row) && timeline.start[row] >= calls.window_begin_ns) rows.push_back(row);
    }
    std::ranges::sort(rows, {}, [&](std::uint32_t row) { return std::tuple(timeline.start[row], -timeline.duration[row], row); });
    for (const std::uint32_t row : rows) add(row, work[row]);
  }

  const std::vector<Module>& all() const { return modules_; }

 private:
  bool is_module(std::uint32_t row) const {
    return timeline_.kind[row] == EventKind::annotation && is_module_range(timeline_.name_of(row));
  }
  void add(std::uint32_t row, const Work& work) {
    const auto [at, is_new] = numbers_.try_emplace(timeline_.name[row], static_cast<std::uint32_t>(modules_.size()));
    if (is_new) {
      Module& module = modules_.emplace_back();
      module.name = module_name(timeline_.name_of(row));
      module.around = around(row);
      module.depth = module.around == none ? 0 : modules_[module.around].depth + 1;
    }
    Module& module = modules_[at->second];
    module.work.hash = mixed(module.work.hash, work.hash);
    module.work.kernels += work.kernels;
    module.work.gpu_ns += work.gpu_ns;
  }
  // The number of the module around a range, whose calls were added before.
  std::uint32_t around(std::uint32_t row) const {
    for (row = calls_.enclosing[row]; row != none; row = calls_.enclosing[row]) {
      if (const auto known = numbers_.find(timeline_.name[row]); known != numbers_.end()) return known->second;
    }
    return none;
  }

  const Timeline& timeline_;
  const OperatorCalls& calls_;
  std::vector<Module> modules_;                               // by first call
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  // by name
};

double spread_of(const std::vector<double>& times) {
  double sum = 0, squares = 0;
  for (const double time : times) sum += time;
  const double count = static_cast<double>(times.size()), mean = sum / count;
  for (const double time : times) squares += (time - mean) * (time - mean);
  return mean > 0 ? std::sqrt(squares / count) / mean : 0;
}

EqualLayers group_of(const std::vector<Module>& modules, const std::vector<std::uint32_t>& members) {
  const Module& first = modules[members.front()];
  EqualLayers group{first.name, {}, first.work.kernels, first.work.gpu_ns, 0, 0};
  std::vector<double> times;
  for (const std::uint32_t number : members) {
    if (number != members.front()) group.duplicates.push_back(modules[number].name);
    group.all_ns += modules[number].work.gpu_ns;
    times.push_back(static_cast<double>(modules[number].work.gpu_ns));
  }
  group.spread = spread_of(times);
  return group;
}

// Modules of one module with equal work, outermost first; modules inside of grouped ones are left out.
std::vector<std::vector<std::uint32_t>> groups_in(const std::vector<Module>& modules) {
  using Key = std::tuple<std::uint64_t, std::uint32_t, std::uint64_t, std::uint64_t>;  // depth, around, hash, kernels
  std::map<Key, std::vector<std::uint32_t>> alike;
  for (std::uint32_t i = 0; i < modules.size(); ++i) {
    const Module& one = modules[i];
    if (one.work.kernels > 0) alike[{one.depth, one.around, one.work.hash, one.work.kernels}].push_back(i);
  }
  std::vector<bool> is_grouped(modules.size(), false);
  const auto is_inside_of_grouped = [&](std::uint32_t number) {
    for (; number != none; number = modules[number].around) {
      if (is_grouped[number]) return true;
    }
    return false;
  };
  std::vector<std::vector<std::uint32_t>> groups;
  for (const auto& [key, members] : alike) {
    if (members.size() < 2 || is_inside_of_grouped(modules[members.front()].around)) continue;
    for (const std::uint32_t number : members) is_grouped[number] = true;
    groups.push_back(members);
  }
  std::ranges::sort(groups);
  return groups;
}

}  // namespace

LayerDivision equal_layers(const Timeline& timeline, const OperatorCalls& calls) {
  LayerDivision division;
  for (const OperatorKernel& kernel : calls.kernels) division.kernels += kernel.method != OperatorMethod::before;
  const Modules modules(timeline, calls, Hashes(timeline, calls).all());
  for (const std::vector<std::uint32_t>& members : groups_in(modules.all())) {
    division.groups.push_back(group_of(modules.all(), members));
    division.kernels_left_out += division.groups.back().kernels * division.groups.back().duplicates.size();
  }
  return division;
}

}  // namespace frx::derive::trace
