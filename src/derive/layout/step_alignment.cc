#include "derive/layout/step_alignment.h"

#include <map>

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

struct StepSequence {
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> paths;
};

std::vector<StepSequence> sequences_of(const LayoutTrace& trace, const std::vector<std::uint32_t>& paths) {
  std::vector<StepSequence> sequences(trace.steps().size());
  std::vector<std::uint32_t> counts(sequences.size());
  for (const OperatorNode& node : trace.nodes()) {
    if (node.step != none) ++counts[node.step];
  }
  for (std::size_t step = 0; step < sequences.size(); ++step) {
    sequences[step].nodes.reserve(counts[step]);
    sequences[step].paths.reserve(counts[step]);
  }
  for (std::uint32_t node = 0; node < trace.nodes().size(); ++node) {
    const std::uint32_t step = trace.nodes()[node].step;
    if (step == none) continue;
    sequences[step].nodes.push_back(node);
    sequences[step].paths.push_back(paths[node]);
  }
  return sequences;
}

// The first of the steps whose sequence most steps have.
std::uint32_t usual_of(const std::vector<StepSequence>& sequences) {
  const auto by_paths = [](const StepSequence* first, const StepSequence* second) { return first->paths < second->paths; };
  std::map<const StepSequence*, std::uint32_t, decltype(by_paths)> votes;
  for (const StepSequence& sequence : sequences) ++votes[&sequence];
  const auto most = std::ranges::max_element(sequences, {}, [&](const StepSequence& sequence) { return votes[&sequence]; });
  return static_cast<std::uint32_t>(most - sequences.begin());
}

}  // namespace

StepAlignment StepAlignment::of(const LayoutTrace& trace) {
  StepAlignment made;
  made.path_ = paths_of(trace);
  made.site_of_.assign(trace.nodes().size(), none);
  const std::vector<StepSequence> sequences = sequences_of(trace, made.path_);
  if (sequences.empty()) return made;
  made.steps_ = sequences.size();
  made.usual_ = usual_of(sequences);
  const StepSequence& usual = sequences[made.usual_];
  made.nodes_.assign(usual.nodes.size() * made.steps_, none);
  made.certain_.assign(made.nodes_.size(), false);
  for (std::size_t step = 0; step < made.steps_; ++step) {
    const auto join = [&](std::uint32_t site, std::uint32_t node, bool is_certain) {
      made.nodes_[site * made.steps_ + step] = node;
      made.certain_[site * made.steps_ + step] = is_certain;
      made.site_of_[node] = site;
    };
    const StepSequence& sequence = sequences[step];
    if (sequence.paths == usual.paths) {
      for (std::uint32_t site = 0; site < sequence.nodes.size(); ++site) join(site, sequence.nodes[site], true);
      continue;
    }
    for (const compare::SequenceMatch& match : compare::align_sequences(usual.paths, sequence.paths))
      join(match.first, sequence.nodes[match.second], match.is_certain);
  }
  return made;
}

}  // namespace frx::derive::layout
