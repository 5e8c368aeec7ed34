#include "base/text.h"
#include "compose/payloads.h"

namespace frx::compose {
namespace {

using model::KernelResources;
using model::LocalAccesses;
using report::DeviceKernel;
using report::DeviceReport;

void put_local(JsonObject& out, const LocalAccesses& local) {
  out.add("loads", local.loads, "stores", local.stores, "load_bytes", local.load_bytes, "store_bytes", local.store_bytes);
}

void put_kernel_occupancy(JsonObject& out, const derive::KernelOccupancy& at) {
  std::vector<std::string_view> limiters, changes;
  for (const knowledge::OccupancyLimiter limiter : at.occupancy.limiters) limiters.push_back(to_string(limiter));
  for (const knowledge::OccupancyChange& change : at.changes) changes.push_back(change.text);
  out.add("threads_per_block", at.threads_per_block, "occupancy_pct", rounded(at.occupancy.occupancy_pct, 1), "active_blocks",
          at.occupancy.active_blocks, "limiters", limiters, "what_would_change", changes);
}

void put_kernel(JsonObject& out, const DeviceReport& report, const DeviceKernel& device) {
  const KernelResources& k = report.code.kernels[device.index];
  out.add("kernel_name", k.name, "demangled_name", unless_empty(k.demangled), "architecture", k.architecture, "member",
          unless_empty(k.member), "relocatable", k.relocatable, "registers", k.registers_per_thread, "register_limit", k.register_limit,
          "frame_bytes", k.frame_bytes, "stack_bytes", k.stack_bytes, "static_shared_bytes", k.static_shared_bytes, "reserved_shared_bytes",
          k.reserved_shared_bytes, "parameter_bytes", k.parameter_bytes, "constant_bytes", k.constant_bytes, "barriers", k.barriers,
          "max_threads", k.max_threads, "required_threads", k.required_threads, "cluster", k.cluster, "spills_detected",
          k.spills ? std::optional(k.spills->store_bytes + k.spills->load_bytes > 0) : std::nullopt);
  out.object("spills", k.spills, put_local);
  out.object("local_memory", k.local, put_local);
  out.add("code_bytes", k.code_bytes, "occupancy_gpu", unless_empty(device.gpu));
  out.list("occupancy", device.occupancy, put_kernel_occupancy);
}

}  // namespace

void put_device(JsonObject& out, const DeviceReport& report) {
  out.add("schema", "device_code_v1", "filename", report.source, "gpu_model", unless_empty(report.gpu), "kernel_count",
          report.kernels.size());
  out.list("kernels", report.kernels, [&](JsonObject& inner, const DeviceKernel& kernel) { put_kernel(inner, report, kernel); });
  out.list("findings", report.findings, put_finding);
  out.list("ptx", report.ptx, [](JsonObject& inner, const auto& ptx) { put_ptx(inner, *ptx); });
  out.add("notes", report.notes);
}

}  // namespace frx::compose
