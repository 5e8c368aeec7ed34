// A moment of a run in the JSON of OTLP: 64-bit integers are text, names those of the semantic conventions where there are any.

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/safe_text.h"
#include "base/text.h"
#include "capture/live/otlp.h"

namespace frx::capture {
namespace {

using OtlpJson = nlohmann::ordered_json;
constexpr int cumulative = 2;  // AGGREGATION_TEMPORALITY_CUMULATIVE

OtlpJson text_attribute(const char* key, std::string_view value) {
  constexpr std::size_t longest = 120;
  return {{"key", key}, {"value", {{"stringValue", shorten(printable(value), longest)}}}};
}

class OtlpMetrics {
 public:
  explicit OtlpMetrics(const RunState& state)
      : state_(state), start_(std::to_string(state.started_ns)), now_(std::to_string(state.now_ns)) {}

  void add_gpus();
  void add_steps();
  void add_end();
  OtlpJson take() { return std::move(metrics_); }

 private:
  OtlpJson point(OtlpJson attributes) const {
    return {{"attributes", std::move(attributes)}, {"startTimeUnixNano", start_}, {"timeUnixNano", now_}};
  }
  void gauge(const char* name, const char* unit, OtlpJson points) {
    if (!points.empty()) metrics_.push_back({{"name", name}, {"unit", unit}, {"gauge", {{"dataPoints", std::move(points)}}}});
  }
  void sum(const char* name, const char* unit, bool is_monotonic, OtlpJson points) {
    if (points.empty()) return;
    const OtlpJson value = {{"dataPoints", std::move(points)}, {"aggregationTemporality", cumulative}, {"isMonotonic", is_monotonic}};
    metrics_.push_back({{"name", name}, {"unit", unit}, {"sum", value}});
  }
  OtlpJson gpu_attributes(const GpuSample& gpu) const;
  // The points of those GPUs that have the figure; whole bytes, or a double.
  OtlpJson of_gpus(const GpuFigure& figure) const;

  const RunState& state_;
  std::string start_, now_;
  OtlpJson metrics_ = OtlpJson::array();
};

OtlpJson OtlpMetrics::gpu_attributes(const GpuSample& gpu) const {
  OtlpJson attributes = OtlpJson::array();
  attributes.push_back(text_attribute("hw.id", gpu.uuid.empty() ? std::to_string(gpu.index) : gpu.uuid));
  attributes.push_back(text_attribute("hw.type", "gpu"));
  attributes.push_back(text_attribute("hw.name", gpu.name));
  attributes.push_back(text_attribute("hw.vendor", "NVIDIA"));
  attributes.push_back({{"key", "frx.gpu.index"}, {"value", {{"intValue", std::to_string(gpu.index)}}}});
  return attributes;
}

OtlpJson OtlpMetrics::of_gpus(const GpuFigure& figure) const {
  constexpr double most_bytes = 1e12 * 1048576;
  OtlpJson points = OtlpJson::array();
  for (const GpuSample& gpu : state_.gpus) {
    const std::optional<double> value = figure.read(gpu);
    if (!value || !std::isfinite(*value)) continue;
    if (figure.are_bytes() && !(*value >= 0 && *value < most_bytes)) continue;
    OtlpJson one = point(gpu_attributes(gpu));
    if (figure.are_bytes()) {
      one["asInt"] = std::to_string(std::llround(*value));
    } else {
      one["asDouble"] = *value;
    }
    points.push_back(std::move(one));
  }
  return points;
}

void OtlpMetrics::add_gpus() {
  for (const GpuFigure& figure : gpu_figures()) {
    if (figure.are_bytes()) {
      sum(figure.otlp, figure.unit, false, of_gpus(figure));
    } else {
      gauge(figure.otlp, figure.unit, of_gpus(figure));
    }
  }
}

void OtlpMetrics::add_steps() {
  OtlpJson counts = OtlpJson::array(), times = OtlpJson::array();
  for (const auto& [key, count] : state_.steps) {
    OtlpJson one = point(OtlpJson::array({text_attribute("frx.step.kind", key.first), text_attribute("frx.step.status", key.second)}));
    one["asInt"] = std::to_string(count);
    counts.push_back(std::move(one));
  }
  sum("frx.run.steps", "{step}", true, std::move(counts));
  for (const auto& [kind, steps] : state_.step_times) {
    OtlpJson one = point(OtlpJson::array({text_attribute("frx.step.kind", kind)}));
    one["count"] = std::to_string(steps.count);
    one["sum"] = steps.sum;
    one["bucketCounts"] = OtlpJson::array();
    for (const std::uint64_t count : steps.counts) one["bucketCounts"].push_back(std::to_string(count));
    one["explicitBounds"] = StepTimes::bounds;
    times.push_back(std::move(one));
  }
  if (times.empty()) return;
  const OtlpJson value = {{"dataPoints", std::move(times)}, {"aggregationTemporality", cumulative}};
  metrics_.push_back({{"name", "frx.run.step.duration"}, {"unit", "s"}, {"histogram", value}});
}

void OtlpMetrics::add_end() {
  const auto one = [this](const char* name, const char* unit, double number) {
    OtlpJson value = point(OtlpJson::array());
    value["asDouble"] = number;
    gauge(name, unit, OtlpJson::array({std::move(value)}));
  };
  one("frx.run.started", "s", static_cast<double>(state_.started_ns) / 1e9);
  if (state_.ended_ns) one("frx.run.ended", "s", static_cast<double>(*state_.ended_ns) / 1e9);
  if (state_.exit_code) one("frx.run.exit_code", "1", *state_.exit_code);
}

}  // namespace

std::string otlp_request_of(const RunState& state) {
  OtlpMetrics metrics(state);
  metrics.add_end();
  metrics.add_gpus();
  metrics.add_steps();
  OtlpJson attributes = OtlpJson::array();
  attributes.push_back(text_attribute("service.name", state.names.job_name));
  attributes.push_back(text_attribute("service.instance.id", state.names.run_id));
  attributes.push_back(text_attribute("frx.run.id", state.names.run_id));
  if (!state.names.host.empty()) attributes.push_back(text_attribute("host.name", state.names.host));
  const OtlpJson scope = {{"scope", {{"name", "frx"}, {"version", state.names.version}}}, {"metrics", metrics.take()}};
  const OtlpJson resource = {{"resource", {{"attributes", std::move(attributes)}}}, {"scopeMetrics", OtlpJson::array({scope})}};
  return OtlpJson{{"resourceMetrics", OtlpJson::array({resource})}}.dump();
}

}  // namespace frx::capture
