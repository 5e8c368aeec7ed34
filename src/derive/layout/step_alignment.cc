#include "derive/layout/step_alignment.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <unordered_map>

#include "base/name_table.h"
#include "derive/compare/align_sequences.h"
#include "derive/layout/compiled_region.h"

namespace frx::derive::layout {
namespace {

// The name without what differs between calls of one place: the number of a step, the entry of a compiled frame, the key of a graph.
std::string_view constant_part(std::string_view name) {
  if (trace::is_numbered_step(name)) return "step";
  if (const std::optional<CompiledRegion> region = compiled_region(name)) return name.substr(0, region->end_of_frame);
  constexpr std::string_view graph = "## Call CompiledFxGraph";
  return name.starts_with(graph) ? graph : name;
}

// Equal paths have equal numbers.
std::vector<std::uint32_t> paths_of(const LayoutTrace& trace) {
  const model::Timeline& timeline = trace.timeline();
  std::vector<std::uint32_t> name_of(timeline.names.size(), none), paths(trace.nodes().size());
  NameTable names;
  std::unordered_map<std::uint64_t, std::uint32_t> known;  // the path around it, and the name
  for (std::uint32_t node = 0; node < paths.size(); ++node) {
    const OperatorNode& of = trace.nodes()[node];
    std::uint32_t& name = name_of[timeline.name[of.row]];
    if (name == none) name = names.add(constant_part(trace.name(node))).id;
    // Behind all paths stand the threads, so that no path of one thread is one of another.
    const std::uint32_t around = of.parent == none ? ~timeline.track[of.row] : paths[of.parent];
    paths[node] = known.try_emplace(std::uint64_t{around} << 32U | name, static_cast<std::uint32_t>(known.size())).first->second;
  }
  return paths;
}

// The operators of each step in the order of their threads, and their paths. Of a long recording they are as many as its operators, so that
// they lie in one block for all steps.
class StepSequences {
 public:
  StepSequences(const LayoutTrace& trace, const std::vector<std::uint32_t>& paths) : begins_(trace.steps().size() + 1) {
    for (const OperatorNode& node : trace.nodes()) {
      if (node.step != none) ++begins_[node.step + 1];
    }
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    nodes_.resize(begins_.back());
    paths_.resize(begins_.back());
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (std::uint32_t node = 0; node < trace.nodes().size(); ++node) {
      const std::uint32_t step = trace.nodes()[node].step;
      if (step == none) continue;
      nodes_[next[step]] = node;
      paths_[next[step]++] = paths[node];
    }
  }

  std::size_t size() const { return begins_.size() - 1; }
  std::span<const std::uint32_t> nodes(std::size_t step) const { return of(nodes_, step); }
  std::span<const std::uint32_t> paths(std::size_t step) const { return of(paths_, step); }

  // The first of the steps whose sequence most steps have.
  std::uint32_t usual() const {
    const auto by_paths = [&](std::size_t a, std::size_t b) { return std::ranges::lexicographical_compare(paths(a), paths(b)); };
    std::map<std::size_t, std::uint32_t, decltype(by_paths)> votes(by_paths);
    for (std::size_t step = 0; step < size(); ++step) ++votes[step];
    std::size_t usual = 0;
    for (const auto& [step, count] : votes) {
      const std::uint32_t most = votes[usual];
      if (count > most || (count == most && step < usual)) usual = step;
    }
    return static_cast<std::uint32_t>(usual);
  }

 private:
  std::span<const std::uint32_t> of(const std::vector<std::uint32_t>& all, std::size_t step) const {
    return std::span(all).subspan(begins_[step], begins_[step + 1] - begins_[step]);
  }

  std::vector<std::size_t> begins_;  // by step, and the end of the last
  std::vector<std::uint32_t> nodes_, paths_;
};

}  // namespace

StepAlignment StepAlignment::of(const LayoutTrace& trace) {
  StepAlignment made;
  made.path_ = paths_of(trace);
  made.site_of_.assign(trace.nodes().size(), none);
  const StepSequences sequences(trace, made.path_);
  if (sequences.size() == 0) return made;
  made.steps_ = sequences.size();
  made.usual_ = sequences.usual();
  const std::span<const std::uint32_t> usual = sequences.paths(made.usual_);
  made.nodes_.assign(usual.size() * made.steps_, none);
  made.certain_.assign(made.nodes_.size(), false);
  for (std::size_t step = 0; step < made.steps_; ++step) {
    const auto join = [&](std::uint32_t site, std::uint32_t node, bool is_certain) {
      made.nodes_[site * made.steps_ + step] = node;
      made.certain_[site * made.steps_ + step] = is_certain;
      made.site_of_[node] = site;
    };
    const std::span<const std::uint32_t> nodes = sequences.nodes(step), paths = sequences.paths(step);
    if (std::ranges::equal(paths, usual)) {
      for (std::uint32_t site = 0; site < nodes.size(); ++site) join(site, nodes[site], true);
      continue;
    }
    for (const compare::SequenceMatch& match : compare::align_sequences(usual, paths))
      join(match.first, nodes[match.second], match.is_certain);
  }
  return made;
}

}  // namespace frx::derive::layout
