#include "derive/ptx/affine_resolve.h"

#include <algorithm>

namespace frx::derive::ptx {
namespace {

// A wrong guess may invalidate others; guesses that are still open after this many iterations are dropped.
constexpr int most_iterations = 4;

}  // namespace

Resolver::Resolver(const FlowGraph& graph, const LoopNest& nest, const std::vector<std::uint32_t>& rank, Atoms& atoms,
                   const std::vector<Phi>& phis)
    : graph_(graph),
      nest_(nest),
      rank_(rank),
      atoms_(atoms),
      phis_(phis),
      states_(phis.size(), State::advances),
      steps_(phis.size(), none),
      values_(phis.size(), none),
      phi_of_(atoms.size(), none) {
  for (std::uint32_t i = 0; i < phis.size(); ++i) phi_of_[phis[i].atom] = i;
}

void Resolver::resolve() {
  for (std::size_t i = 0; i < phis_.size(); ++i) {
    if (find_step(i)) states_[i] = State::steps;
    if (states_[i] == State::advances) mark_doubled(i);
  }
  resolve_all();
  for (int iteration = 0; reject_wrong_ones(); ++iteration) {
    if (iteration == most_iterations) std::replace(states_.begin(), states_.end(), State::advances, State::stays);
    resolve_all();
  }
  for (std::size_t i = 0; i < phis_.size(); ++i) {
    if (states_[i] == State::advances) settle_alignment(i);
  }
  settle_functions();
}

bool Resolver::is_back(const Phi& phi, std::size_t path) const { return rank_[graph_.predecessors[phi.block][path]] >= rank_[phi.block]; }

// The one value it has at first, or `none` if there are several.
FormId Resolver::beginning(const Phi& phi) const {
  FormId form = none;
  for (std::size_t path = 0; path < phi.incoming.size(); ++path) {
    if (is_back(phi, path)) continue;
    if (phi.incoming[path] == none || (form != none && form != phi.incoming[path])) return none;
    form = phi.incoming[path];
  }
  return form;
}

FormId Resolver::any_beginning(const Phi& phi) const {
  for (std::size_t path = 0; path < phi.incoming.size(); ++path) {
    if (!is_back(phi, path)) return phi.incoming[path];
  }
  return none;
}

// Is the form older than the phi, and the same in all iterations of its loop?
bool Resolver::is_invariant(FormId form, const Phi& phi) const {
  for (const Term& term : atoms_.forms.terms(form)) {
    for (const AtomId id : atoms_.forms.atoms(term.monomial)) {
      const std::uint32_t loop = atoms_[id].loop;
      if (id >= phi.atom || loop == LoopNest::several) return false;
      if (loop != none && nest_.encloses(nest_.innermost(phi.block), loop)) return false;
    }
  }
  return true;
}

// Is the same amount added in each iteration?
bool Resolver::find_step(std::size_t number) {
  const Phi& phi = phis_[number];
  if (phi.iterations == none || beginning(phi) == none) return false;
  FormId step = none;
  for (std::size_t path = 0; path < phi.incoming.size(); ++path) {
    if (!is_back(phi, path)) continue;
    const FormId added = atoms_.forms.sum(phi.incoming[path], atoms_.forms.of(phi.atom), -1);
    if (added == none || (step != none && step != added) || !is_invariant(added, phi)) return false;
    step = added;
  }
  steps_[number] = step;
  // A register that only seems to change would turn out to be known after wider registers were computed from it as from an
  // unknown one, and registers computed from unknown numbers are assumed not to wrap around.
  return step != none && step != 0;
}

void Resolver::resolve_all() {
  for (std::size_t i = 0; i < phis_.size(); ++i) resolve_one(i);
}

void Resolver::resolve_one(std::size_t number) {
  const Phi& phi = phis_[number];
  FormId value = none;
  if (states_[number] == State::steps) {
    const FormId part = atoms_.forms.product(resolved(steps_[number]), atoms_.forms.of(phi.iterations));
    value = atoms_.forms.sum(resolved(beginning(phi)), part);
    if (value == none || is_diverged(value, phi.block)) states_[number] = State::advances;
  }
  if (states_[number] == State::advances) {
    const FormId first = phi.single_path ? any_beginning(phi) : beginning(phi);
    value = atoms_.forms.sum(resolved(first), atoms_.forms.of(phi.advance));
  }
  if (value == none) states_[number] = State::stays;
  values_[number] = states_[number] == State::stays ? atoms_.forms.of(phi.atom) : value;
  if (states_[number] == State::stays) atoms_.at(phi.atom).nature = nature_of(phi);
}

Nature Resolver::nature_of(const Phi& phi) {
  if (!phi.differs) return Nature::uniform;
  for (const FormId form : phi.incoming) {
    if (form != none && atoms_.nature(form) == Nature::data) return Nature::data;
  }
  return Nature::unknown;
}

bool Resolver::reject_wrong_ones() {
  bool any = false;
  for (std::size_t i = 0; i < phis_.size(); ++i) {
    if (states_[i] != State::advances || advances_uniformly(i)) continue;
    states_[i] = State::stays;
    any = true;
  }
  return any;
}

bool Resolver::advances_uniformly(std::size_t number) {
  const Phi& phi = phis_[number];
  std::size_t back = 0;
  FormId first_back = none;
  for (std::size_t path = 0; path < phi.incoming.size(); ++path) {
    const FormId form = resolved(phi.incoming[path]);
    const FormId added = atoms_.forms.sum(form, values_[number], -1);
    if (added == none || !atoms_.is_uniform(added)) return false;
    if (is_diverged(form, graph_.predecessors[phi.block][path])) return false;
    if (!is_back(phi, path)) continue;
    if (back++ > 0 && form != first_back && !phi.is_convergent) return false;
    first_back = form;
  }
  return true;
}

// A sum is a multiple of every common divisor of its terms.
void Resolver::settle_alignment(std::size_t number) {
  const Phi& phi = phis_[number];
  const FormId own = atoms_.forms.of(phi.advance);
  const MonomialId monomial = atoms_.forms.terms(own)[0].monomial;
  std::uint32_t align = 1u << 20;
  for (const FormId incoming : phi.incoming) {
    std::vector<Term> terms;
    for (const Term& term : atoms_.forms.terms(atoms_.forms.sum(resolved(incoming), values_[number], -1))) {
      if (term.monomial != monomial) terms.push_back(term);
    }
    align = std::min(align, atoms_.alignment(atoms_.forms.of(terms)));
  }
  atoms_.at(phi.advance).align = align;
}

// x = x * 2, or x = x / 2, in each iteration.
bool Resolver::is_doubled(const Phi& phi) const {
  if (phi.iterations == none) return false;
  const auto is_double_or_half = [&](FormId form) {
    if (form == none || atoms_.forms.terms(form).size() != 1) return false;
    const Term term = atoms_.forms.terms(form)[0];
    const std::span<const AtomId> factors = atoms_.forms.atoms(term.monomial);
    if (factors.size() != 1) return false;
    if (factors[0] == phi.atom) return term.coefficient == 2;
    const Atom& atom = atoms_[factors[0]];
    const bool divides = atom.op == Op::shift_right_unsigned || atom.op == Op::shift_right_signed || atom.op == Op::divide_signed ||
                         atom.op == Op::divide_unsigned;
    return term.coefficient == 1 && atom.kind == Atom::function && divides && atom.arguments[0] == atoms_.forms.of(phi.atom);
  };
  for (std::size_t path = 0; path < phi.incoming.size(); ++path) {
    if (is_back(phi, path) && is_double_or_half(phi.incoming[path])) return true;
  }
  return false;
}

// A stride that is the same for all lanes is a power of two as a whole; as a sum of its beginning and an unknown number it is none.
void Resolver::mark_doubled(std::size_t number) {
  const Phi& phi = phis_[number];
  if (!is_doubled(phi)) return;
  atoms_.at(phi.atom).doubles = atoms_.at(phi.advance).doubles = true;
  if (!phi.differs) states_[number] = State::stays;
}

// In ascending order: the arguments of a function have smaller ids than the function.
void Resolver::settle_functions() {
  for (AtomId id = 0; id < atoms_.size(); ++id) {
    if (atoms_[id].kind != Atom::function) continue;
    Nature nature = Nature::uniform;
    for (std::size_t i = 0; i < 3; ++i) {
      const FormId argument = resolved(atoms_[id].arguments[i]);
      atoms_.at(id).arguments[i] = argument == none ? 0 : argument;
      nature = std::max(nature, atoms_.nature(argument));
    }
    atoms_.at(id).nature = nature;
  }
}

bool Resolver::has_phi(FormId form) const {
  for (const Term& term : atoms_.forms.terms(form)) {
    for (const AtomId id : atoms_.forms.atoms(term.monomial)) {
      if (id < phi_of_.size() && phi_of_[id] != none) return true;
    }
  }
  return false;
}

FormId Resolver::resolved(FormId form) {
  if (form == none || !has_phi(form)) return form;
  FormId result = 0;
  for (std::size_t i = 0; i < atoms_.forms.terms(form).size() && result != none; ++i) {
    const Term term = atoms_.forms.terms(form)[i];
    FormId part = atoms_.forms.constant(term.coefficient);
    for (std::size_t j = 0; j < atoms_.forms.atoms(term.monomial).size() && part != none; ++j) {
      const AtomId id = atoms_.forms.atoms(term.monomial)[j];
      const std::uint32_t phi = id < phi_of_.size() ? phi_of_[id] : none;
      part = atoms_.forms.product(part, phi == none ? atoms_.forms.of(id) : values_[phi]);
    }
    result = atoms_.forms.sum(result, part);
  }
  return result;
}

bool Resolver::is_diverged(FormId form, std::uint32_t block) const {
  if (form == none) return false;
  for (const Term& term : atoms_.forms.terms(form)) {
    for (const AtomId id : atoms_.forms.atoms(term.monomial)) {
      if (nest_.parts_before(atoms_[id].loop, block)) return true;
    }
  }
  return false;
}

}  // namespace frx::derive::ptx
