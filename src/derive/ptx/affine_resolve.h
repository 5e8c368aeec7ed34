// What registers hold where control-flow paths join: the second half of finding addresses.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/ptx/affine_atoms.h"
#include "derive/ptx/affine_loops.h"
#include "derive/ptx/flow_graph.h"

namespace frx::derive::ptx {

// A place where the value of a register depends on the path that was taken.
struct Phi {
  AtomId atom = 0;           // stands for it in forms
  AtomId advance = 0;        // an older atom, for what is added to the value it began with
  AtomId iterations = none;  // of the loop that begins here, if any
  std::uint32_t block = 0;
  bool differs = true;           // between lanes, as far as divergence() can tell
  bool single_path = false;      // all lanes that arrive here for the first time took the same path
  bool is_convergent = false;    // and they take the same path through the loop that begins here
  std::vector<FormId> incoming;  // by predecessor of the block
};

class Resolver {
 public:
  // `rank`: by block, its place in reverse postorder.
  Resolver(const FlowGraph& graph, const LoopNest& nest, const std::vector<std::uint32_t>& rank, Atoms& atoms,
           const std::vector<Phi>& phis);

  // Determines the phis, and replaces them in the arguments of all functions.
  void resolve();
  // The form with all phis replaced.
  FormId resolved(FormId form);
  // Do lanes that join in the block have different values of the form, because they left a loop in different iterations?
  bool is_diverged(FormId form, std::uint32_t block) const;

 private:
  enum class State : std::uint8_t { steps, advances, stays };

  bool has_phi(FormId form) const;
  bool find_step(std::size_t number);
  bool is_back(const Phi& phi, std::size_t path) const;
  FormId beginning(const Phi& phi) const;
  FormId any_beginning(const Phi& phi) const;
  bool is_invariant(FormId form, const Phi& phi) const;
  void resolve_all();
  void resolve_one(std::size_t number);
  bool reject_wrong_ones();
  bool advances_uniformly(std::size_t number);
  void settle_alignment(std::size_t number);
  bool is_doubled(const Phi& phi) const;
  void mark_doubled(std::size_t number);
  void settle_functions();
  Nature nature_of(const Phi& phi);

  const FlowGraph& graph_;
  const LoopNest& nest_;
  const std::vector<std::uint32_t>& rank_;
  Atoms& atoms_;
  const std::vector<Phi>& phis_;
  std::vector<State> states_;
  std::vector<FormId> steps_;
  std::vector<FormId> values_;         // by phi: what it is
  std::vector<std::uint32_t> phi_of_;  // by atom
};

}  // namespace frx::derive::ptx
