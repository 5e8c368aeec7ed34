// The names in a folder by system calls alone: for signal handlers, and for processes that were forked while others had locks.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <span>

namespace frx {

// Calls visit(const char* name) for each entry of an open folder, "." and ".." among them; `buffer`, aligned to 8 bytes, holds some at a
// time.
template <typename Visit>
void for_each_entry(int folder, std::span<char> buffer, const Visit& visit) {
  while (true) {
    const long got = ::syscall(SYS_getdents64, folder, buffer.data(), buffer.size());
    if (got <= 0) return;
    for (long at = 0; at < got;) {
      const char* entry = buffer.data() + at;  // struct linux_dirent64: 8 bytes, 8 bytes, length (2), type (1), name
      std::uint16_t length = 0;
      std::memcpy(&length, entry + 16, sizeof length);
      at += length;
      visit(entry + 19);
    }
  }
}

}  // namespace frx
