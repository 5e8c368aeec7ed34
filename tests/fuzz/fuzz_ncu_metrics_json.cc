// Counters in JSON (KernelAgent): whatever the bytes, there is an error that names the input, or kernels.
#include "fuzz/input.h"
#include "ingest/profile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  const std::unique_ptr<frx::ByteSource> bytes = frx::open_bytes(input.text());
  const auto session = frx::ingest::read_profile("fuzz", *bytes, frx::fuzz::knowledge().metrics, {}, frx::ingest::Keep::every_counter);
  frx::fuzz::require(session || session.error().where.starts_with("fuzz"));
  frx::fuzz::require(!session || session->launches > 0);
  return 0;
}
