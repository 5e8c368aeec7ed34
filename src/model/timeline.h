// A program over time: what a trace recorded, one row per event, as columns.
//
// Millions of events are usual, so a row is 33 bytes and texts are kept once. Rows stand in the order of the file, which
// is no order in time. What only some events have (bytes of a copy) is in tables beside the columns.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "base/interner.h"
#include "model/session.h"

namespace frx::model {

enum class EventKind : std::uint8_t {
  cpu_op,      // an operator of the framework
  annotation,  // a range the program named, ProfilerStep#N among them
  runtime,     // a call of the CUDA or HIP runtime
  driver,      // a call of the driver
  kernel,      // on a GPU, as the next four
  memcpy,
  memset,
  graph,           // a CUDA graph as a whole, whose kernels were not recorded
  gpu_annotation,  // a range of the program, repeated on the track of the GPU
  sync,            // synchronisation, on the track of a stream
  python,          // a Python function
  overhead,        // of the profiler itself
  os_call,         // a call of the operating system
  window,          // the whole recording
  foreign,         // of another accelerator (MTIA, XPU)
  other,
};

constexpr bool is_gpu_work(EventKind kind) {
  return kind == EventKind::kernel || kind == EventKind::memcpy || kind == EventKind::memset || kind == EventKind::graph;
}

// A thread of a process, or a stream of a device.
struct Track {
  std::string pid, tid;      // as written, without quotes
  std::int32_t device = -1;  // of GPU events; -1: a thread of the CPU, or not known
  std::int64_t stream = -1;
  std::int64_t rank = -1;  // in a file that a tool made of the traces of several ranks; -1: not said
};

// What writers since 2024 say of a collective beside its kernel. Texts are among the names of the timeline.
struct CollectiveArguments {
  std::uint32_t event = 0;                   // row of the kernel
  std::uint32_t name = 0, type = 0;          // "allreduce", "Float"
  std::uint32_t group = 0, group_ranks = 0;  // "0", "[0, 1]"
  std::uint64_t in_elements = 0, out_elements = 0;
  std::uint64_t group_size = 0;  // 0: not said
};

// What is kept of the inputs of an operator beside their shapes, as the file has it. Texts are among the names of the timeline;
// Timeline::no_id: not recorded.
struct OperatorArguments {
  std::uint32_t event = 0;                                  // row of the operator
  std::uint32_t types = 0xFFFFFFFF, concrete = 0xFFFFFFFF;  // "["c10::Half", ...]", "["", "[1, 1]", ...]"
  // Only where the arguments of every operator were asked for. Shapes of any length, which are hashes elsewhere.
  std::uint32_t shapes = 0xFFFFFFFF, strides = 0xFFFFFFFF;
  std::uint32_t record_function = 0;  // "Record function id", by which an execution trace names the call; 0: it names none
};

// A call of a Python function, and where in the program it stands. PyTorch records this since 2026 (`CallFrom`).
struct PythonCall {
  std::uint32_t event = 0;  // row of the function
  std::uint32_t from = 0;   // "model.py:47", of the names of the timeline
};

// How a kernel was launched, where the recording says so.
struct KernelShape {
  static constexpr std::uint32_t not_recorded = 0xFFFFFFFF;

  std::uint32_t event = 0;  // row of the kernel
  std::array<std::uint32_t, 3> grid = {}, block = {};
  std::uint32_t registers_per_thread = 0;  // 0: not recorded
  std::uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::uint32_t mangled = 0xFFFFFFFF;  // name of the kernel, of the names of the timeline; Timeline::no_id: not recorded
};

// A kernel of a CUDA graph, and the moment at which the program captured it.
struct CapturedKernel {
  std::uint32_t event = 0;    // row of the kernel
  std::uint32_t capture = 0;  // row of that moment, on the thread that captured
};

// What a trace says of a GPU of the machine, used or not. 0 and "": not said.
struct TracedGpu {
  std::int32_t id = -1;
  std::string name;
  std::uint64_t memory_bytes = 0;
  std::uint32_t sms = 0;
  std::optional<ComputeCapability> cc;
};

// The memory of a device as its allocator saw it at one moment.
struct MemorySample {
  std::int64_t time_ns = 0;
  std::int32_t device = -1;  // -1: memory of the CPU
  std::uint64_t allocated_bytes = 0, reserved_bytes = 0;
};

// What was sampled of a GPU over time, summed up.
struct GpuMetric {
  std::int32_t device = -1;
  std::string name;                             // as the profiler has it, with its unit: "SMs Active [Throughput %]"
  std::uint64_t samples = 0, busy_samples = 0;  // of the recording; of those, taken while a kernel ran on that GPU
  double mean = 0, largest = 0;                 // over all samples, in the unit that the name says
  std::optional<double> busy_mean;              // absent: no sample was taken while a kernel ran
};

// What made the recording, so that hints name its options.
enum class Recorder : std::uint8_t { pytorch_profiler, nsight_systems };

struct TraceFacts {
  Recorder recorder = Recorder::pytorch_profiler;
  std::vector<TracedGpu> gpus;
  std::int64_t base_time_ns = 0;  // added to the times of events, it gives the time since 1970; 0: not said
  std::optional<std::int64_t> rank, world_size;
  std::string backend;  // "nccl"
  bool record_shapes = false, with_stack = false, profile_memory = false;
  std::string runtime_version;  // "12.4", of CUDA
  bool is_rocm = false;
};

struct Timeline {
  static constexpr std::uint32_t no_id = 0xFFFFFFFF;
  static constexpr std::uint32_t hash_bit = 0x80000000;

  std::string source;  // the name of the file

  // By event. Times in nanoseconds, of the clock of the trace.
  Column<std::int64_t> start, duration;
  Column<std::uint32_t> name;         // of `names`
  Column<std::uint32_t> track;        // of `tracks`
  Column<std::uint32_t> correlation;  // joins a call with the GPU work it launched; no_id: none
  Column<std::uint32_t> external;     // External id; no_id: none
  Column<EventKind> kind;

  Interner names;
  std::vector<Track> tracks;
  std::vector<std::uint32_t> copy_events;  // rows of copies whose bytes are known, ascending
  std::vector<std::uint64_t> copy_bytes;
  // Operators with a sequence number, ascending; it joins those of the backward pass with those of the forward pass.
  std::vector<std::uint32_t> numbered_events;  // rows
  std::vector<std::uint32_t> sequence;
  std::vector<std::uint16_t> forward_thread;  // of a backward operator: which thread made its node; 0: a forward operator
  // Operators whose inputs' shapes were recorded (record_shapes=True), ascending. Equal shapes have equal numbers; most are
  // of `shapes`, as the file has them ("[[8, 128], []]"), the others hashes.
  Column<std::uint32_t> shaped_events;  // rows
  Column<std::uint32_t> shapes_of;
  Interner shapes;
  // Of operators that are products, ascending by row; of every operator where the reader was asked for them.
  Column<OperatorArguments> arguments;
  Column<PythonCall> python_calls;  // ascending by row
  // Kernels of which the profiler estimated how full of warps they kept the GPU: rows, ascending, and percent.
  Column<std::uint32_t> occupancy_events;
  Column<float> occupancy_pct;
  std::vector<MemorySample> memory;
  std::vector<GpuMetric> gpu_metrics;            // by GPU; of exports of Nsight Systems
  std::vector<KernelShape> kernel_shapes;        // ascending by row; of a trace where the reader was asked for them
  std::vector<CapturedKernel> captured;          // ascending by row of the kernel; of exports of Nsight Systems
  std::vector<CollectiveArguments> collectives;  // ascending by row
  TraceFacts facts;
  std::vector<Note> notes;
  // Times are multiples of a microsecond: traces of PyTorch before 2.3 round down, kernels under 1 us have no duration.
  bool whole_microseconds = true;
  // Some events lost their times; nothing may be measured between events.
  bool clock_broken = false;
  // The file ends early: of what is not in it nothing follows.
  bool cut_short = false;
  std::uint64_t untimed_kernels = 0;  // without a duration; they are not among the events

  std::size_t size() const { return start.size(); }
  std::string_view name_of(std::size_t event) const { return names[name[event]]; }
  std::int64_t end(std::size_t event) const { return start[event] + duration[event]; }

  // Of texts that are too long or too many to be kept.
  static std::uint32_t hashed_shapes(std::string_view dims) { return hash_bit | NameTable::hash_of(dims); }
  static constexpr bool is_hash_of_shapes(std::uint32_t number) { return (number & hash_bit) != 0; }
};

}  // namespace frx::model
