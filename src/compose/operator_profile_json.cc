#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "compose/operator_profile.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using report::JoinedCounters;
using report::ManifestKernel;
using report::ManifestOperator;
using report::ManifestRange;
using report::OperatorManifest;

constexpr std::uint32_t none = ManifestKernel::none;

std::vector<std::string_view> names_of(const OperatorManifest& manifest, std::span<const std::uint32_t> names) {
  std::vector<std::string_view> texts;
  for (const std::uint32_t name : names) texts.push_back(manifest.names[name]);
  return texts;
}

// Counts as whole numbers.
answer::Rounded number_of(double value) {
  constexpr double largest_exact = 9007199254740992;
  return value == std::floor(value) && value < largest_exact ? answer::rounded(value, 0) : answer::exact(value);
}

void put_range(JsonObject& out, const ManifestRange& range) {
  out.add("text", range.text, "depth", range.depth, "start_ns", range.start_ns, "end_ns", range.end_ns, "domain", range.domain);
}

void put_range_of(JsonObject& out, const OperatorManifest& manifest, std::uint32_t range) {
  if (range == none) return out.add("nvtx_range", nullptr);
  out.object("nvtx_range", [&](JsonObject& inner) { put_range(inner, manifest.ranges[range]); });
}

void put_launch(JsonObject& out, const ManifestKernel& kernel) {
  out.add("stream_id", kernel.stream, "device_id", kernel.device, "start_ns", kernel.start_ns, "end_ns",
          kernel.start_ns + kernel.duration_ns, "duration_ns", kernel.duration_ns, "grid_dim", kernel.grid, "block_dim", kernel.block);
}

std::optional<std::string_view> name_or_null(const OperatorManifest& manifest, std::uint32_t name) {
  return name == none ? std::nullopt : std::optional(manifest.names[name]);
}

// In the model: where the launch, or what its gradient is of, stands.
void put_origin(JsonObject& out, const OperatorManifest& manifest, const ManifestKernel& kernel) {
  out.add("module", name_or_null(manifest, kernel.module), "forward_operator", name_or_null(manifest, kernel.forward));
}

void put_capture(JsonObject& out, const OperatorManifest& manifest, const JoinedCounters* joined) {
  const report::CaptureFacts& capture = manifest.capture;
  const std::string& counters = joined ? joined->source : capture.ncu_report;
  out.add("model_name", capture.model_name, "torch_version", capture.torch_version, "cuda_version",
          answer::unless_empty(capture.cuda_version), "compile_mode", capture.compile_mode, "nsys_report_path",
          answer::unless_empty(capture.nsys_report), "ncu_report_path", answer::unless_empty(counters), "capture_timestamp_utc",
          capture.timestamp_utc, "device_name", answer::unless_empty(capture.device_name));
  if (!capture.input_shapes.empty()) {
    out.object("input_shapes", [&](JsonObject& inner) {
      for (const auto& [name, shape] : capture.input_shapes) inner.add(name, shape);
    });
  }
  if (capture.clocks) {
    out.object("clocks", [&](JsonObject& inner) {
      inner.add("status", capture.clocks->status, "graphics_mhz", exact(capture.clocks->graphics_mhz), "memory_mhz",
                exact(capture.clocks->memory_mhz));
    });
  }
  if (capture.warmup_iterations) out.add("warmup_iters", capture.warmup_iterations);
  if (capture.measured_iterations) out.add("measure_iters", capture.measured_iterations);
}

class Writer {
 public:
  Writer(const OperatorManifest& manifest, const JoinedCounters* joined, const knowledge::OperatorCounters* counters)
      : manifest_(manifest), joined_(joined), counters_(counters) {}

  void put(JsonObject& out) const;

 private:
  bool has_counters(std::uint32_t kernel) const { return joined_ && joined_->kernels[kernel].is_known(); }
  void put_kernel(JsonObject& out, std::uint32_t number) const;
  void put_raw(JsonObject& out, std::uint32_t number) const;
  void put_operator(JsonObject& out, const ManifestOperator& call) const;
  void put_aggregated(JsonObject& out, const ManifestOperator& call) const;
  void put_units(JsonObject& out) const;

  const OperatorManifest& manifest_;
  const JoinedCounters* joined_;
  const knowledge::OperatorCounters* counters_;
};

void Writer::put_raw(JsonObject& out, std::uint32_t number) const {
  if (!has_counters(number)) return;
  const model::MeasuredLaunches& measured = *joined_->measured;
  const model::MeasuredLaunch& launch = measured.launches[joined_->kernels[number].launch];
  for (std::uint32_t i = 0; i < launch.value_count; ++i) {
    const auto& value = measured.values[launch.first_value + i];
    out.add(joined_->names[value.counter], number_of(value.value));
  }
}

void Writer::put_kernel(JsonObject& out, std::uint32_t number) const {
  const ManifestKernel& kernel = manifest_.kernels[number];
  out.add("kernel_id", kernel.id, "kernel_name", manifest_.name_of(kernel), "demangled_name", nullptr);
  put_launch(out, kernel);
  out.object("metrics", [&](JsonObject& inner) { inner.object("raw", [&](JsonObject& raw) { put_raw(raw, number); }); });
  out.add("attribution_method", kernel.method, "confidence", kernel.confidence);
  put_range_of(out, manifest_, kernel.range);
  const bool is_known = has_counters(number);
  out.add("match_quality", answer::when(is_known, is_known ? word_for(joined_->kernels[number].quality) : ""), "iteration",
          kernel.iteration);
  put_origin(out, manifest_, kernel);
  if (is_known && joined_->kernels[number].is_inferred) out.add("inferred", true);
}

void Writer::put_aggregated(JsonObject& out, const ManifestOperator& call) const {
  const std::uint32_t longest =
      *std::ranges::max_element(call.kernels, {}, [&](std::uint32_t i) { return manifest_.kernels[i].duration_ns; });
  out.add("total_duration_ns", call.gpu_ns, "kernel_count", call.kernels.size(), "dominant_kernel_id", manifest_.kernels[longest].id);
  if (!joined_) return;
  const report::OperatorAggregate aggregate = aggregate_of(manifest_, call.kernels, *joined_, *counters_);
  for (std::size_t i = 0; i < aggregate.values.size(); ++i) {
    const std::optional<double>& value = aggregate.values[i];
    out.add(counters_->counters[i].member, value ? number_of(*value) : answer::exact(value));
  }
  out.add("counter_coverage_pct", aggregate.covered_pct);
}

void Writer::put_operator(JsonObject& out, const ManifestOperator& call) const {
  const std::string_view name = manifest_.names[call.name];
  const ManifestKernel& first = manifest_.kernels[call.kernels.front()];
  out.add("operator_id", fmt::format("{}_{}", name, call.index), "operator_name", name, "call_index", call.index, "is_fused",
          first.is_fused, "fused_with", names_of(manifest_, first.fused));
  put_range_of(out, manifest_, call.range);
  out.list("kernels", call.kernels, [&](JsonObject& one, std::uint32_t kernel) { put_kernel(one, kernel); });
  out.object("aggregated", [&](JsonObject& inner) { put_aggregated(inner, call); });
}

// Of the counters that some kernel has.
void Writer::put_units(JsonObject& out) const {
  std::vector<bool> occurs(joined_->names.size(), false);
  for (const auto& value : joined_->measured->values) occurs[value.counter] = true;
  out.object("units", [&](JsonObject& units) {
    for (std::size_t i = 0; i < occurs.size(); ++i) {
      if (occurs[i]) units.add(joined_->names[i], joined_->units[i]);
    }
  });
}

void Writer::put(JsonObject& out) const {
  out.add("schema_version", "1.1");
  out.object("capture_metadata", [&](JsonObject& inner) { put_capture(inner, manifest_, joined_); });
  const std::vector<ManifestOperator> calls = report::operators_in(manifest_);
  out.list("operators", calls, [&](JsonObject& one, const ManifestOperator& call) { put_operator(one, call); });
  const auto kernels_that = [&](auto&& is_such) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < manifest_.kernels.size(); ++i) {
      if (is_such(manifest_.kernels[i])) found.push_back(i);
    }
    return found;
  };
  const auto put_one = [&](JsonObject& one, std::uint32_t kernel) { put_kernel(one, kernel); };
  out.list("unattributed_kernels", kernels_that([](const ManifestKernel& one) { return !one.is_before_window && one.operators.empty(); }),
           put_one);
  out.list("init_kernels", kernels_that([](const ManifestKernel& one) { return one.is_before_window; }), put_one);
  if (joined_) put_units(out);
  std::vector<std::string> warnings = manifest_.warnings;
  if (joined_) warnings.insert(warnings.end(), joined_->notes.begin(), joined_->notes.end());
  out.add("warnings", warnings);
}

void put_attribution(JsonObject& out, const OperatorManifest& manifest, const ManifestKernel& kernel) {
  out.add("method", kernel.method, "source_operators", names_of(manifest, kernel.operators));
  put_range_of(out, manifest, kernel.range);
  out.add("confidence", kernel.confidence, "is_fused", kernel.is_fused);
  out.list("all_enclosing_ranges", kernel.enclosing, [&](JsonObject& one, std::uint32_t range) { put_range(one, manifest.ranges[range]); });
  out.add("fused_ops", names_of(manifest, kernel.fused));
}

void put_manifest_kernel(JsonObject& out, const OperatorManifest& manifest, const ManifestKernel& kernel) {
  out.add("kernel_id", kernel.id, "kernel_name", manifest.name_of(kernel), "mangled_name", name_or_null(manifest, kernel.mangled));
  put_launch(out, kernel);
  out.add("registers_per_thread", kernel.registers, "dynamic_smem_bytes", kernel.dynamic_shared);
  out.object("attribution", [&](JsonObject& inner) { put_attribution(inner, manifest, kernel); });
  out.add("layer_partition", name_or_null(manifest, kernel.layer), "is_unique_partition", kernel.is_unique_layer, "iteration",
          kernel.iteration, "before_window", kernel.is_before_window);
  put_origin(out, manifest, kernel);
}

}  // namespace

void put_operator_profile(JsonObject& out, const OperatorManifest& manifest, const JoinedCounters* joined,
                          const knowledge::OperatorCounters* counters) {
  Writer(manifest, joined, counters).put(out);
}

void put_operator_manifest(JsonObject& out, const OperatorManifest& manifest) {
  out.add("schema_version", "1.1");
  out.object("capture_metadata", [&](JsonObject& inner) { put_capture(inner, manifest, nullptr); });
  out.list("kernels", manifest.kernels, [&](JsonObject& one, const ManifestKernel& kernel) { put_manifest_kernel(one, manifest, kernel); });
  out.add("warnings", manifest.warnings);
}

}  // namespace frx::compose
