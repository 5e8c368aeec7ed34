#include "compose/operator_profile.h"

#include <algorithm>
#include <ctime>

#include "base/text.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using derive::trace::none;
using derive::trace::OperatorCall;
using derive::trace::OperatorKernel;
using derive::trace::OperatorMethod;
using model::Timeline;
using report::OperatorProfile;

// How a kernel was attributed, in the words of the schema.
struct Words {
  std::string_view method, confidence;
};

Words words_for(OperatorMethod method) {
  switch (method) {
    case OperatorMethod::range: return {"nvtx", "high"};
    case OperatorMethod::capture: return {"graph_node", "medium"};
    case OperatorMethod::scope: return {"nvtx", "low"};
    case OperatorMethod::unknown:
    case OperatorMethod::before: break;
  }
  return {"unattributed", "unattributed"};
}

// "2026-05-24T13:40:14Z".
std::string utc_text(std::int64_t since_1970_ns) {
  const auto seconds = static_cast<std::time_t>(since_1970_ns / 1'000'000'000);
  std::tm parts = {};
  char text[32] = "";
  if (::gmtime_r(&seconds, &parts)) std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

class Writer {
 public:
  explicit Writer(const OperatorProfile& profile) : profile_(profile), timeline_(profile.timeline) {
    shapes_.resize(profile.calls.kernels.size(), nullptr);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> by_row;
    for (std::uint32_t i = 0; i < profile.calls.kernels.size(); ++i) by_row.emplace_back(profile.calls.kernels[i].event, i);
    std::ranges::sort(by_row);
    auto shape = timeline_.kernel_shapes.begin();
    for (const auto& [row, kernel] : by_row) {
      while (shape != timeline_.kernel_shapes.end() && shape->event < row) ++shape;
      if (shape != timeline_.kernel_shapes.end() && shape->event == row) shapes_[kernel] = &*shape;
    }
  }

  void put(JsonObject& out) const;

 private:
  std::uint32_t depth_of(std::uint32_t range) const {
    std::uint32_t depth = 0;
    for (std::uint32_t row = profile_.calls.enclosing[range]; row != none; row = profile_.calls.enclosing[row]) ++depth;
    return depth;
  }
  void put_range(JsonObject& out, std::uint32_t range) const {
    out.add("text", timeline_.name_of(range), "depth", depth_of(range), "start_ns", timeline_.start[range], "end_ns", timeline_.end(range),
            "domain", "default");
  }
  void put_range_of(JsonObject& out, std::uint32_t range) const {
    if (range == none) return out.add("nvtx_range", nullptr);
    out.object("nvtx_range", [&](JsonObject& inner) { put_range(inner, range); });
  }
  void put_kernel(JsonObject& out, std::uint32_t number) const;
  void put_operator(JsonObject& out, const OperatorCall& call) const;
  void put_aggregated(JsonObject& out, const OperatorCall& call) const;
  std::vector<std::uint32_t> kernels_that(OperatorMethod method) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < profile_.calls.kernels.size(); ++i) {
      if (profile_.calls.kernels[i].method == method) found.push_back(i);
    }
    return found;
  }

  const OperatorProfile& profile_;
  const Timeline& timeline_;
  std::vector<const model::KernelShape*> shapes_;  // by kernel; null: not recorded
};

void Writer::put_kernel(JsonObject& out, std::uint32_t number) const {
  const OperatorKernel& kernel = profile_.calls.kernels[number];
  const model::Track& track = timeline_.tracks[timeline_.track[kernel.event]];
  const model::KernelShape* const shape = shapes_[number];
  out.add("kernel_id", fmt::format("k_{:05}", number), "kernel_name", timeline_.name_of(kernel.event), "demangled_name", nullptr,
          "stream_id", track.stream, "device_id", track.device, "start_ns", timeline_.start[kernel.event], "end_ns",
          timeline_.end(kernel.event), "duration_ns", timeline_.duration[kernel.event], "grid_dim",
          shape ? std::optional(shape->grid) : std::nullopt, "block_dim", shape ? std::optional(shape->block) : std::nullopt);
  out.object("metrics", [](JsonObject& inner) { inner.object("raw", [](JsonObject&) {}); });
  const Words words = words_for(kernel.method);
  out.add("attribution_method", words.method, "confidence", words.confidence);
  put_range_of(out, kernel.range);
  out.add("match_quality", nullptr, "iteration", kernel.iteration);
}

void Writer::put_aggregated(JsonObject& out, const OperatorCall& call) const {
  const auto longest = std::ranges::max_element(
      call.kernels, {}, [&](std::uint32_t kernel) { return timeline_.duration[profile_.calls.kernels[kernel].event]; });
  out.add("total_duration_ns", call.gpu_ns, "kernel_count", call.kernels.size(), "dominant_kernel_id", fmt::format("k_{:05}", *longest));
}

void Writer::put_operator(JsonObject& out, const OperatorCall& call) const {
  const std::string_view name = timeline_.name_of(call.range);
  out.add("operator_id", fmt::format("{}_{}", name, call.index), "operator_name", name, "call_index", call.index, "is_fused", false,
          "fused_with", std::span<const std::string>());
  put_range_of(out, call.range);
  out.list("kernels", call.kernels, [&](JsonObject& one, std::uint32_t kernel) { put_kernel(one, kernel); });
  out.object("aggregated", [&](JsonObject& inner) { put_aggregated(inner, call); });
}

void Writer::put(JsonObject& out) const {
  out.add("schema_version", "1.1");
  out.object("capture_metadata", [&](JsonObject& inner) {
    const bool is_known = !timeline_.facts.gpus.empty();
    inner.add("model_name", profile_.model_name, "torch_version", "not recorded", "cuda_version", nullptr, "compile_mode",
              profile_.compile_mode, "nsys_report_path", timeline_.source, "ncu_report_path", nullptr, "capture_timestamp_utc",
              timeline_.facts.base_time_ns > 0 ? utc_text(timeline_.facts.base_time_ns) : std::string(), "device_name",
              is_known ? std::optional(timeline_.facts.gpus.front().name) : std::nullopt);
  });
  out.list("operators", profile_.calls.calls, [&](JsonObject& one, const OperatorCall& call) { put_operator(one, call); });
  const auto put_one = [&](JsonObject& one, std::uint32_t kernel) { put_kernel(one, kernel); };
  out.list("unattributed_kernels", kernels_that(OperatorMethod::unknown), put_one);
  out.list("init_kernels", kernels_that(OperatorMethod::before), put_one);
  std::vector<std::string> notes;
  for (const model::Note& note : timeline_.notes) notes.push_back(note.text);
  out.add("warnings", notes);
}

}  // namespace

void put_operator_profile(JsonObject& out, const OperatorProfile& profile) { Writer(profile).put(out); }

}  // namespace frx::compose
