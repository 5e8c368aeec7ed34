// The process that wrote a trace, according to the file name.
//
//   trace.rank3.json.gz                               rank 3
//   worker0.1623143089861.pt.trace.json.gz            rank 0; the recording of worker0 that began at 1623143089861
//   host_4711.1730000000000000000.pt.trace.json       no rank; the recording of host_4711
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frx::derive::ranks {

// The number after the last "rank" or "worker" in the name of the file (folders before it do not count).
std::optional<std::int64_t> rank_in_name(std::string_view path);

// Which recording of which process, as tensorboard_trace_handler writes it; none for other names.
struct Recording {
  std::string worker;
  std::uint64_t time = 0;  // grows from one recording to the next
};
std::optional<Recording> recording_in_name(std::string_view path);

}  // namespace frx::derive::ranks
