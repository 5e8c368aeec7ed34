// One operator of a recording with the inputs of its calls: what a script needs to run it without the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "derive/trace/products.h"
#include "derive/trace/recorded_inputs.h"
#include "report/operators/operator_profile.h"

namespace frx::report {

struct ReplayRequest {
  std::string operator_name;          // "aten::addmm", or the end of the only name that ends so
  std::optional<std::uint64_t> call;  // from 0, by start; absent: the longest
  bool all_shapes = false;            // every signature, and not that of one call
  std::string module;                 // to import before; "": none
};

// Calls with the same inputs.
struct ReplayShape {
  derive::trace::RecordedInputs inputs;
  std::uint64_t calls = 0;
  std::uint64_t call = 0;       // the longest of them, or the one that was asked for
  std::int64_t all_ns = 0;      // of all of them
  std::int64_t call_ns = 0;     // of that one
  std::optional<double> flops;  // of a call; absent: not known
  std::optional<double> bytes;  // the least that a call moves
};

struct OperatorReplay {
  std::string source, gpu, name, module;
  std::uint64_t calls = 0;            // of this operator
  bool on_gpu = false;                // times are those of kernels; otherwise those of the CPU, without operators within
  bool is_by_nsight_systems = false;  // of which shapes are all that is known
  std::vector<ReplayShape> shapes;    // by time
};

// Errors say which name or which recording would do.
Result<OperatorReplay> operator_replay_of(const OperatorProfile& profile, const ReplayRequest& request);

}  // namespace frx::report
