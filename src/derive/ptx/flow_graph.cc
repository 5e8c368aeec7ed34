#include "derive/ptx/flow_graph.h"

#include <algorithm>

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;
using model::Flow;

bool ends_block(Flow flow) { return flow != Flow::next && flow != Flow::call; }

class Builder {
 public:
  Builder(const model::Module& module, const model::Function& function) : module_(module), function_(function) {}

  FlowGraph build();

 private:
  void find_blocks();
  void connect(std::uint32_t block);
  void go_to(std::uint32_t block, std::uint32_t instruction);
  bool branch(std::uint32_t block, const model::Instruction& instruction);
  bool follow(std::uint32_t block, std::uint32_t label);

  const model::Module& module_;
  const model::Function& function_;
  FlowGraph graph_;
  std::vector<Edge> edges_;
};

FlowGraph Builder::build() {
  if (function_.instructions.size() == 0) return {};
  find_blocks();
  const auto count = static_cast<std::uint32_t>(graph_.blocks.size());
  graph_.leaves.resize(count, false);
  for (std::uint32_t block = 0; block < count; ++block) connect(block);
  const auto order = [](const Edge& a, const Edge& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; };
  std::sort(edges_.begin(), edges_.end(), order);
  const auto same = [](const Edge& a, const Edge& b) { return a.from == b.from && a.to == b.to; };
  edges_.erase(std::unique(edges_.begin(), edges_.end(), same), edges_.end());
  graph_.successors = by_begin(count, edges_);
  for (Edge& edge : edges_) std::swap(edge.from, edge.to);
  graph_.predecessors = by_begin(count, edges_);
  return std::move(graph_);
}

// A block begins at each label and after each instruction that may transfer control.
void Builder::find_blocks() {
  const model::Range code = function_.instructions;
  std::vector<bool> begins(code.size() + 1, false);
  for (const model::Label& label : module_.in(module_.labels, function_.labels)) begins[label.instruction - code.begin] = true;
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (ends_block(module_.form_of(module_.instructions[code.begin + i]).flow)) begins[i + 1] = true;
  }
  std::uint32_t from = 0;
  for (std::uint32_t i = 1; i <= code.size(); ++i) {
    if (i < code.size() && !begins[i]) continue;
    graph_.block_at.resize(i, static_cast<std::uint32_t>(graph_.blocks.size()));
    graph_.blocks.push_back({code.begin + from, code.begin + i});
    from = i;
  }
}

void Builder::connect(std::uint32_t block) {
  const std::uint32_t end = graph_.blocks[block].end;
  const model::Instruction& last = module_.instructions[end - 1];
  const Flow flow = module_.form_of(last).flow;
  if (flow == Flow::leave) graph_.leaves[block] = true;
  if ((flow == Flow::branch || flow == Flow::indirect_branch) && !branch(block, last)) graph_.unknown_branches.push_back(end - 1);
  if (!ends_block(flow) || last.predicate != model::none) go_to(block, end);
}

// Adds an edge to a position in the code; after the last instruction the function ends as if by `ret`.
void Builder::go_to(std::uint32_t block, std::uint32_t instruction) {
  if (instruction >= function_.instructions.end) {
    graph_.leaves[block] = true;
  } else {
    edges_.push_back({block, graph_.block_of(instruction)});
  }
}

// The last operand is the target, or the name of a list of them.
bool Builder::branch(std::uint32_t block, const model::Instruction& instruction) {
  const std::span<const model::Operand> operands = module_.operands_of(instruction);
  return !operands.empty() && operands.back().kind == model::Operand::label && follow(block, operands.back().value);
}

bool Builder::follow(std::uint32_t block, std::uint32_t number) {
  const model::Label& label = module_.labels[number];
  if (label.targets == model::none) return go_to(block, label.instruction), true;
  bool all_known = true;
  for (const model::Operand& target : module_.in(module_.operands, module_.target_lists[label.targets].operands)) {
    if (target.kind == model::Operand::label && module_.labels[target.value].targets == model::none) {
      go_to(block, module_.labels[target.value].instruction);
    } else {
      all_known = false;
    }
  }
  return all_known;
}

}  // namespace

Lists by_begin(std::size_t owners, std::span<const Edge> edges) {
  return lists_of(owners, [&](const auto& take) {
    for (const Edge& edge : edges) take(edge.from, edge.to);
  });
}

FlowGraph flow_graph(const model::Module& module, const model::Function& function) { return Builder(module, function).build(); }

}  // namespace frx::derive::ptx
