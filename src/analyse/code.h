// The report about code: CUDA source, PTX and compiled device code, any number of files.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "ingest/format.h"
#include "model/code_finding.h"
#include "report/code_report.h"
#include "report/cuda_report.h"
#include "report/device_report.h"

namespace frx::analyse {

// One file, or the CUDA files of one folder, which are one program: kernels of one are launched in another.
struct CodeUnit {
  std::string path;                // of the first file
  std::vector<std::string> paths;  // all of them
  ingest::Kind kind = ingest::Kind::other;
  // At most one of these, as the kind says.
  std::unique_ptr<report::PtxReport> ptx;
  std::unique_ptr<report::CudaReport> cuda;
  std::unique_ptr<report::DeviceReport> device;
  std::optional<Error> error;  // instead of a report

  std::span<const model::CodeFinding> findings() const;
};

struct CodeReport {
  std::vector<CodeUnit> units;  // in the order in which their first files were given

  // Of all units, by severity: low, medium, high.
  std::array<std::size_t, 3> by_severity() const;
  std::vector<model::CodeFinding> findings() const;
};

}  // namespace frx::analyse
