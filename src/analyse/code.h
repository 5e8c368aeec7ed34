// The report about code: CUDA source, PTX and compiled device code, any number of files.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/host.h"
#include "ingest/format.h"
#include "model/finding.h"
#include "report/code_analyst.h"
#include "report/code_report.h"
#include "report/cuda_report.h"
#include "report/device_report.h"
#include "report/evidence.h"

namespace frx::analyse {

inline constexpr std::uint64_t largest_code_file = std::uint64_t{4} << 30;  // bytes; a larger one is refused

// One file, or the CUDA files of one program (analyse/programs.h).
struct CodeUnit {
  std::string path;                // of the first file
  std::vector<std::string> paths;  // all of them
  ingest::Kind kind = ingest::Kind::other;
  // At most one of these, as the kind says.
  std::unique_ptr<report::PtxReport> ptx;
  std::unique_ptr<report::CudaReport> cuda;
  std::unique_ptr<report::DeviceReport> device;
  std::vector<report::UnreadFile> unread;  // of the paths
  std::optional<Error> error;              // instead of a report: of the first file that could not be read

  std::span<const model::Finding> findings() const;
  void add_to(report::Evidence& evidence) const;
};

struct CodeReport {
  std::vector<CodeUnit> units;  // in the order in which their first files were given
  // What files of different kinds say together that were named one by one, as a folder may hold many programs; else null.
  std::shared_ptr<const report::EvidenceReport> together;

  std::size_t files() const;
  std::size_t unread() const;      // of these
  std::size_t unfollowed() const;  // kernels of source (model::cuda::Inspection)
  // Of a single file that could not be analysed; null where there is an answer.
  const Error* only_error() const;
  // Of all units, by severity: low, medium, high.
  std::array<std::size_t, 3> by_severity() const;
  std::vector<model::Finding> findings() const;
};

// Runs ptxas on the PTX in the file at `path` when it is asked.
report::PtxCompiler ptxas_for(std::string path, const capture::Host& host);

}  // namespace frx::analyse
