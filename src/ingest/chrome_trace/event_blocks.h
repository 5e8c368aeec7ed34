// Whole events in large blocks, on all cores.
//
// The file is cut into blocks behind what looks like the end of an event. Each block is read for itself, and its events
// count once the block before it turned out to end exactly at the cut: then reading on from there is what reading the whole
// file in one go would have done. At the first block that does not (a guess was wrong, something is damaged or no event, the
// list is over) all stops behind the last event before it; what was read beyond is given back, to be read one by one.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ingest/chrome_trace/timeline_builder.h"
#include "ingest/chrome_trace/window.h"

namespace frx::ingest::trace {

// Blocks are of about `block_size` bytes. The window stands behind an event or at the beginning of the list. True when so much
// was read that trying again behind the next event pays. `progress`: called with the bytes of the file that are done; may be
// empty.
bool read_whole_events(Window& window, TimelineBuilder& builder, std::size_t block_size,
                       const std::function<void(std::uint64_t)>& progress);

// After it was false: blocks to read one by one before trying again.
inline constexpr std::uint64_t blocks_between_tries = 8;

}  // namespace frx::ingest::trace
