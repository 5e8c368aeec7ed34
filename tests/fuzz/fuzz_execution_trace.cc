// An execution trace. Whatever the bytes are, calls have numbers, inputs stand by call and argument, and writes by memory and moment.
#include <algorithm>
#include <utility>

#include "fuzz/input.h"
#include "ingest/execution_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using frx::fuzz::require;
  const frx::fuzz::ExactInput input(data, size);
  const std::unique_ptr<frx::ByteSource> source = frx::open_bytes(input.text());
  const frx::Result<frx::model::ExecutionTrace> trace = frx::ingest::read_execution_trace("et.json", *source);
  if (!trace) {
    require(!trace.error().message.empty() && trace.error().message.find('\n') == std::string::npos);
    return 0;
  }
  require(trace->calls > 0);
  require(std::ranges::is_sorted(trace->inputs, {}, [](const auto& one) { return std::pair(one.call, one.index); }));
  require(std::ranges::is_sorted(trace->writes, {}, [](const auto& one) { return std::pair(one.storage, one.moment); }));
  require(std::ranges::none_of(trace->inputs, [](const auto& one) { return one.call == 0; }));
  return 0;
}
