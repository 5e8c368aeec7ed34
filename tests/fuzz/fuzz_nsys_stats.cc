#include "fuzz/read_as.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  frx::fuzz::read_as(frx::ingest::nsys_stats_format, input.text());
  return 0;
}
