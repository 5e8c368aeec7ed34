// Resources of the kernels of a cubin: the ELF file, its tables and the machine code. Whatever stands in the bytes,
// what is said of local memory fits together and into the file.
#include "fuzz/input.h"
#include "ingest/cubin/resources.h"

namespace {

bool fits(const frx::model::LocalAccesses& part, const frx::model::LocalAccesses& whole) {
  return part.loads <= whole.loads && part.stores <= whole.stores && part.load_bytes <= whole.load_bytes &&
         part.store_bytes <= whole.store_bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using frx::fuzz::require;
  const frx::fuzz::ExactInput input(data, size);
  const auto kernels = frx::ingest::cubin::read_kernel_resources(input.text());
  if (!kernels) {
    require(!kernels.error().message.empty());
    return 0;
  }
  std::size_t code = 0;
  for (const frx::model::KernelResources& kernel : *kernels) {
    require(!kernel.name.empty() && kernel.architecture.starts_with("sm_"));
    code += kernel.code_bytes;
    if (kernel.spills) require(kernel.local && fits(*kernel.spills, *kernel.local));
    if (kernel.local) require(std::uint64_t{16} * (kernel.local->loads + kernel.local->stores) <= kernel.code_bytes);
  }
  require(code <= size);
  return 0;
}
