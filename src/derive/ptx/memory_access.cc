#include "derive/ptx/memory_access.h"

#include <algorithm>
#include <array>

#include "derive/ptx/access_cure.h"
#include "derive/ptx/access_tally.h"
#include "derive/ptx/access_words.h"

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;
using model::Space;

// The number of an operand whose integer says the size, of `cp.async.ca.shared.global [a], [b], 16;`
std::uint32_t stated_bytes(const model::Module& module, const model::Instruction& instruction, int number) {
  const std::span<const model::Operand> operands = module.operands_of(instruction);
  int top = 0;
  for (std::size_t at = 0; at < operands.size(); at += 1 + operands[at].parts, ++top) {
    if (top == number && operands[at].kind == model::Operand::integer) return operands[at].value;
  }
  return 0;
}

void describe_asynchronous(const model::Module& module, const Address& address, MemoryAccess& access) {
  const model::Instruction& instruction = module.instructions[address.instruction];
  access.bytes = stated_bytes(module, instruction, module.form_of(instruction).size_operand);
  access.type = address.operand == 0 ? AccessType::store : AccessType::load;
  access.space = address.operand == 0 ? Space::shared : Space::global;
}

// Rows of 16 bytes, each at the address that one lane names.
bool is_matrix(const model::Form& form) { return form.category == model::Category::tensor; }

MemoryAccess described(const model::Module& module, const Address& address) {
  MemoryAccess access;
  const model::Form& form = module.form_of(module.instructions[address.instruction]);
  access.instruction = address.instruction;
  access.space = form.space;
  access.bytes = is_matrix(form) ? 16 : form.access_bytes;
  access.type = !form.writes_memory ? AccessType::load : form.reads_memory ? AccessType::atomic : AccessType::store;
  if (form.is_asynchronous) describe_asynchronous(module, address, access);
  return access;
}

// Of a generic address: where what it starts from lies.
Space origin_of(const model::Module& module, const Atoms& atoms, FormId form) {
  if (form == none) return Space::none;
  for (const Term& term : atoms.forms.terms(form)) {
    const std::span<const AtomId> factors = atoms.forms.atoms(term.monomial);
    if (term.coefficient == 1 && factors.size() == 1 && atoms[factors[0]].kind == Atom::variable) {
      return module.variables[atoms[factors[0]].name].space;
    }
  }
  // A kernel is given pointers to global memory, by nearly all programs.
  return base_of(atoms, form) != none ? Space::global : Space::none;
}

bool has_data(const Atoms& atoms, FormId form) {
  if (form == none) return false;
  for (const Term& term : atoms.forms.terms(form)) {
    for (const AtomId id : atoms.forms.atoms(term.monomial)) {
      if (atoms[id].nature == Nature::data) return true;
    }
  }
  return false;
}

AccessKind kind_of(const Atoms& atoms, const Address& address) {
  const Nature nature = atoms.nature(address.form);
  if (has_data(atoms, address.form)) return AccessKind::data_dependent;
  if (nature == Nature::unknown || address.parted) return AccessKind::unknown;
  if (nature == Nature::uniform) return AccessKind::uniform;
  for (const Term& term : atoms.forms.terms(address.form)) {
    int lanes = 0;
    for (const AtomId id : atoms.forms.atoms(term.monomial)) {
      const Atom& atom = atoms[id];
      if (atom.nature != Nature::lanes) continue;
      if (atom.kind == Atom::function || ++lanes > 1) return AccessKind::known_per_lane;
    }
  }
  return AccessKind::affine;
}

// The factor of a thread number, which may be a sum of products itself.
std::string stride_along(const model::Module& module, Atoms& atoms, FormId form, std::uint8_t axis) {
  FormId factor = 0;
  for (const Term& term : std::vector<Term>(atoms.forms.terms(form).begin(), atoms.forms.terms(form).end())) {
    FormId part = atoms.forms.constant(term.coefficient);
    bool found = false;
    const auto factors = atoms.forms.atoms(term.monomial);
    for (const AtomId id : std::vector<AtomId>(factors.begin(), factors.end())) {
      const bool is_it = atoms[id].kind == Atom::thread && atoms[id].axis == axis;
      if (is_it && !found) {
        found = true;
      } else {
        part = atoms.forms.product(part, atoms.forms.of(id));
      }
    }
    if (found) factor = atoms.forms.sum(factor, part);
  }
  return factor == none || factor == 0 ? "" : formula_of(module, atoms, factor);
}

}  // namespace

std::string_view name_of(AccessKind kind) {
  static constexpr std::array<std::string_view, 5> names = {"uniform", "affine", "known_per_lane", "data_dependent",
                                                            "unknown"};
  return names[static_cast<std::size_t>(kind)];
}

MemoryAnalysis::MemoryAnalysis(const model::Module& module, const model::Function& function, const Vocabulary& words,
                               const FlowGraph& graph, const Dominators& dominators, const Loops& loops,
                               const RegisterUses& uses, const Liveness& live, const Divergence& divergence)
    : function_(function),
      addresses_(ptx::addresses(module, function, words, graph, dominators, loops, uses, live, divergence)) {
  Atoms& atoms = addresses_.atoms;
  for (const Address& address : addresses_.all) {
    MemoryAccess access = described(module, address);
    access.kind = kind_of(atoms, address);
    if (access.space == Space::none) access.space = origin_of(module, atoms, address.form);
    access.loop_depth = loops.depth_of(address.block);
    if (address.form != none) access.formula = formula_of(module, atoms, address.form);
    if (access.kind == AccessKind::affine) access.stride = stride_along(module, atoms, address.form, 0);
    const model::Form& form = module.form_of(module.instructions[address.instruction]);
    lanes_.push_back(is_matrix(form) && form.lanes < 4 ? (1u << 8 * form.lanes) - 1 : ~LaneMask{0});
    all_.push_back(std::move(access));
  }
}

std::vector<MemoryAccess> MemoryAnalysis::accesses(const LaunchFacts& facts) const {
  std::vector<MemoryAccess> result = all_;
  tally(function_, addresses_, lanes_, facts, result);
  for (MemoryAccess& access : result) access.sentence = sentence_of(access);
  return result;
}

std::vector<BlockShape> MemoryAnalysis::plausible_shapes() const {
  const auto& required = function_.limits.required_threads;
  const auto along = [&](std::size_t axis) { return std::clamp(required[axis], 1u, 1024u); };
  if (required[0] > 0) return {{along(0), along(1), along(2)}};
  std::array<bool, 3> used{};
  for (AtomId id = 0; id < addresses_.atoms.size(); ++id) {
    const Atom& atom = addresses_.atoms[id];
    if (atom.kind == Atom::thread || atom.kind == Atom::block_size) used[atom.axis] = true;
  }
  std::vector<BlockShape> shapes;
  if (used[2]) {
    shapes = {{8, 8, 4}, {32, 4, 2}, {16, 16, 1}};
  } else if (used[1]) {
    shapes = {{32, 8, 1}, {16, 16, 1}, {256, 1, 1}};
  } else {
    shapes = {{256, 1, 1}};
  }
  const auto limit = static_cast<std::uint64_t>(threads_allowed(function_.limits));
  std::erase_if(shapes, [&](const BlockShape& shape) { return shape.threads() > limit; });
  if (shapes.empty()) shapes.push_back({static_cast<std::uint32_t>(limit), 1, 1});
  return shapes;
}

std::vector<MemoryAccess> memory_accesses(const model::Module& module, const model::Function& function,
                                          const LaunchFacts& facts) {
  if (function.instructions.size() == 0) return {};
  Vocabulary words(module);
  words.enter(module, function);
  const FlowGraph graph = flow_graph(module, function);
  const Dominators tree = dominators(graph);
  const Loops loops = find_loops(graph, tree);
  const RegisterUses uses(module, function);
  const Liveness live = liveness(module, function, graph, uses);
  const Divergence differs = divergence(module, function, graph, uses, live);
  return MemoryAnalysis(module, function, words, graph, tree, loops, uses, live, differs).accesses(facts);
}

}  // namespace frx::derive::ptx
