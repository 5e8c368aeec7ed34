// Which tensors the calls of a program took and wrote: the identity that a trace of the profiler lacks (ExecutionTraceObserver of PyTorch).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace frx::model {

// A tensor and the memory that it lies in. Numbers are those of the recording; that of memory may be given to other memory once it was
// freed.
struct TensorIdentity {
  std::uint64_t tensor = 0, storage = 0;
  std::int64_t offset = 0, elements = 0;  // in elements: where it begins in its storage, and how many it has
  friend bool operator==(const TensorIdentity&, const TensorIdentity&) = default;
};

// `call`: what a trace of the profiler calls "Record function id"; it grows in the order in which calls begin.
struct TracedInput {
  std::uint32_t call = 0, index = 0;  // of the arguments of the call, from 0
  TensorIdentity tensor;
};

// Memory that is made or written by a call: at its begin, and again at its end, which stands as the call that began last inside of it.
struct StorageWrite {
  std::uint64_t storage = 0;
  std::uint32_t moment = 0;
};

struct ExecutionTrace {
  std::string source;
  std::uint64_t calls = 0;
  std::vector<TracedInput> inputs;   // tensors alone, lists of them aside; by call and index
  std::vector<StorageWrite> writes;  // by storage and moment
  bool cut_short = false;            // the file ends early
};

}  // namespace frx::model
