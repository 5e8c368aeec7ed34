// Manifests of operators (manifest.json). Whatever the bytes: every kernel is in one call, before the window or in none, times add up, and
// what is written of a manifest can be read again and is the same.
#include "answer/json_object.h"
#include "compose/operator_profile.h"
#include "fuzz/input.h"
#include "report/operators/operator_manifest.h"

namespace {

std::string written(const frx::report::OperatorManifest& manifest) {
  std::string text;
  frx::answer::JsonObject::write_object(text, 0, nullptr,
                                        [&](frx::answer::JsonObject& out) { frx::compose::put_operator_manifest(out, manifest); });
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  const auto manifest = frx::report::read_operator_manifest("fuzz", input.text());
  if (!manifest) {
    frx::fuzz::require(manifest.error().where == "fuzz");
    return 0;
  }
  const frx::report::OperatorReport report = frx::report::operator_report_of(*manifest, "fuzz");
  std::int64_t sum = report.unattributed.gpu_ns + report.before_window.gpu_ns;
  std::uint64_t kernels = report.unattributed.kernels + report.before_window.kernels;
  for (const auto& one : report.operators) {
    sum += one.gpu_ns;
    kernels += one.kernels;
  }
  frx::fuzz::require(sum == report.kernel_ns && kernels == manifest->kernels.size());
  const std::string text = written(*manifest);
  const auto again = frx::report::read_operator_manifest("fuzz", text);
  frx::fuzz::require(again && written(*again) == text);
  return 0;
}
