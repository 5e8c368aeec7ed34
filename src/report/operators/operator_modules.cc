// The modules of a recording as a tree: the same module called from the same module is one node.

#include <algorithm>
#include <map>
#include <unordered_map>

#include "report/operators/operator_details.h"

namespace frx::report {
namespace {

using derive::trace::OperatorMethod;

constexpr std::size_t no_node = SIZE_MAX;

struct Node {
  std::string_view name;
  std::size_t parent = no_node;
  std::uint64_t calls = 0;
  KernelShare self, inclusive, backward;  // `backward` is of itself until all are summed up
  std::vector<std::size_t> children;
};

class Tree {
 public:
  explicit Tree(const OperatorProfile& profile) : profile_(profile) {
    for (const std::uint32_t row : profile.modules.rows) ++nodes_[node_of(row)].calls;
  }

  void add(std::uint32_t row, std::int64_t ns, bool is_backward) {
    Node& own = nodes_[node_of(row)];
    const KernelShare one{1, ns};
    add(own.self, one);
    if (is_backward) add(own.backward, one);
  }

  // Parents before their children, siblings by time; nothing that launched no kernel.
  std::vector<ModuleNode> flattened() {
    sum_up();
    std::vector<ModuleNode> flat;
    std::vector<std::pair<std::size_t, std::size_t>> open;  // node and depth; the next one is the last
    const auto push = [&](std::vector<std::size_t>& nodes, std::size_t depth) {
      std::ranges::stable_sort(nodes, {}, [&](std::size_t node) { return nodes_[node].inclusive.gpu_ns; });
      for (const std::size_t node : nodes) open.emplace_back(node, depth);
    };
    push(roots_, 0);
    while (!open.empty()) {
      const auto [node, depth] = open.back();
      open.pop_back();
      if (nodes_[node].inclusive.kernels == 0) continue;
      flat.push_back(
          {std::string(nodes_[node].name), depth, nodes_[node].calls, nodes_[node].self, nodes_[node].inclusive, nodes_[node].backward});
      push(nodes_[node].children, depth + 1);
    }
    return flat;
  }

 private:
  static void add(KernelShare& to, const KernelShare& one) {
    to.kernels += one.kernels;
    to.gpu_ns += one.gpu_ns;
  }

  // Once for all kernels: nodes may be as deep as a file says, and are made before those within them.
  void sum_up() {
    for (Node& node : nodes_) node.inclusive = node.self;
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      if (nodes_[i].parent == no_node) continue;
      Node& around = nodes_[nodes_[i].parent];
      add(around.inclusive, nodes_[i].inclusive);
      add(around.backward, nodes_[i].backward);
    }
  }

  std::size_t node_of(std::uint32_t row) {
    // Outermost first: modules may be nested as deeply as a file says.
    std::vector<std::uint32_t> path;
    for (; row != derive::trace::none && !by_row_.contains(row); row = profile_.modules.around[row]) path.push_back(row);
    std::size_t node = row == derive::trace::none ? no_node : by_row_[row];
    for (; !path.empty(); path.pop_back()) {
      node = child_of(node, profile_.timeline.name[path.back()]);
      by_row_[path.back()] = node;
    }
    return node;
  }

  std::size_t child_of(std::size_t parent, std::uint32_t name) {
    const auto [at, is_new] = by_path_.try_emplace({parent, name}, nodes_.size());
    if (is_new) {
      nodes_.push_back({derive::trace::module_name(profile_.timeline.names[name]), parent, 0, {}, {}, {}, {}});
      (parent == no_node ? roots_ : nodes_[parent].children).push_back(at->second);
    }
    return at->second;
  }

  const OperatorProfile& profile_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> roots_;
  std::unordered_map<std::uint32_t, std::size_t> by_row_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> by_path_;
};

}  // namespace

void add_modules(OperatorReport& report, const OperatorProfile& profile) {
  if (profile.modules.of_kernel.empty()) {
    report.notes.emplace_back(
        "no modules were recorded: ranges of fournex.operators are, and those of the PyTorch profiler with with_stack=True, "
        "with_modules=True");
    return;
  }
  Tree tree(profile);
  for (std::size_t i = 0; i < profile.calls.kernels.size(); ++i) {
    const derive::trace::OperatorKernel& kernel = profile.calls.kernels[i];
    if (kernel.method == OperatorMethod::before) continue;
    const std::int64_t ns = profile.timeline.duration[kernel.event];
    if (profile.modules.of_kernel[i] != derive::trace::none) {
      tree.add(profile.modules.of_kernel[i], ns, kernel.is_backward);
      continue;
    }
    ++report.in_no_module.kernels;
    report.in_no_module.gpu_ns += ns;
  }
  report.modules = tree.flattened();
}

}  // namespace frx::report
