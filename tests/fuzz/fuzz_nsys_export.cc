// Exports of Nsight Systems. Whatever the bytes, the columns of the timeline are equally long and name what exists, and the times of each
// GPU add up to the time of the steps.
#include "derive/trace/breakdown.h"
#include "fuzz/input.h"
#include "fuzz/timeline_checks.h"
#include "ingest/nsys/read_export.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  const frx::Result<frx::model::Timeline> read = frx::ingest::nsys::read_export("fuzz", frx::ingest::random_access_to(input.text()));
  if (!read) {
    frx::fuzz::require(!read.error().message.empty() && read.error().where.starts_with("fuzz"));
    return 0;
  }
  frx::fuzz::check_columns(*read);
  const frx::derive::trace::Attribution attribution = frx::derive::trace::attribute(*read);
  for (const frx::model::StepTable& table : frx::derive::trace::break_down(*read, attribution, frx::derive::trace::find_steps(*read)))
    frx::fuzz::check_times_of(table);
  return 0;
}
