#include "report/code_report.h"

#include <algorithm>

namespace frx::report {

using derive::ptx::registers_of;
using diagnose::PtxKernel;

std::uint64_t PtxReport::instructions() const {
  std::uint64_t sum = 0;
  for (const PtxKernel& kernel : diagnosis.kernels) sum += kernel.facts.instructions;
  return sum;
}

std::optional<std::uint32_t> PtxReport::max_registers() const {
  std::optional<std::uint32_t> most;
  for (const PtxKernel& kernel : diagnosis.kernels) most = std::max(most, registers_of(kernel.facts, kernel.compiled));
  return most;
}

std::optional<double> PtxReport::average_registers() const {
  double sum = 0, known = 0;
  for (const PtxKernel& kernel : diagnosis.kernels) {
    const auto registers = registers_of(kernel.facts, kernel.compiled);
    if (!registers) continue;
    sum += *registers;
    ++known;
  }
  return known > 0 ? std::optional(sum / known) : std::nullopt;
}

}  // namespace frx::report
