#include "base/text.h"
#include "compose/code_findings.h"
#include "compose/device_report.h"
#include "compose/json.h"
#include "compose/ptx_report.h"

namespace frx::compose {
namespace {

using model::KernelResources;
using model::LocalAccesses;
using report::DeviceKernel;
using report::DeviceReport;

Json dim_json(const std::optional<model::Dim3>& dim) { return dim ? Json(*dim) : Json(nullptr); }

Json local_json(const std::optional<LocalAccesses>& local) {
  if (!local) return nullptr;
  return {{"loads", local->loads}, {"stores", local->stores}, {"load_bytes", local->load_bytes}, {"store_bytes", local->store_bytes}};
}

Json occupancy_json(const derive::KernelOccupancy& at) {
  Json limiters = Json::array(), changes = Json::array();
  for (const knowledge::OccupancyLimiter limiter : at.occupancy.limiters) limiters.push_back(to_string(limiter));
  for (const knowledge::OccupancyChange& change : at.changes) changes.push_back(change.text);
  return {{"threads_per_block", at.threads_per_block},
          {"occupancy_pct", number(at.occupancy.occupancy_pct, 1)},
          {"active_blocks", or_null(at.occupancy.active_blocks)},
          {"limiters", std::move(limiters)},
          {"what_would_change", std::move(changes)}};
}

Json kernel_json(const DeviceReport& report, const DeviceKernel& device) {
  const KernelResources& k = report.code.kernels[device.index];
  Json json{{"kernel_name", k.name},
            {"demangled_name", text_or_null(k.demangled)},
            {"architecture", k.architecture},
            {"member", text_or_null(k.member)},
            {"relocatable", k.relocatable}};
  json["registers"] = or_null(k.registers_per_thread);
  json["register_limit"] = or_null(k.register_limit);
  json["frame_bytes"] = or_null(k.frame_bytes);
  json["stack_bytes"] = or_null(k.stack_bytes);
  json["static_shared_bytes"] = or_null(k.static_shared_bytes);
  json["reserved_shared_bytes"] = or_null(k.reserved_shared_bytes);
  json["parameter_bytes"] = or_null(k.parameter_bytes);
  json["constant_bytes"] = or_null(k.constant_bytes);
  json["barriers"] = or_null(k.barriers);
  json["max_threads"] = dim_json(k.max_threads);
  json["required_threads"] = dim_json(k.required_threads);
  json["cluster"] = dim_json(k.cluster);
  json["spills_detected"] = k.spills ? Json(k.spills->store_bytes + k.spills->load_bytes > 0) : Json(nullptr);
  json["spills"] = local_json(k.spills);
  json["local_memory"] = local_json(k.local);
  json["code_bytes"] = k.code_bytes;
  json["occupancy_gpu"] = text_or_null(device.gpu);
  json["occupancy"] = Json::array();
  for (const derive::KernelOccupancy& at : device.occupancy) json["occupancy"].push_back(occupancy_json(at));
  return json;
}

}  // namespace

Json device_json(const DeviceReport& report) {
  Json json{{"schema", "device_code_v1"}, {"filename", report.source}};
  json["gpu_model"] = text_or_null(report.gpu);
  json["kernel_count"] = report.kernels.size();
  json["kernels"] = Json::array();
  for (const DeviceKernel& kernel : report.kernels) json["kernels"].push_back(kernel_json(report, kernel));
  json["findings"] = findings_json(report.findings);
  json["ptx"] = Json::array();
  for (const auto& ptx : report.ptx) json["ptx"].push_back(ptx_json(*ptx));
  json["notes"] = report.notes;
  return json;
}

}  // namespace frx::compose
