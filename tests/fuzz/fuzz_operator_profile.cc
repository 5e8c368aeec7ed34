// Profiles of operators (profile.json), and the diagnosis of those that have counters. Whatever the bytes, the times of operators and of
// kernels in none add up to those of all kernels.
#include <cmath>

#include "fuzz/input.h"
#include "report/operators/capture_comparison.h"
#include "report/operators/operator_diagnosis.h"

namespace {

// As a side of a comparison: the rows add up to all kernels, and a capture does not differ from itself.
void compare_with_itself(std::string_view text, const frx::report::OperatorReport& report) {
  const auto capture = frx::report::read_operator_capture("fuzz", text, {});
  frx::fuzz::require(capture.has_value());
  std::int64_t sum = capture->outside.gpu_ns;
  std::uint64_t kernels = capture->outside.kernels;
  for (const auto& one : capture->operators) {
    sum += one.gpu_ns;
    kernels += one.kernels;
  }
  frx::fuzz::require(sum == report.kernel_ns && kernels == report.kernels);
  const auto comparison = frx::report::compare_captures(*capture, *capture, {});
  if (!comparison) return;
  double before = 0, after = 0;
  for (const auto& row : comparison->rows) {
    frx::fuzz::require(row.change_ns() == 0);
    before += row.before_ns.value_or(0);
    after += row.after_ns.value_or(0);
  }
  frx::fuzz::require(std::abs(before - comparison->before_ns()) <= 1e-6 * before && before == after);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using frx::report::OperatorGrouping;
  const frx::fuzz::ExactInput input(data, size);
  for (const OperatorGrouping grouping : {OperatorGrouping::by_operator, OperatorGrouping::by_module, OperatorGrouping::by_kernel}) {
    auto report = frx::report::read_operator_profile("fuzz", input.text(), grouping, &frx::fuzz::knowledge().metrics);
    if (!report) {
      frx::fuzz::require(report.error().where == "fuzz");
      continue;
    }
    if (grouping == OperatorGrouping::by_operator) compare_with_itself(input.text(), *report);
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
