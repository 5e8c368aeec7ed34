// Returns freed memory to the system.
#pragma once

namespace frx {

// Useful after many small blocks were freed between others that stay: the allocator keeps them for later requests, and the process
// stays as large as it was. Takes some milliseconds; does nothing where the C library has no such function.
void return_free_memory();

}  // namespace frx
