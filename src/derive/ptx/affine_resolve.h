// What registers hold where ways of control meet: the second half of finding addresses.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/ptx/affine_atoms.h"
#include "derive/ptx/affine_loops.h"
#include "derive/ptx/flow_graph.h"

namespace frx::derive::ptx {

// One place where a register has several values, by the way that was taken.
struct Phi {
  AtomId atom = 0;       // stands for it in forms
  AtomId advance = 0;    // an older atom, for what is added to where it began
  AtomId rounds = none;  // of the loop that begins here, if one does
  std::uint32_t block = 0;
  bool differs = true;           // between lanes, as far as divergence() can tell
  bool one_way = false;          // all lanes that meet here for the first time came the same way
  bool undivided = false;        // and go the same way through the loop that begins here
  std::vector<FormId> incoming;  // by predecessor of the block
};

class Resolver {
 public:
  // `rank`: by block, its place in a walk where each comes behind what leads to it.
  Resolver(const FlowGraph& graph, const LoopNest& nest, const std::vector<std::uint32_t>& rank, Atoms& atoms,
           const std::vector<Phi>& phis);

  // Finds out what the phis are and puts it into the arguments of all functions.
  void resolve();
  // The form with it.
  FormId resolved(FormId form);
  // Do lanes that meet in the block have different values of what is in the form, as they left a loop apart?
  bool is_parted(FormId form, std::uint32_t block) const;

 private:
  enum class State : std::uint8_t { steps, advances, stays };

  bool has_phi(FormId form) const;
  bool find_step(std::size_t number);
  bool is_back(const Phi& phi, std::size_t way) const;
  FormId beginning(const Phi& phi) const;
  FormId any_beginning(const Phi& phi) const;
  bool is_invariant(FormId form, const Phi& phi) const;
  void resolve_all();
  void resolve_one(std::size_t number);
  bool reject_wrong_ones();
  bool advances_uniformly(std::size_t number);
  void settle_alignment(std::size_t number);
  void mark_doubling(std::size_t number);
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
