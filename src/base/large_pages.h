// Large pages for large blocks: a block of a hundred megabytes that is filled once takes 25,000 page faults else, which cost more than
// what is written to it.
#pragma once

#include <cstddef>

namespace frx {

// Called before the block is written to. A wish: nothing changes where the system has no such pages, or for a block that is not large. What
// is not written to takes no memory, but for less than one such page.
void ask_for_large_pages(void* block, std::size_t bytes);

}  // namespace frx
