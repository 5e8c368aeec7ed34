// Code that Inductor generated (output_code.py and the hashed files of its cache): which operators each fused kernel is made of.
//
//   # Topologically Sorted Source Nodes: [x, y], Original ATen: [aten.add, aten.relu.default]
//   stream0 = get_raw_stream(0)
//   triton_poi_fused_add_relu_0.run(arg0_1, buf0, 512, stream=stream0)
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::ingest {

struct InductorKernel {
  std::vector<std::string> operators;  // "aten::add", in the order of the code
  bool is_ambiguous = false;           // the name stands for other operators elsewhere: each graph numbers its kernels from 0
};

struct InductorCode {
  std::map<std::string, InductorKernel> kernels;  // by name
  void take(std::string_view text);
};

// All Python files of a folder and below, up to 10,000 of 16 MiB each. Errors: the folder cannot be read.
Result<InductorCode> read_inductor_code(const std::string& folder);

}  // namespace frx::ingest
