// Detectors of copies that a change of layout would spare: hidden ones inside of products and convolutions, and those that the program asks
// for again and again.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "derive/layout/candidate.h"
#include "derive/layout/copies.h"
#include "derive/layout/same_tensor.h"
#include "derive/layout/sites.h"
#include "derive/layout/view_chains.h"

namespace frx::derive::layout {

// What the detectors look at. `sites` knows the nodes of all copies and the first view of each chain.
struct DetectorInput {
  const LayoutTrace& trace;
  std::span<const Copy> copies;
  std::span<const ViewChain> chains;
  const Sites& sites;
  std::unordered_map<std::uint32_t, std::uint32_t> chain_to = {};  // by the node that copies or takes its result: the chain
  SameTensor same = {};                                            // copies of one tensor, where an execution trace tells
};
// `identities`: null without an execution trace.
DetectorInput detector_input(const LayoutTrace& trace, std::span<const Copy> copies, std::span<const ViewChain> chains, const Sites& sites,
                             const TensorIdentities* identities = nullptr);

// Detector "non_contiguous": copies of layout that an operator makes because its input is not as it needs it. By site.
// Patterns: "hidden_copy"; "hidden_expand", of an expanded tensor; "hidden_slice", of a slice with gaps.
std::vector<Candidate> hidden_copies(const DetectorInput& input);

// Inputs of products and convolutions in layouts that their kernels do not take natively, while no copy was seen: operators, per step. No
// finding follows from them.
struct LatentInputs {
  double per_step = 0;
  std::vector<std::uint32_t> nodes;  // the first few
};
LatentInputs latent_inputs(const DetectorInput& input);

// Does a product of matrices take an operand with these strides as it is? One of the last two strides is 1, the other at least the extent
// of that dimension: transposed operands are native.
bool is_native_for_gemm(DimensionsView sizes, DimensionsView strides);

// Detector "contiguous_churn": copies of layout that the program asks for, by site. Patterns, the first that fits:
//   "late"       the next operator takes the source as it is
//   "ping_pong"  a later copy of the step restores the order of the source
//   "fan_out"    the same tensor is copied elsewhere, too, which only an execution trace tells
//   "loop"       equal tensors are copied at the same site again within a step
//   "repeated"   everything else that PyTorch copies
//   "compiled"   kernels of torch.compile that move elements and do nothing else
std::vector<Candidate> contiguous_churn(const DetectorInput& input);

// Detector "permute_storm": chains of views, by site. Patterns, the first that fits:
//   "ends_in_copy"  a chain of at least two views, one of them a permutation, whose result is copied
//   "identity"      permutations that undo each other
//   "long"          three views or more, one of them a permutation
//   "frequent"      shorter chains with permutations
std::vector<Candidate> permute_storms(const DetectorInput& input);

}  // namespace frx::derive::layout
