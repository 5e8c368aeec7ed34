#include "derive/ptx/affine.h"

#include <algorithm>
#include <utility>

#include "derive/ptx/affine_loops.h"
#include "derive/ptx/affine_needs.h"
#include "derive/ptx/affine_phis.h"
#include "derive/ptx/affine_resolve.h"

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;

// Visits each block after its dominators and, except along back edges, after its predecessors, and records the forms of addresses
// with the values that registers have there.
class Walk {
 public:
  Walk(const model::Module& module, const model::Function& function, const Vocabulary& words, const FlowGraph& graph,
       const Dominators& dominators, const Loops& loops, const RegisterUses& uses, const Liveness& live, const Divergence& divergence)
      : module_(module),
        words_(words),
        graph_(graph),
        dominators_(dominators),
        uses_(uses),
        divergence_(divergence),
        nest_(graph, loops, divergence),
        needed_(needed_for_addresses(module, function, words, uses)),
        places_(place_phis(graph, dominators, uses, live, needed_)),
        transfer_(module, function, uses, words, divergence, nest_, result_.atoms) {}

  Addresses run();

 private:
  struct Frame {
    std::uint32_t block;
    std::size_t child = 0, undo = 0;
  };

  void order();
  void count_parting_branches();
  void enter(std::uint32_t block);
  void leave(const Frame& frame);
  void begin_phi(std::uint32_t block, std::size_t place);
  bool has_single_path(std::uint32_t block) const;
  AtomId iterations_of(std::uint32_t loop);
  void follow(std::uint32_t instruction, std::uint32_t block);
  void note_accesses(std::uint32_t instruction, std::uint32_t block);
  void set(std::uint32_t value, FormId form);
  void tell_successors(std::uint32_t block);
  std::uint32_t guard_of(std::uint32_t block);

  const model::Module& module_;
  const Vocabulary& words_;
  const FlowGraph& graph_;
  const Dominators& dominators_;
  const RegisterUses& uses_;
  const Divergence& divergence_;
  LoopNest nest_;
  std::vector<bool> needed_;
  PhiPlaces places_;
  Addresses result_;
  Transfer transfer_;
  Lists children_;                             // of the dominator tree
  std::vector<std::uint32_t> rank_;            // by block: in reverse postorder
  std::vector<std::uint32_t> divergent_;       // by block: divergent branches in its subtree
  std::vector<std::uint32_t> guard_;           // by block
  std::vector<FormId> condition_;              // by block: of the branch at its end
  std::vector<AtomId> iterations_;             // by loop
  std::vector<std::vector<FormId>> incoming_;  // by place in places_.values.items: by predecessor
  std::vector<Phi> phis_;
  std::vector<std::size_t> place_of_phi_;
  std::vector<std::pair<std::uint32_t, FormId>> undo_;
};

Addresses Walk::run() {
  if (graph_.blocks.empty()) return std::move(result_);
  order();
  std::vector<Frame> stack = {{0}};
  enter(0);
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.child == children_[top.block].size()) {
      leave(top);
      stack.pop_back();
      continue;
    }
    const std::uint32_t next = children_[top.block][top.child++];
    stack.push_back({next, 0, undo_.size()});
    enter(next);
  }
  for (std::size_t i = 0; i < phis_.size(); ++i) phis_[i].incoming = std::move(incoming_[place_of_phi_[i]]);
  Resolver resolver(graph_, nest_, rank_, result_.atoms, phis_);
  resolver.resolve();
  for (Address& address : result_.all) {
    address.form = resolver.resolved(address.form);
    address.predicate = resolver.resolved(address.predicate);
    address.is_diverged = resolver.is_diverged(address.form, address.block);
  }
  for (Guard& guard : result_.guards) guard.condition = resolver.resolved(guard.condition);
  std::ranges::sort(result_.all, {}, [](const Address& one) { return std::pair(one.instruction, one.operand); });
  return std::move(result_);
}

void Walk::order() {
  const std::vector<std::uint32_t> sequence = reverse_postorder(graph_);
  const std::size_t count = graph_.blocks.size();
  rank_.assign(count, none);
  std::vector<Edge> tree;
  for (std::uint32_t i = 0; i < sequence.size(); ++i) {
    rank_[sequence[i]] = i;
    if (dominators_.nearest(sequence[i]) != none) tree.push_back({dominators_.nearest(sequence[i]), sequence[i]});
  }
  children_ = by_begin(count, tree);
  guard_.assign(count, none);
  condition_.assign(count, none);
  iterations_.assign(nest_.loops().all.size(), none);
  incoming_.resize(places_.values.items.size());
  count_parting_branches();
  for (std::size_t i = tree.size(); i-- > 0;) divergent_[tree[i].from] += divergent_[tree[i].to];
}

void Walk::count_parting_branches() {
  divergent_.assign(graph_.blocks.size(), 0);
  for (const Branch& branch : divergence_.branches) {
    if (branch.may_diverge) ++divergent_[graph_.block_of(branch.instruction)];
  }
}

// Is there no divergent branch between the block and its immediate dominator?
bool Walk::has_single_path(std::uint32_t block) const {
  const std::uint32_t before = dominators_.nearest(block);
  return before != none && divergence_.is_exact && graph_.unknown_branches.empty() && divergent_[before] == divergent_[block];
}

void Walk::enter(std::uint32_t block) {
  guard_[block] = guard_of(block);
  const std::uint32_t first = places_.values.begins[block];
  for (std::size_t i = 0; i < places_.values[block].size(); ++i) begin_phi(block, first + i);
  for (std::uint32_t i = graph_.blocks[block].begin; i < graph_.blocks[block].end; ++i) follow(i, block);
  const model::Instruction& last = module_.instructions[graph_.blocks[block].end - 1];
  condition_[block] = last.predicate == model::none ? none : transfer_.predicate(last);
  tell_successors(block);
}

void Walk::leave(const Frame& frame) {
  while (undo_.size() > frame.undo) {
    transfer_.now[undo_.back().first] = undo_.back().second;
    undo_.pop_back();
  }
}

void Walk::set(std::uint32_t value, FormId form) {
  undo_.emplace_back(value, transfer_.now[value]);
  transfer_.now[value] = form;
}

AtomId Walk::iterations_of(std::uint32_t loop) {
  if (iterations_[loop] != none) return iterations_[loop];
  Atom atom;
  atom.kind = Atom::iterations;
  atom.nature = Nature::uniform;
  atom.loop = atom.origin = loop;
  return iterations_[loop] = result_.atoms.add(atom);
}

// Where all paths bring the same value, there is nothing to choose.
void Walk::begin_phi(std::uint32_t block, std::size_t place) {
  const std::uint32_t value = places_.values.items[place];
  std::vector<FormId>& incoming = incoming_[place];
  incoming.resize(graph_.predecessors[block].size(), none);
  const bool all_same = std::all_of(incoming.begin(), incoming.end(), [&](FormId form) { return form == incoming[0]; });
  if (all_same && !incoming.empty() && incoming[0] != none) return set(value, incoming[0]);
  Phi phi;
  phi.block = block;
  phi.differs = divergence_.differs[value];
  phi.single_path = has_single_path(block);
  phi.is_convergent = phi.single_path && divergent_[block] == 0;
  Atom atom;
  atom.loop = nest_.innermost(block);
  if (atom.loop != none && nest_.loops().all[atom.loop].header == block) phi.iterations = iterations_of(atom.loop);
  atom.origin = graph_.blocks[block].begin;
  atom.kind = Atom::advance;
  atom.nature = Nature::uniform;
  phi.advance = result_.atoms.add(atom);
  atom.kind = Atom::phi;
  atom.nature = phi.differs ? Nature::lanes : Nature::uniform;  // until it is known
  phi.atom = result_.atoms.add(atom);
  phis_.push_back(phi);
  place_of_phi_.push_back(place);
  set(value, result_.atoms.forms.of(phi.atom));
}

void Walk::follow(std::uint32_t instruction, std::uint32_t block) {
  if (words_.meaning(module_.instructions[instruction].form).is_access) note_accesses(instruction, block);
  bool matters = false;
  for (const RegisterUse& use : uses_.of(instruction)) {
    if (!use.written || !needed_[use.value]) continue;
    matters = true;
    if (places_.several[use.value]) undo_.emplace_back(use.value, transfer_.now[use.value]);
  }
  if (!matters) return;
  transfer_.apply(instruction, block);
  if (places_.known) return;
  for (const RegisterUse& use : uses_.of(instruction)) {
    if (use.written && places_.several[use.value]) transfer_.now[use.value] = none;
  }
}

void Walk::note_accesses(std::uint32_t number, std::uint32_t block) {
  const model::Instruction& instruction = module_.instructions[number];
  const std::span<const model::Operand> operands = module_.operands_of(instruction);
  std::uint32_t top = 0;
  for (std::size_t at = 0; at < operands.size(); at += 1 + operands[at].parts, ++top) {
    // A stored value may look like an address: `st.global.u64 [%rd1], table+8;`
    if (operands[at].kind != model::Operand::address || operands[at].flags != 0) continue;
    const std::span<const model::Operand> operand = operands.subspan(at, 1 + operands[at].parts);
    Address address{number, block, top, 64, transfer_.address(operand), transfer_.predicate(instruction), guard_[block], false};
    if (operand.size() == 2 && operand[1].kind == model::Operand::reg) {
      for (const RegisterUse& use : uses_.of(number)) {
        if (uses_.declared(use.value) == operand[1].value) address.bits = 32u * uses_.width(use.value);
      }
    }
    result_.all.push_back(address);
  }
}

void Walk::tell_successors(std::uint32_t block) {
  for (const std::uint32_t next : graph_.successors[block]) {
    const auto before = graph_.predecessors[next];  // in ascending order
    const auto path = static_cast<std::size_t>(std::lower_bound(before.begin(), before.end(), block) - before.begin());
    const std::uint32_t first = places_.values.begins[next];
    for (std::size_t i = 0; i < places_.values[next].size(); ++i) {
      std::vector<FormId>& incoming = incoming_[first + i];
      incoming.resize(before.size(), none);
      incoming[path] = transfer_.now[places_.values.items[first + i]];
    }
  }
}

// The guard that a conditional branch adds, if no other path leads to the block.
std::uint32_t Walk::guard_of(std::uint32_t block) {
  const std::uint32_t before = dominators_.nearest(block);
  if (before == none) return none;
  const auto before_block = graph_.predecessors[block];
  if (before_block.size() != 1 || before_block[0] != before || condition_[before] == none) return guard_[before];
  const bool falls_through = graph_.blocks[before].end == graph_.blocks[block].begin;
  const bool has_other_way = graph_.successors[before].size() > 1 || graph_.leaves[before];
  if (!has_other_way || graph_.successors[before].size() > 2) return guard_[before];
  result_.guards.push_back({guard_[before], condition_[before], !falls_through});
  return static_cast<std::uint32_t>(result_.guards.size() - 1);
}

}  // namespace

Addresses addresses(const model::Module& module, const model::Function& function, const Vocabulary& words, const FlowGraph& graph,
                    const Dominators& dominators, const Loops& loops, const RegisterUses& uses, const Liveness& live,
                    const Divergence& divergence) {
  return Walk(module, function, words, graph, dominators, loops, uses, live, divergence).run();
}

}  // namespace frx::derive::ptx
