// Several layers of evidence about the same kernels, brought together: what each says, how sure all of them make it,
// and what would settle it.
//
// A layer answers a question or is silent. Silence - no counter, no finding of a static analysis - neither confirms nor
// contradicts. Only a measurement contradicts: the counters were there and the label did not hold. Signs about one
// kernel say nothing of another one; a sign without a kernel is about all of them.
//
// Confidence counts witnesses: the run, the counters of Nsight Compute, and the code. Source, PTX and cubin were made of one
// another and are one witness, however many of them agree.
//
//   one for it          medium        one for it, another measured against it        low-medium
//   two for it          high          two for it, another against                    medium-high
//   three for it        confirmed
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/reconciliation.h"

namespace frx::diagnose {

enum class Holds : std::uint8_t { yes, no, unknown };

// What one layer says about one thing.
struct Sign {
  knowledge::Layer layer = knowledge::Layer::source;
  std::string name;    // finding or label
  std::string kernel;  // without namespaces and arguments; "" for all
  Holds holds = Holds::yes;
  std::string words;  // "kernel.cu:12", "32 sector/request"
};

// Rising.
enum class Confidence : std::uint8_t { low_medium, medium, medium_high, high, confirmed };
// "low-medium", ...
std::string_view name_of(Confidence confidence);

struct Reconciled {
  const knowledge::ReconciledDiagnosis* diagnosis = nullptr;
  Confidence confidence = Confidence::medium;
  std::string kernel;                            // about which it is surest; "" for all
  // All about which something confirms it, the surest first.
  std::vector<std::pair<std::string, Confidence>> kernels;
  std::vector<const Sign*> confirming;           // of `kernel`
  std::vector<const Sign*> contradicting;        // of `kernel`
  std::vector<knowledge::Layer> layers;          // that confirm it, in their order
  bool ncu_is_silent = false;                    // counters would settle it
  Confidence if_confirmed = Confidence::medium;  // when ncu agreed
};

struct Reconciliation {
  std::vector<knowledge::Layer> layers_available;
  std::vector<Reconciled> diagnoses;      // surest first; of equal ones the graver, then the documented order
  std::vector<const Sign*> unreconciled;  // that hold and belong to none of them
};

// Everything points into `known` and `signs`. Linear in the signs, times the kernels that have any.
Reconciliation reconcile(std::span<const knowledge::ReconciledDiagnosis> known, std::span<const knowledge::Layer> layers,
                         std::span<const Sign> signs);

// Of witnesses for it and against it.
Confidence confidence_of(std::size_t witnesses_for, std::size_t witnesses_against);

}  // namespace frx::diagnose
