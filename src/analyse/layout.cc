#include "analyse/layout.h"

#include <cmath>
#include <filesystem>
#include <future>

#include "analyse/analyse.h"
#include "analyse/kernels.h"
#include "base/sha256.h"
#include "ingest/dynamo_log.h"
#include "ingest/execution_trace.h"
#include "report/operators/kernel_counters.h"

namespace frx::analyse {
namespace {

// Bytes between the GPU and its memory, by kernel of the recording; NaN where its launch was not measured.
std::vector<double> measured_bytes(const report::JoinedCounters& joined, const knowledge::MetricCatalogue& metrics) {
  std::vector<double> bytes(joined.kernels.size(), std::nan(""));
  const std::optional<model::Metric> all = metrics.with_id("dram_bytes"), read = metrics.with_id("dram_bytes_read"),
                                     written = metrics.with_id("dram_bytes_write");
  for (std::size_t i = 0; i < joined.kernels.size(); ++i) {
    if (!joined.kernels[i].is_known()) continue;
    const model::MeasuredLaunch& launch = joined.measured->launches[joined.kernels[i].launch];
    const auto value = [&](const std::optional<model::Metric>& metric) {
      return metric ? joined.measured->value_of(launch, *metric) : std::nullopt;
    };
    if (const std::optional<double> sum = value(all)) {
      bytes[i] = *sum;
    } else if (value(read) && value(written)) {
      bytes[i] = *value(read) + *value(written);
    }
  }
  return bytes;
}

// Joins the counters with the kernels of the recording, which it borrows.
Result<> add_measured(Input counters, model::Timeline& timeline, report::LayoutRequest& request, Context& context) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  const std::string name = counters.source.name();
  report::OperatorProfile profile = report::operator_profile_of(std::move(timeline));
  const report::OperatorManifest manifest = report::manifest_of(profile);
  timeline = std::move(profile.timeline);
  TRY_ASSIGN(const model::Session measured, read_launches(std::move(counters), context));
  TRY_ASSIGN(const report::JoinedCounters joined, report::join_counters(manifest, measured, known->metrics));
  request.measured_bytes = measured_bytes(joined, known->metrics);
  request.measured_by = name;
  const auto is_number = [](double value) { return !std::isnan(value); };
  if (std::ranges::none_of(request.measured_bytes, is_number))
    return fail(ErrorKind::malformed, "no kernel of the trace has DRAM traffic in this profile")
        .at(name)
        .hint("collect dram__bytes_read.sum and dram__bytes_write.sum of the same program");
  return {};
}

}  // namespace

Result<std::shared_ptr<report::LayoutReport>> analyse_layout(Input input, report::LayoutRequest request, LayoutSources beside,
                                                             Context& context) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  TRY_ASSIGN(const knowledge::LayoutKnowledge detectors, knowledge::LayoutKnowledge::load(known->library));
  const std::string name = input.source.name();
  if (input.format && input.kind() != ingest::Kind::trace)
    return fail(ErrorKind::malformed, "expected a trace of the PyTorch profiler, found {}", ingest::name_of(input.kind())).at(name);
  // What is not recognised may be a trace all the same; reading it tells.
  std::error_code ignored;
  // The fingerprint takes a second reading of the file, beside the first; of a very large one it would take longer than all else.
  constexpr std::uintmax_t largest_fingerprinted = std::uintmax_t{128} << 20;
  const bool is_file =
      std::filesystem::is_regular_file(name, ignored) && std::filesystem::file_size(name, ignored) <= largest_fingerprinted;
  std::future<Result<std::string>> fingerprint;
  if (is_file) fingerprint = std::async(std::launch::async, [&name] { return sha256_of_file(name); });
  TRY_ASSIGN(model::Timeline timeline, read_timeline(input, context, context.options().progress, Detail::all_arguments));
  if (beside.log) {
    TRY_ASSIGN(const std::unique_ptr<ByteSource> bytes, beside.log->source.bytes());
    TRY_ASSIGN(request.log, ingest::read_dynamo_log(beside.log->source.name(), *bytes));
  }
  if (beside.execution) {
    TRY_ASSIGN(const std::unique_ptr<ByteSource> bytes, beside.execution->source.bytes());
    TRY_ASSIGN(request.execution, ingest::read_execution_trace(beside.execution->source.name(), *bytes));
  }
  if (beside.counters) TRY(add_measured(std::move(*beside.counters), timeline, request, context));
  TRY_ASSIGN(std::shared_ptr<report::LayoutReport> report, report::analyse_layout(std::move(timeline), request, *known, detectors));
  if (is_file) {
    TRY_ASSIGN(report->sha256, fingerprint.get());
  }
  return report;
}

}  // namespace frx::analyse
