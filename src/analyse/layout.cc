#include "analyse/layout.h"

#include <filesystem>
#include <future>

#include "analyse/analyse.h"
#include "base/sha256.h"

namespace frx::analyse {

Result<std::shared_ptr<report::LayoutReport>> analyse_layout(Input input, const report::LayoutRequest& request, Context& context) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  TRY_ASSIGN(const knowledge::LayoutKnowledge detectors, knowledge::LayoutKnowledge::load(known->library));
  const std::string name = input.source.name();
  if (input.format && input.kind() != ingest::Kind::trace)
    return fail(ErrorKind::malformed, "expected a trace of the PyTorch profiler, found {}", ingest::name_of(input.kind())).at(name);
  // What is not recognised may be a trace all the same; reading it tells.
  std::error_code ignored;
  // The fingerprint takes a second reading of the file, beside the first.
  const bool is_file = std::filesystem::is_regular_file(name, ignored);
  std::future<Result<std::string>> fingerprint;
  if (is_file) fingerprint = std::async(std::launch::async, [&name] { return sha256_of_file(name); });
  TRY_ASSIGN(model::Timeline timeline, read_timeline(input, context, context.options().progress, Arguments::of_every_operator));
  TRY_ASSIGN(std::shared_ptr<report::LayoutReport> report, report::analyse_layout(std::move(timeline), request, *known, detectors));
  if (is_file) {
    TRY_ASSIGN(report->sha256, fingerprint.get());
  }
  return report;
}

}  // namespace frx::analyse
