#include "base/spill.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

namespace frx {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
// As many blocks of one size as that, and those that follow have to be twice as large.
constexpr std::size_t blocks_of_a_size = 64;
constexpr std::chrono::milliseconds between_looks{2};

struct Block {
  void* begin = nullptr;
  std::size_t bytes = 0;
  int descriptor = -1;
};

// Nothing is allocated or freed by operator new while the mutex is held: those ask here about every block that begins a page.
struct State {
  std::mutex mutex;
  std::array<Block, 512> blocks;
  std::size_t count = 0;  // the first so many are there
  std::string folder;     // "": there is no folder on a disk
  std::string no_folder;  // why not
  int error = 0;          // of the last block that was refused
  std::atomic<bool> is_watched{false};

  Block* find(const void* begin) {
    Block* const end = blocks.data() + count;
    Block* const found = std::find_if(blocks.data(), end, [&](const Block& one) { return one.begin == begin; });
    return found == end ? nullptr : found;
  }
};

State& state() {
  static State& one = *new State;  // never destroyed: blocks may outlive main()
  return one;
}

std::atomic<std::uint64_t> all_bytes{0};
std::atomic<std::size_t> block_count{0};
std::atomic<std::uint64_t> most_resident{UINT64_MAX};

bool is_on_disk(const std::string& folder) {
  struct statfs about {};
  if (::access(folder.c_str(), W_OK | X_OK) != 0 || ::statfs(folder.c_str(), &about) != 0) return false;
  return about.f_type != TMPFS_MAGIC && about.f_type != RAMFS_MAGIC && about.f_type != HUGETLBFS_MAGIC;
}

// A file that has no name, or loses it at once where the file system knows no such files. -1, and errno.
int open_nameless(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  std::string path = folder + "/frx-XXXXXX";
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(path.c_str());
  return named;
}

// Takes the space from the disk. 0, or an errno.
int reserve(int descriptor, std::size_t from, std::size_t to) {
  const auto offset = static_cast<off_t>(from), length = static_cast<off_t>(to - from);
  if (::fallocate(descriptor, 0, offset, length) == 0) return 0;
  return errno == EOPNOTSUPP || errno == ENOSYS ? ::posix_fallocate(descriptor, offset, length) : errno;
}

std::size_t in_pages(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

// Resident bytes of the process, and those of them that belong to files.
struct Resident {
  std::uint64_t all = 0, of_files = 0;
};

Resident resident() {
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  char text[128] = {};
  const int descriptor = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  const ssize_t size = ::read(descriptor, text, sizeof text - 1);
  ::close(descriptor);
  unsigned long long whole = 0, all = 0, of_files = 0;
  if (size <= 0 || std::sscanf(text, "%llu %llu %llu", &whole, &all, &of_files) != 3) return {};
  return {all * page, of_files * page};
}

// The pages stay in the cache of the system until it needs their memory; what was written to them is kept.
void drop_pages() {
  State& spill = state();
  const std::scoped_lock lock(spill.mutex);
  for (const Block& block : std::span(spill.blocks).first(spill.count)) ::madvise(block.begin, block.bytes, MADV_DONTNEED);
}

// Most of the limit, and not because of what no page can be dropped for.
void watch_memory() {
  for (;;) {
    std::this_thread::sleep_for(between_looks);
    if (block_count == 0) continue;
    const std::uint64_t most = most_resident;
    const Resident now = resident();
    if (now.all > most - most / 8 && now.of_files > most / 8) drop_pages();
  }
}

void* refused(State& spill, int error) {
  const std::scoped_lock lock(spill.mutex);
  spill.error = error;
  return nullptr;
}

}  // namespace

void Spill::start(const std::vector<std::string>& folders, std::uint64_t resident_bytes) {
  const auto found = std::ranges::find_if(folders, is_on_disk);
  std::string folder = found == folders.end() ? "" : *found;
  std::string no_folder = folders.empty() ? "no folder was named" : folders.front() + " lies in memory or may not be written";
  State& spill = state();
  const std::scoped_lock lock(spill.mutex);
  spill.error = 0;
  spill.folder.swap(folder);
  spill.no_folder.swap(no_folder);
  most_resident = resident_bytes;
}

std::size_t Spill::least_block() { return mebibyte << std::min<std::size_t>(block_count / blocks_of_a_size, 20); }

void* Spill::allocate(std::size_t bytes) noexcept try {
  State& spill = state();
  // It has no end of its own: the process may hold blocks until its last moment.
  if (!spill.is_watched.exchange(true)) std::thread(watch_memory).detach();
  if (spill.folder.empty()) return nullptr;
  bytes = in_pages(bytes);
  const int descriptor = open_nameless(spill.folder);
  if (descriptor < 0) return refused(spill, errno);
  const int error = reserve(descriptor, 0, bytes);
  void* const block = error == 0 ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0) : MAP_FAILED;
  if (block == MAP_FAILED) {
    refused(spill, error != 0 ? error : errno);
    ::close(descriptor);
    return nullptr;
  }
  {
    const std::scoped_lock lock(spill.mutex);
    if (spill.count < spill.blocks.size()) {
      spill.blocks[spill.count++] = {block, bytes, descriptor};
      all_bytes += bytes;
      ++block_count;
      return block;
    }
    spill.error = EMFILE;
  }
  ::munmap(block, bytes);
  ::close(descriptor);
  return nullptr;
} catch (const std::exception&) {
  return nullptr;  // no thread, or no memory for the path
}

void* Spill::resize(void* block, std::size_t bytes) noexcept {
  State& spill = state();
  const std::scoped_lock lock(spill.mutex);
  Block& known = *spill.find(block);
  bytes = in_pages(bytes);
  spill.error = bytes > known.bytes ? reserve(known.descriptor, known.bytes, bytes) : 0;
  void* const moved = spill.error == 0 ? ::mremap(block, known.bytes, bytes, MREMAP_MAYMOVE) : MAP_FAILED;
  if (moved == MAP_FAILED) {
    if (spill.error == 0) spill.error = errno;
    return nullptr;
  }
  all_bytes += bytes - known.bytes;
  known.bytes = bytes;
  known.begin = moved;
  return moved;
}

bool Spill::release(void* block) noexcept {
  if (block_count == 0) return false;
  State& spill = state();
  Block released;
  {
    const std::scoped_lock lock(spill.mutex);
    Block* const known = spill.find(block);
    if (known == nullptr) return false;
    released = std::exchange(*known, spill.blocks[spill.count - 1]);
    --spill.count;
    ::munmap(block, released.bytes);
  }
  ::close(released.descriptor);
  all_bytes -= released.bytes;
  --block_count;
  return true;
}

bool Spill::holds(const void* block) noexcept {
  if (block_count == 0) return false;
  State& spill = state();
  const std::scoped_lock lock(spill.mutex);
  return spill.find(block) != nullptr;
}

std::uint64_t Spill::bytes() { return all_bytes; }

std::string Spill::reason() {
  State& spill = state();
  if (spill.folder.empty()) return spill.no_folder;
  const int error = [&] {
    const std::scoped_lock lock(spill.mutex);
    return spill.error;
  }();
  return error == 0 ? "" : fmt::format("{}: {}", spill.folder, std::generic_category().message(error));
}

}  // namespace frx
