// Profiles of operators (profile.json), and the diagnosis of those that have counters. Whatever the bytes, the times of operators and of
// kernels in none add up to those of all kernels.
#include "fuzz/input.h"
#include "report/operator_diagnosis.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using frx::report::OperatorGrouping;
  const frx::fuzz::ExactInput input(data, size);
  for (const OperatorGrouping grouping : {OperatorGrouping::by_operator, OperatorGrouping::by_module, OperatorGrouping::by_kernel}) {
    auto report = frx::report::read_operator_profile("fuzz", input.text(), grouping, &frx::fuzz::knowledge().metrics);
    if (!report) {
      frx::fuzz::require(report.error().where == "fuzz");
      continue;
    }
    std::int64_t sum = report->unattributed.gpu_ns + report->before_window.gpu_ns;
    std::uint64_t kernels = report->unattributed.kernels + report->before_window.kernels;
    for (const auto& one : report->operators) {
      sum += one.gpu_ns;
      kernels += one.kernels;
      frx::fuzz::require(one.longest_ns <= one.gpu_ns);
    }
    frx::fuzz::require(bool(frx::report::diagnose_operators(*report, *frx::report::Analyst::create({}).value())));
    frx::fuzz::require(sum == report->kernel_ns && kernels == report->kernels);
  }
  return 0;
}
