// print_kernel_resources FILE...: what the readers say of the kernels of cubins, fat binaries and programs, one JSON
// object per line. tools/validate_cubin_resources compares it with ptxas -v.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ingest/fatbin/device_code.h"

namespace {

using nlohmann::json;

template <typename T>
json number(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json accesses(const std::optional<frx::model::LocalAccesses>& of) {
  if (!of) return nullptr;
  return {{"loads", of->loads}, {"stores", of->stores}, {"load_bytes", of->load_bytes}, {"store_bytes", of->store_bytes}};
}

json to_json(const frx::model::KernelResources& kernel) {
  return {{"name", kernel.name},
          {"demangled", kernel.demangled},
          {"architecture", kernel.architecture},
          {"relocatable", kernel.relocatable},
          {"registers", number(kernel.registers_per_thread)},
          {"register_limit", number(kernel.register_limit)},
          {"frame", number(kernel.frame_bytes)},
          {"stack", number(kernel.stack_bytes)},
          {"static_shared", number(kernel.static_shared_bytes)},
          {"reserved_shared", number(kernel.reserved_shared_bytes)},
          {"parameters", number(kernel.parameter_bytes)},
          {"constant", number(kernel.constant_bytes)},
          {"barriers", number(kernel.barriers)},
          {"max_threads", number(kernel.max_threads)},
          {"required_threads", number(kernel.required_threads)},
          {"cluster", number(kernel.cluster)},
          {"max_cluster_size", number(kernel.max_cluster_size)},
          {"local", accesses(kernel.local)},
          {"spills", accesses(kernel.spills)},
          {"indirect_calls", number(kernel.indirect_calls)},
          {"driver_functions", number(kernel.driver_functions)},
          {"code_bytes", kernel.code_bytes},
          {"cuda_version", number(kernel.cuda_version)}};
}

bool print(const std::string& file) {
  std::ostringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  const auto code = frx::ingest::fatbin::read_device_code(file, bytes.str());
  if (!code) {
    std::cerr << frx::to_string(code.error()) << '\n';
    return false;
  }
  for (const auto& kernel : code->kernels) {
    json line = to_json(kernel);
    line["file"] = file;
    std::cout << line.dump() << '\n';
  }
  for (const auto& ptx : code->ptx) {
    std::cout << json({{"file", file}, {"ptx", ptx.architecture}, {"position", ptx.position}, {"text", ptx.text}}).dump() << '\n';
  }
  for (const std::string& note : code->notes) std::cerr << file << ": " << note << '\n';
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bool all = true;
  for (int i = 1; i < argc; ++i) all = print(argv[i]) && all;
  return all ? 0 : 1;
}
