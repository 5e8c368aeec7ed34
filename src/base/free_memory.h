// What becomes of freed memory.
#pragma once

namespace frx {

// For a program that ends with its analysis: from here on the process keeps what it frees, up to 32 MiB at a time, for its next requests,
// large blocks too. To give it back and to fetch it again, page by page, takes a twentieth of the CPU time of an analysis of CUDA source.
void keep_freed_memory();

// For an analysis of traces, in which several threads work with large columns for a while: from here on a block of 1 MiB or more goes back
// to the system when it is freed. Otherwise each thread would keep a pool of its own as large as all that it ever had at once. It holds for
// the whole process; of this and keep_freed_memory() only one is called.
void return_large_blocks();

// Returns freed memory to the system.
// Useful after many small blocks were freed between others that stay: the allocator keeps them for later requests, and the process
// stays as large as it was. Takes some milliseconds; does nothing where the C library has no such function.
void return_free_memory();

}  // namespace frx
