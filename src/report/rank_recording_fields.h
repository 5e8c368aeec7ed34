// What a summary keeps of each part of the report about a trace, for base/pack.h. A member that is not named here is computed again.
//
// An older frx has to refuse what it would read wrongly: a member that is added here raises ingest::rank_summary::version.
#pragma once

#include "base/pack.h"
#include "report/trace_report.h"

namespace frx::model {

template <class Archive>
void fields(Archive& archive, ComputeCapability& v) {
  archive(v.major, v.minor);
}
template <class Archive>
void fields(Archive& archive, TracedGpu& v) {
  archive(v.id, v.name, v.memory_bytes, v.sms, v.cc);
}
template <class Archive>
void fields(Archive& archive, TraceFacts& v) {
  archive.choice(v.recorder, Recorder::nsight_systems);
  archive(v.gpus, v.base_time_ns, v.rank, v.world_size, v.backend, v.record_shapes, v.with_stack, v.profile_memory, v.runtime_version,
          v.is_rocm);
}
template <class Archive>
void fields(Archive& archive, ProgramTraits& v) {
  archive(v.is_pytorch, v.cpu_only, v.is_compiled, v.compiled_regions, v.graph_breaks, v.replays_graphs, v.is_inference, v.is_amd,
          v.has_tensor_cores, v.fp32_matrix_share, v.layout_copy_share, v.recorded_by_nsys, v.pinned_copy_share, v.ranks_given);
}
template <class Archive>
void fields(Archive& archive, GpuTime& v) {
  archive(v.span, v.compute, v.communication, v.copy, v.host_to_device, v.all_communication, v.all_host_to_device, v.idle, v.idle_by);
}
template <class Archive>
void fields(Archive& archive, IdleGap& v) {
  archive(v.begin, v.end, v.idle_by, v.during, v.is_one_off, v.step, v.after);
}
template <class Archive>
void fields(Archive& archive, GpuSteps& v) {
  archive(v.device, v.steps, v.usual, v.gaps);
}
template <class Archive>
void fields(Archive& archive, StepShapes& v) {
  archive(v.calls, v.changed, v.changed_from_second);
}
template <class Archive>
void fields(Archive& archive, ShapeChange& v) {
  archive(v.from_step, v.to_step, v.operation, v.before, v.after);
}
template <class Archive>
void fields(Archive& archive, GpuSample& v) {
  archive(v.index, v.time_ns, v.utilization_pct, v.memory_utilization_pct, v.memory_used, v.memory_total);
}
template <class Archive>
void fields(Archive& archive, GpuMetric& v) {
  archive(v.device, v.name, v.samples, v.busy_samples, v.mean, v.largest, v.busy_mean);
}

template <class Archive, typename Value>
void fields_of_column(Archive& archive, StepColumn<Value>& column, std::size_t steps) {
  bool recorded = column.recorded();
  archive(recorded);
  for (std::size_t i = 0; recorded && i < steps; ++i) {
    std::optional<Value> value = column[i];
    archive(value);
    if constexpr (Archive::reads) column.set(i, std::move(value));
  }
}

// Columns are as long as there are steps, or were not recorded.
template <class Archive>
void fields(Archive& archive, StepTable& v) {
  archive.choice(v.source, StepSource::recording);
  archive(v.name, v.pid, v.ids, v.program_ns, v.host_ns, v.status, v.kind, v.shapes, v.last_shape_change, v.gpus);
  fields_of_column(archive, v.begin_ns, v.size());
  fields_of_column(archive, v.end_ns, v.size());
  fields_of_column(archive, v.shape, v.size());
  fields_of_column(archive, v.batch_size, v.size());
  fields_of_column(archive, v.sequence_length, v.size());
  fields_of_column(archive, v.windows, v.size());
  fields_of_column(archive, v.kernels, v.size());
  fields_of_column(archive, v.median_kernel_ns, v.size());
  fields_of_column(archive, v.small_kernels, v.size());
  fields_of_column(archive, v.loss, v.size());
}

}  // namespace frx::model

namespace frx::derive::trace {

template <class Archive>
void fields(Archive& archive, TraceCounts& v) {
  archive(v.events, v.copies, v.calls, v.operators, v.foreign_events, v.kernels, v.kernels_with_launch, v.kernels_with_op,
          v.backward_kernels, v.backward_kernels_joined);
}
template <class Archive>
void fields(Archive& archive, TimeOf& v) {
  archive(v.name, v.gpu_ns, v.shortest_ns, v.longest_ns, v.count);
}
template <class Archive>
void fields(Archive& archive, OperatorTime& v) {
  archive(v.name, v.shapes, v.gpu_ns, v.count);
}
template <class Archive>
void fields(Archive& archive, WorkTimes& v) {
  archive(v.all_work_ns, v.top_operators, v.top_kernels, v.top_backward, v.kernel_names, v.operator_times, v.operator_times_cut);
}
template <class Archive>
void fields(Archive& archive, SelfTime& v) {
  archive(v.name, v.self_ns, v.total_ns, v.calls, v.threads);
}
template <class Archive>
void fields(Archive& archive, OperatorThread& v) {
  archive(v.pid, v.tid, v.operators_ns, v.calls);
}
template <class Archive>
void fields(Archive& archive, CpuTimes& v) {
  archive(v.operators, v.operator_names, v.threads, v.operators_ns, v.window_ns, v.gpu_evidence);
}
template <class Archive>
void fields(Archive& archive, KernelUse& v) {
  archive(v.all_ns, v.collectives_ns, v.tensor_core_ns, v.fp32_matrix_ns, v.other_matrix_ns, v.layout_ns, v.occupancy_pct, v.occupancy_ns);
}
template <class Archive>
void fields(Archive& archive, Product& v) {
  archive(v.name, v.shapes, v.type, v.calls, v.gpu_ns, v.of_call.flops, v.of_call.elements, v.element_bytes);
  archive.choice(v.unit, ProductUnit::fp32_cores);
}
template <class Archive>
void fields(Archive& archive, Products& v) {
  archive(v.products, v.different, v.flops, v.gpu_ns, v.without_shapes_ns, v.without_settings_ns);
}
template <class Archive>
void fields(Archive& archive, CopyRate& v) {
  archive(v.name, v.count, v.bytes, v.ns, v.without_bytes, v.largest_bytes, v.largest_ns);
}
template <class Archive>
void fields(Archive& archive, CollectiveRate& v) {
  archive(v.name, v.type, v.ranks, v.bytes, v.calls, v.ns, v.shortest_ns, v.factor);
}
template <class Archive>
void fields(Archive& archive, CollectiveRates& v) {
  archive(v.rates, v.without_message);
}
template <class Archive>
void fields(Archive& archive, LaunchQueue& v) {
  archive(v.device, v.median, v.longest, v.empty_ns, v.span_ns, v.launches);
}

}  // namespace frx::derive::trace

namespace frx::report {

template <class Archive>
void fields(Archive& archive, GpuUse& v) {
  archive(v.kernels, v.products, v.copies, v.collectives, v.queues, v.has_tensor_cores, v.missing);
}
template <class Archive>
void fields(Archive& archive, TraceReport& v) {
  archive(v.source, v.facts, v.clock_broken, v.program, v.is_part_of_file, v.processes, v.use, v.gpu_metrics, v.cpu, v.notes);
  archive(static_cast<TraceCounts&>(v), static_cast<WorkTimes&>(v));
}

}  // namespace frx::report
