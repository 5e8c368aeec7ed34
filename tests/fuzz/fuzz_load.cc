// Any bytes: what they are is found out, they are read, diagnosed, and every finding makes sense.
#include "diagnose/diagnosis.h"
#include "fuzz/input.h"
#include "ingest/importer.h"

namespace {

void check(const std::vector<frx::diagnose::Finding>& findings) {
  for (const frx::diagnose::Finding& finding : findings) {
    frx::fuzz::require(finding.label != nullptr && finding.score >= 0 && finding.score <= 1);
    frx::fuzz::require(!finding.time_at_stake || *finding.time_at_stake >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  const std::unique_ptr<frx::ByteSource> source = frx::open_bytes(input.text());
  frx::Result<frx::model::Session> session = frx::ingest::load("fuzz", *source, frx::fuzz::knowledge().metrics);
  if (!session) {
    frx::fuzz::require(!session.error().message.empty());
    return 0;
  }
  const auto diagnosis = frx::diagnose::diagnose(std::move(*session), frx::fuzz::knowledge(), {});
  if (!diagnosis) return 0;
  check(diagnosis->findings);
  for (const frx::diagnose::KernelDiagnosis& kernel : diagnosis->kernels) check(kernel.findings);
  return 0;
}
