#include "base/large_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace frx {

void ask_for_large_pages(void* block, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t page = std::size_t{2} << 20, least = 16 * page;
  if (bytes < least) return;
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(block) % page) % page;
  ::madvise(static_cast<char*>(block) + before, (bytes - before) / page * page, MADV_HUGEPAGE);
#else
  static_cast<void>(block);
  static_cast<void>(bytes);
#endif
}

}  // namespace frx
