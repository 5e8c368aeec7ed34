// libFuzzer's way to the mutator of a target, compiled once for each with FRX_MUTATOR. What has no structure is left to libFuzzer, which
// knows what the program compared it with; a third of all inputs is changed by it alone.
#include <algorithm>
#include <cstring>

#include "fuzz/mutate/changes.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

void by_libfuzzer(std::string& bytes) {
  const std::size_t size = bytes.size();
  bytes.resize(size + 64);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned int seed) {
  frx::fuzz::Changes changes(seed, most, by_libfuzzer);
  if (changes.one_in(3)) return LLVMFuzzerMutate(data, size, most);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  frx::fuzz::FRX_MUTATOR(bytes, changes);
  if (bytes.empty() || bytes.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
