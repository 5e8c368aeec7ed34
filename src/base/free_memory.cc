#include "base/free_memory.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace frx {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int most = 32 << 20;  // bytes; the most that the library allows for a block that is no mapping of its own
  ::mallopt(M_MMAP_THRESHOLD, most);
  ::mallopt(M_TRIM_THRESHOLD, most);
#endif
}

void return_large_blocks() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);  // bytes; naming a limit also keeps the library from raising it
#endif
}

void return_free_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace frx
