// Execution traces of PyTorch: one node for each call, with the tensors that it takes and gives as [tensor, storage, offset, elements,
// bytes of an element, device].
//
//   {"schema": "1.0.1", "nodes": [{"name": "aten::t", "id": 18, "rf_id": 9, "parent": 17, "op_schema": "aten::t(Tensor(a) self) -> ...",
//     "inputs": [[15,16,0,32,4,"cpu"]], "input_types": ["Tensor(float)"], "outputs": [...], "output_types": [...], ...}, ...]}
//   {"schema": "1.1.1-chakra.0.0.4", "nodes": [{"name": "aten::t", "id": 18, "ctrl_deps": 17, "inputs": {"values": [...], "types": [...]},
//     "outputs": {...}, "attrs": [{"name": "rf_id", "type": "uint64", "value": 9}, {"name": "op_schema", ...}, ...]}, ...]}
//
// The first form is that of PyTorch 1.13 to 2.1 (in 1.13 ExecutionGraphObserver), the second that of later ones. A node is written when its
// call ends. Numbers that are not finite stand there as they are printed, which is no JSON: they are read as unknown.
#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"
#include "model/execution_trace.h"

namespace frx::ingest {

// Packed or not; `name`: for messages. Of one node after the other, so that memory grows with the tensors alone. A file that ends early is
// read as far as it goes. Errors: it cannot be read, is no such file, has no call with an id, or too many tensors (malformed).
Result<model::ExecutionTrace> read_execution_trace(const std::string& name, ByteSource& source);

}  // namespace frx::ingest
