// What each kind of report says, ready to be written in any format of render/.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answer/answer.h"
#include "compose/documents.h"
#include "compose/explain.h"

namespace frx::report {
struct FleetReport;
}

namespace frx::compose {

answer::Answer answer_of(std::shared_ptr<const report::BenchReport> report);
answer::Answer answer_of(std::shared_ptr<const report::CudaReport> report);
answer::Answer answer_of(std::shared_ptr<const report::DeviceReport> report);
answer::Answer answer_of(std::shared_ptr<const report::EvidenceReport> report);
// Its brief is about the PTX alone unless `source` brings the CUDA source.
answer::Answer answer_of(std::shared_ptr<const report::PtxReport> report, const std::optional<KernelSource>& source = {});
answer::Answer answer_of(std::shared_ptr<const report::RunComparison> comparison);
// A single rank is a trace. `scope` as in compose/documents.h.
answer::Answer answer_of(std::shared_ptr<const report::RanksReport> report, std::string scope);
answer::Answer answer_of(std::shared_ptr<const report::FleetReport> report);
answer::Answer answer_of(std::shared_ptr<const report::RunReport> report, const std::string& scope);
answer::Answer answer_of(std::shared_ptr<const report::TraceReport> report, std::string scope);

// Its brief is about the profile alone unless `brief` brings the source; what that points into is kept by the caller.
answer::Answer answer_of(std::shared_ptr<const report::NcuReport> report, const std::optional<ExplainInput>& brief = {});

// What became of the predictions that were scored: the ledger they were added to.
struct KeptPredictions {
  std::string ledger;
  std::size_t added = 0, known = 0;  // known: stood there already
};
answer::Answer answer_of(std::shared_ptr<const report::NcuComparison> comparison, std::optional<KeptPredictions> kept = {});

// `with_evidence`: the result is {"comparison", "reconciliation", ...} of frx compare and not the comparison alone.
answer::Answer answer_of(std::shared_ptr<const report::ImplementationComparison> comparison, bool with_evidence);

// One file of code, or the CUDA files of a folder: what was found in it, and what could not be read.
struct AnalysedCode {
  std::string path;                // of the first file
  std::vector<std::string> paths;  // all of them
  answer::Answer answer;
  std::optional<std::string> error;    // instead of the answer
  std::vector<answer::Unread> unread;  // of the files
};
// Of one, its own answer. `together`: what files of different kinds say of one program; null where there is nothing to reconcile.
answer::Answer answer_of(std::vector<AnalysedCode> files, std::shared_ptr<const report::EvidenceReport> together);

}  // namespace frx::compose
