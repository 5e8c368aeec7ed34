// Traces of the PyTorch profiler (Kineto), in the Chrome format:
//
//   {"schemaVersion": 1, "deviceProperties": [...], "traceEvents": [
//     {"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": 1824871075646.222, "dur": 2.464,
//      "args": {"correlation": 2877, "device": 0, "stream": 7}}, ...
//
// of every release since 1.8, as an object or a bare array. They are read in one pass, with memory for the events alone.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "model/timeline.h"

namespace frx::ingest::trace {

// Do the first bytes of a file (unpacked) begin JSON, as a trace does?
bool may_be_trace(std::string_view head);

// How much of a file one thread reads at a time. 0: one event after the other, on one thread; the result is always the same.
inline constexpr std::size_t usual_block = std::size_t{1} << 20;

struct TraceOptions {
  std::function<void(std::uint64_t)> progress = {};  // told how many bytes have been read; may be empty
  std::size_t block_size = usual_block;
  bool all_arguments = false;  // keep the arguments of every operator, which costs memory, and not of products only
  bool kernel_shapes = false;  // keep grid, block and registers of kernels, 44 bytes each
};

// Recoverable damage (a file cut short, values that are no events) becomes notes. Fails, naming file and byte, on a file that is no JSON,
// has no events, or was not written by the profiler of PyTorch.
Result<model::Timeline> read_trace(std::string name, ByteSource& source, const TraceOptions& options = {});

}  // namespace frx::ingest::trace
