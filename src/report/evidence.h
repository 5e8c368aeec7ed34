// All evidence about some kernels, from source to the run, as one list of findings, and its reconciliation.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/reconcile.h"
#include "diagnose/training.h"
#include "report/code_report.h"
#include "report/cuda_report.h"
#include "report/device_report.h"
#include "report/report.h"

namespace frx::report {

struct LayoutReport;

// What reconciliation calls kernels of a trace that only bring tensors into another layout.
inline constexpr std::string_view layout_copies_sign = "layout_copies";
// The category of findings about the layouts of tensors.
inline constexpr std::string_view layout_category = "memory_layout";

// The findings are copies: the reports may be destroyed, but not what their findings point to.
struct Evidence {
  std::vector<std::pair<model::Layer, std::string>> files;  // in the order in which they were given
  std::vector<model::Finding> findings;                     // kernels by the name that they have in all layers
  std::vector<model::Finding> withheld;                     // CudaReport::withheld; reconcile() adds those to the findings that have a use

  // Withheld findings as well: they are evidence where another layer agrees (reconcile()).
  void add(const CudaReport& report);
  void add(const PtxReport& report);
  void add(const DeviceReport& report);
  void add(const NcuReport& report);
  void add(std::string source, const diagnose::TrainingDiagnosis& diagnosis);
  // Kernels that only bring tensors into another layout take this share of the kernel time of a trace; a finding where it is noticeable.
  void add_layout_copies(double share);
  // Findings about layouts, by kernel where it is known which kernels their fixes spare. Those that only ask for a measurement are left
  // out. Kernels are those of the profiles that were added before only where all of the name is equal, template arguments included, or the
  // profile does not have them: "elementwise_kernel" alone stands for many kernels of PyTorch.
  void add(const LayoutReport& report);
  std::vector<model::Layer> layers() const;
  void add_withheld_that_others_confirm(std::span<const knowledge::ReconciledDiagnosis> known);

 private:
  // A kernel of a profile, and where its findings stand.
  struct Profiled {
    std::string name, key;  // in one spelling; as in `findings`
    std::size_t first = 0, count = 0;
  };
  std::string key_of_traced(const std::string& kernel);

  std::vector<Profiled> profiled_;
  std::vector<std::shared_ptr<const model::FindingType>> types_;  // that no catalogue has
};

// One counter that would decide a diagnosis.
struct WantedCounter {
  std::string_view counter, label, why;
};

// The counters to request from ncu, and the resulting confidence (docs/contract.md, section 8.5).
struct MissingEvidence {
  std::vector<WantedCounter> counters;
  std::string ncu_command;              // these counters alone
  std::string full_collection_command;  // everything, where one of them is not known
  diagnose::Confidence if_confirmed = diagnose::Confidence::medium;
};

struct EvidenceReport {
  Evidence evidence;
  std::vector<knowledge::ReconciledDiagnosis> known;
  diagnose::Reconciliation reconciliation;              // points into both
  std::vector<std::optional<MissingEvidence>> missing;  // by diagnosis; absent: nothing is missing
};

// The report points into the library that `known` was read from, and into `metrics`.
std::unique_ptr<EvidenceReport> reconcile(Evidence evidence, std::vector<knowledge::ReconciledDiagnosis> known,
                                          const knowledge::MetricCatalogue& metrics);
// With the texts of `knowledge` for it.
Result<std::unique_ptr<EvidenceReport>> reconcile(Evidence evidence, const knowledge::Knowledge& knowledge);

}  // namespace frx::report
