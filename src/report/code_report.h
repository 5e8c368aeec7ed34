// The finished answers about PTX, each as plain values that point into their analyst.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/advice.h"
#include "diagnose/ptx.h"
#include "model/finding.h"

namespace frx::report {

struct PtxReport {
  std::string source;    // file
  std::string version;   // "8.4", "" when not stated
  std::string target;    // "sm_90a", "" when not stated
  std::string gpu;       // what selected the overrides of rules: "NVIDIA H100 (--gpu-model)", "target sm_90a"
  std::string compiler;  // "ptxas 13.0 for sm_90", "" when none was run
  model::ptx::Module module;
  diagnose::CompiledKernels compiled;
  diagnose::PtxDiagnosis diagnosis;
  std::string_view primary_display;           // "" without a primary label
  std::string confidence, confidence_reason;  // high, medium, low
  advise::Advice advice;
  std::vector<std::string> unknown_opcodes;
  std::vector<std::string> notes;

  std::uint64_t instructions() const;
  std::optional<std::uint32_t> max_registers() const;
  std::optional<double> average_registers() const;
};

}  // namespace frx::report
