#include "derive/cuda/host_calls.h"

#include <algorithm>
#include <array>

namespace frx::derive::cuda {

std::string_view runtime_name(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "hip"}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return "";
}

bool waits_for_gpu(std::string_view name) {
  const std::string_view call = runtime_name(name);
  return call == "DeviceSynchronize" || call == "ThreadSynchronize" || call == "StreamSynchronize";
}

bool is_view_of_thrust(std::string_view name) {
  return name.find("pointer") != name.npos || name.find("ptr") != name.npos || name.starts_with("make_") || name == "get" ||
         name == "distance";
}

bool goes_on_without_results(std::string_view name) {
  constexpr std::array<std::string_view, 12> calls{"GetLastError",   "PeekAtLastError", "MemsetAsync",      "Memset",
                                                   "Malloc",         "MallocAsync",     "FuncSetAttribute", "FuncSetCacheConfig",
                                                   "GetErrorString", "BindTexture",     "BindTexture2D",    "UnbindTexture"};
  constexpr std::array<std::string_view, 15> own{"swap",   "min",    "max",   "dim3", "ceil", "exit",   "abort", "fprintf",
                                                 "printf", "perror", "fputs", "puts", "size", "length", "empty"};
  return std::ranges::find(calls, runtime_name(name)) != calls.end() || std::ranges::find(own, name) != own.end();
}

}  // namespace frx::derive::cuda
