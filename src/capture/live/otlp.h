// A moment of a run as metrics of OpenTelemetry, sent by OTLP over HTTP with JSON: POST URL/v1/metrics (docs/live.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/host.h"
#include "capture/live/run_state.h"

namespace frx::capture {

struct OtlpTarget {
  std::string url;                   // with /v1/metrics
  std::vector<std::string> headers;  // "name: value"; never shown
};

// `given`: a URL, or "env" for OTEL_EXPORTER_OTLP_METRICS_ENDPOINT and else OTEL_EXPORTER_OTLP_ENDPOINT of `host`. Headers are those of
// OTEL_EXPORTER_OTLP_METRICS_HEADERS, else of OTEL_EXPORTER_OTLP_HEADERS. Usage: neither http nor https, variables that are not there or
// malformed, headers that would go unencrypted to another machine.
Result<OtlpTarget> otlp_target(const std::string& given, const Host& host);

// An ExportMetricsServiceRequest. Counts are cumulative since the start of the run; what is absent has no data point.
std::string otlp_request_of(const RunState& state);

// Sends requests one after another on a thread of its own. At most 60 wait; the oldest is dropped where another one comes.
class OtlpSender {
 public:
  // Environment: there is no libcurl.
  static Result<OtlpSender> start(OtlpTarget target);
  OtlpSender(OtlpSender&&) noexcept;
  OtlpSender& operator=(OtlpSender&&) = delete;
  ~OtlpSender();

  void add(std::string request);
  // Waits two seconds for what is not delivered yet, and up to 1.5 more for an answer that is being waited for. The warnings. Call once.
  std::vector<std::string> finish();

 private:
  struct State;
  explicit OtlpSender(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace frx::capture
