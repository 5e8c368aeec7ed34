// Whole events in large blocks, on all cores.
//
// The file is cut into blocks after what looks like the end of an event. Each block is read on its own, and its events count once the block
// before it turned out to end exactly at the cut: then the result equals that of reading the whole file in one pass. At the first block
// that does not (a guess was wrong, there is damage or a value that is not an event, the list ends) reading stops after the last event
// before it; the bytes beyond are returned to the source, to be read one by one.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ingest/chrome_trace/timeline_builder.h"
#include "ingest/chrome_trace/window.h"

namespace frx::ingest::trace {

// Blocks have about `block_size` bytes. The window is positioned after an event or at the beginning of the list. True when so much was read
// that trying again after the next event pays. `progress`: called with the bytes of the file that are done; may be empty.
bool read_whole_events(Window& window, TimelineBuilder& builder, std::size_t block_size,
                       const std::function<void(std::uint64_t)>& progress);

// After it returned false: the number of blocks to read one by one before trying again.
inline constexpr std::uint64_t blocks_between_tries = 8;

}  // namespace frx::ingest::trace
