// Combines several layers of evidence about the same kernels: the result of each, the confidence of all of them together, and the evidence
// that would decide.
//
// A layer has a result or none. A missing result - no counter, no finding of a static analysis - neither confirms nor contradicts. Only a
// measurement contradicts: the counters were there and the label did not hold. Findings about one kernel do not apply to another one; a
// finding without a kernel is about all of them.
//
// Confidence counts independent sources: the run, the counters of Nsight Compute, and the code. Source, PTX and cubin are derived from one
// another and are one source, however many of them agree. Where the counters of single lines show the waste in the very line that the code
// analysis names, the two agree about more than the kernel: that is one more, since of the many lines of a kernel they need not meet in
// one.
//
//   one for it          medium        one for it, another measured against it        low-medium
//   two for it          high          two for it, another against                    medium-high
//   three for it        confirmed
//
// What one diagnosis causes in a kernel (ReconciledDiagnosis::symptoms) counts for it there as a source of its own, and the diagnosis whose
// sign it is becomes a consequence where it holds for no other kernel.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/reconciliation.h"

namespace frx::diagnose {

// In rising order.
enum class Confidence : std::uint8_t { low_medium, medium, medium_high, high, confirmed };
// "low-medium", ...
std::string_view name_of(Confidence confidence);

// One kernel for which a diagnosis holds.
struct ReconciledKernel {
  std::string kernel;
  Confidence confidence = Confidence::medium;
  std::vector<const model::Finding*> confirming;
  const knowledge::ReconciledDiagnosis* cause = nullptr;  // whose consequence it is in this kernel; null: none is known
};

struct Reconciled {
  const knowledge::ReconciledDiagnosis* diagnosis = nullptr;
  Confidence confidence = Confidence::medium;
  std::string kernel;  // with the highest confidence, of equal ones one that was measured; "" for all
  // All kernels that it is confirmed for, in falling order of confidence.
  std::vector<ReconciledKernel> kernels;
  std::vector<const model::Finding*> confirming;          // of `kernel`
  std::vector<const model::Finding*> contradicting;       // of `kernel`
  std::vector<model::Layer> layers;                       // that confirm it, in their order
  const model::TextPlace* measured_at = nullptr;          // where a measurement shows what the code analysis found there; else null
  bool ncu_is_silent = false;                             // counters would decide it for `unmeasured`
  std::string unmeasured;                                 // the first of the kernels that no counter answered for; "" for all
  Confidence now = Confidence::medium;                    // about that one
  Confidence if_confirmed = Confidence::medium;           // if ncu agreed
  const knowledge::ReconciledDiagnosis* cause = nullptr;  // whose consequence it is in all of its kernels
};

struct Reconciliation {
  std::vector<model::Layer> layers_available;
  // By falling confidence; equal ones by severity, then in the order of docs/contract.md; a consequence behind its cause.
  std::vector<Reconciled> diagnoses;
  std::vector<const model::Finding*> unreconciled;  // that hold and belong to no diagnosis
};

// Everything points into `known` and `findings`, whose kernels are without namespaces and arguments. Linear in the findings, times the
// kernels that have any.
Reconciliation reconcile(std::span<const knowledge::ReconciledDiagnosis> known, std::span<const model::Layer> layers,
                         std::span<const model::Finding> findings);

// The confidence for a number of independent sources for it and against it.
Confidence confidence_of(std::size_t sources_for, std::size_t sources_against);

}  // namespace frx::diagnose
