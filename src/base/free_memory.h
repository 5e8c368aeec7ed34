// Memory that was let go, back to the system.
#pragma once

namespace frx {

// After much of it was let go in small pieces, between others that stay: the allocator keeps it for whoever asks next, and
// the process stays as large as it was. Takes some milliseconds; does nothing where the C library offers nothing of the kind.
void return_free_memory();

}  // namespace frx
