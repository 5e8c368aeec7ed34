#include "base/memory_budget.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>

#include "base/block_cache.h"
#include "base/byte_size.h"
#include "base/spill.h"

namespace frx {
namespace {

constexpr std::uint64_t no_limit = UINT64_MAX;
constexpr std::int64_t kept_back = 256 << 10;
// Buffers that come and go are mostly smaller; such blocks go to files only when memory is really short.
constexpr std::size_t least_lasting_block = 8 << 20;

std::atomic<std::int64_t> all_used{0};
std::atomic<std::uint64_t> all_limit{no_limit};
std::atomic<std::uint64_t> most_allowed{no_limit};  // of the machine
std::atomic<bool> grows{false};
std::atomic<std::uint64_t> most_resident_bytes{no_limit};  // of a process that spills; otherwise no_limit
std::atomic<std::uint64_t> allowance{0};                   // what the input may need in all
std::atomic<std::uint64_t> shares_from{0};                 // of a server: the limit while no request runs; 0: it is no server
std::atomic<std::uint64_t> all_shares{0};

// Plain numbers, so that no guard is asked for each block.
thread_local constinit std::int64_t pending = 0;
thread_local constinit std::uint64_t asked = 0;
thread_local constinit std::uint64_t failing = 0;
thread_local constinit bool block_refused = false;  // a block, since error() was last asked
thread_local constinit BlockCache cache{};
thread_local constinit bool has_cache = false;  // or had one: the thread ends

// Opens the cache of a thread with its first block that is freed, and frees it when the thread ends.
class CacheOfThread {
 public:
  CacheOfThread() { cache.open(); }
  ~CacheOfThread() {
    cache.close([](void* block) {
      MemoryBudget::release(::malloc_usable_size(block));
      std::free(block);
    });
    MemoryBudget::report();
  }
  CacheOfThread(const CacheOfThread&) = delete;
  CacheOfThread& operator=(const CacheOfThread&) = delete;
};

void open_cache() {
  has_cache = true;
  thread_local const CacheOfThread of_thread;
}

std::mutex& name_mutex() {
  static std::mutex one;
  return one;
}
std::string& name_of_input() {
  static std::string& one = *new std::string;  // never destroyed: threads may outlive main()
  return one;
}

// The number in the first line of a file; none where it is not there or says "max".
std::optional<std::uint64_t> number_in(const char* path) {
  const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  char text[32];
  const ssize_t size = ::read(descriptor, text, sizeof text);
  ::close(descriptor);
  std::uint64_t value = 0;
  if (size <= 0 || std::from_chars(text, text + size, value).ec != std::errc()) return std::nullopt;
  return value;
}

std::uint64_t memory_of_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  std::uint64_t bytes = pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : no_limit;
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    if (const auto limit = number_in(path)) bytes = std::min(bytes, *limit);
  }
  return bytes;
}

// False where it would be too much; then nothing was charged.
bool try_charge(std::size_t bytes) {
  pending += static_cast<std::int64_t>(bytes);
  if (pending < kept_back) return true;
  const std::int64_t total = all_used.fetch_add(pending, std::memory_order_relaxed) + pending;
  pending = 0;
  if (total <= 0 || static_cast<std::uint64_t>(total) <= all_limit.load(std::memory_order_relaxed)) return true;
  if (std::uncaught_exceptions() > 0) return true;
  all_used.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  return false;
}

std::uint64_t bytes_in_use() { return static_cast<std::uint64_t>(std::max<std::int64_t>(all_used.load(std::memory_order_relaxed), 0)); }

// May the input need so much more, wherever that lies?
bool is_within_allowance(std::size_t more) { return bytes_in_use() + Spill::bytes() + more <= allowance.load(std::memory_order_relaxed); }

// A block in a file; nullptr where it is to lie in memory, or no file can be had.
void* block_in_file(std::size_t size) {
  const std::uint64_t most = most_resident_bytes.load(std::memory_order_relaxed);
  if (most == no_limit || size < Spill::least_block()) return nullptr;
  if (bytes_in_use() + size <= (size < least_lasting_block ? most / 4 * 3 : most / 2)) return nullptr;
  return is_within_allowance(size) ? Spill::allocate(size) : nullptr;
}

// All blocks in files do, and few of malloc(): only of those it has to be looked up where they lie.
bool begins_a_page(const void* block) {
  constexpr std::uintptr_t least_page = 4096;
  return reinterpret_cast<std::uintptr_t>(block) % least_page == 0;
}

[[noreturn]] void refuse() {
  block_refused = true;
  throw OverBudget();
}

void fail_as_asked() {
  ++asked;
  if (failing != 0 && --failing == 0 && std::uncaught_exceptions() == 0) refuse();
}

void* block_of(std::size_t size, std::size_t alignment) {
  fail_as_asked();
  size = std::max<std::size_t>(size, 1);
  // Blocks in caches stay charged, which are few.
  if (void* const kept = alignment == 0 ? cache.take(size) : nullptr) return kept;
  if (void* const block = block_in_file(size)) return block;
  void* const block = alignment == 0 ? std::malloc(size) : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (block == nullptr) {
    block_refused = true;
    throw std::bad_alloc();
  }
  if (!try_charge(::malloc_usable_size(block))) {
    std::free(block);
    refuse();
  }
  return block;
}

void free_block(void* block) noexcept {
  if (block == nullptr) return;
  if (begins_a_page(block) && Spill::release(block)) return;
  if (!has_cache) open_cache();
  const std::size_t size = ::malloc_usable_size(block);
  if (cache.keep(block, size)) return;
  MemoryBudget::release(size);
  std::free(block);
}

void free_block(void* block, std::size_t size) noexcept {
  if (block != nullptr && cache.keep_asked(block, size)) return;
  free_block(block);
}

}  // namespace

void MemoryBudget::start(std::optional<std::uint64_t> fixed) {
  most_allowed = memory_of_machine() / 2;
  grows = !fixed;
  allowance = used() + base_bytes;
  all_limit = fixed ? *fixed : used() + std::min(base_bytes, most_allowed.load());
}

void MemoryBudget::spill(const std::vector<std::string>& folders) {
  most_resident_bytes = grows ? most_allowed.load() : all_limit.load();
  Spill::start(folders, most_resident_bytes);
}

void MemoryBudget::stop() {
  grows = false;
  most_resident_bytes = no_limit;
  shares_from = 0;
  all_limit = no_limit;
}

void MemoryBudget::share_out() {
  most_resident_bytes = no_limit;
  if (!grows.exchange(false)) return;
  shares_from = used() + base_bytes;
  all_shares = 0;
  all_limit = std::min(most_allowed.load(), shares_from.load());
}

namespace {

// `by` may wrap around: what was added is taken away again.
void change_shares(std::uint64_t by) {
  if (shares_from == 0) return;
  const std::uint64_t shares = all_shares.fetch_add(by) + by;
  all_limit = std::min(most_allowed.load(), shares_from + shares);
}

std::uint64_t share_of(std::uint64_t input_bytes) {
  const std::uint64_t cap = most_allowed;
  return MemoryBudget::base_bytes + (input_bytes > cap / MemoryBudget::per_input_byte ? cap : input_bytes * MemoryBudget::per_input_byte);
}

}  // namespace

void MemoryBudget::add_share(std::uint64_t input_bytes) { change_shares(share_of(input_bytes)); }

void MemoryBudget::remove_share(std::uint64_t input_bytes) { change_shares(0 - share_of(input_bytes)); }

std::uint64_t MemoryBudget::of_a_child() { return std::max(memory_of_machine() / 2, std::uint64_t{2} << 30); }

std::uint64_t MemoryBudget::limit() { return all_limit; }

std::uint64_t MemoryBudget::used() {
  report();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(all_used, 0));
}

void MemoryBudget::opened(std::string_view name) {
  const std::scoped_lock lock(name_mutex());
  name_of_input() = name;
}

void MemoryBudget::read(std::uint64_t bytes) {
  allowance.fetch_add(bytes > no_limit / 2 / per_input_byte ? 0 : bytes * per_input_byte, std::memory_order_relaxed);
  if (!grows) return;
  const std::uint64_t cap = most_allowed, more = bytes > cap / per_input_byte ? cap : bytes * per_input_byte;
  std::uint64_t now = all_limit;
  while (!all_limit.compare_exchange_weak(now, std::max(now, more > cap - std::min(now, cap) ? cap : now + more))) {
  }
}

void MemoryBudget::report() {
  all_used.fetch_add(pending, std::memory_order_relaxed);
  pending = 0;
}

void MemoryBudget::charge(std::size_t bytes) {
  fail_as_asked();
  if (!try_charge(bytes)) refuse();
}

void MemoryBudget::release(std::size_t bytes) noexcept {
  pending -= static_cast<std::int64_t>(bytes);
  if (pending < -kept_back) report();
}

void* MemoryBudget::resized(void* block, std::size_t from, std::size_t to) {
  fail_as_asked();
  if (block != nullptr && begins_a_page(block) && Spill::holds(block)) {
    void* const moved = is_within_allowance(to - from) ? Spill::resize(block, to) : nullptr;
    if (moved == nullptr) refuse();
    return moved;
  }
  if (void* const in_file = block_in_file(to)) {
    if (from > 0) std::memcpy(in_file, block, std::min(from, to));
    std::free(block);
    release(from);
    return in_file;
  }
  if (!try_charge(to - from)) refuse();
  void* const moved = std::realloc(block, to);
  if (moved != nullptr) return moved;
  release(to - from);
  throw std::bad_alloc();
}

void MemoryBudget::freed(void* block, std::size_t bytes) noexcept {
  if (block != nullptr && begins_a_page(block) && Spill::release(block)) return;
  std::free(block);
  release(bytes);
}

bool MemoryBudget::was_refused() { return block_refused; }

Error MemoryBudget::error() {
  block_refused = false;
  const std::uint64_t limit = all_limit;
  const std::scoped_lock lock(name_mutex());
  Error error{ErrorKind::unreadable, "needs more memory than there is", name_of_input(), ""};
  if (limit == no_limit) return error;
  error.message = fmt::format("needs more memory than the {} MB that may be used", limit >> 20);
  error.hint = "if the input can be trusted, allow more: --memory 8G, or FRX_MEMORY=8G";
  if (const std::string reason = Spill::reason(); most_resident_bytes != no_limit && !reason.empty())
    error.message += fmt::format(", and no file could hold it ({})", reason);
  return error;
}

void MemoryBudget::fail_at(std::uint64_t block) { failing = block; }
std::uint64_t MemoryBudget::blocks() { return asked; }

Result<std::uint64_t> parse_memory(std::string_view text) {
  TRY_ASSIGN(const std::uint64_t bytes, parse_byte_size(text));
  constexpr std::uint64_t least = std::uint64_t{64} << 20;
  if (bytes < least) return fail(ErrorKind::usage, "expected at least 64M of memory, found '{}'", text);
  return bytes;
}

}  // namespace frx

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FRX_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FRX_SANITIZED
#endif

// The sanitizers replace it too, to find mistakes; there only Column is counted.
#ifndef FRX_SANITIZED
void* operator new(std::size_t size) { return frx::block_of(size, 0); }
void* operator new[](std::size_t size) { return frx::block_of(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) { return frx::block_of(size, static_cast<std::size_t>(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return frx::block_of(size, static_cast<std::size_t>(alignment)); }
void operator delete(void* block) noexcept { frx::free_block(block); }
void operator delete[](void* block) noexcept { frx::free_block(block); }
void operator delete(void* block, std::size_t size) noexcept { frx::free_block(block, size); }
void operator delete[](void* block, std::size_t size) noexcept { frx::free_block(block, size); }
void operator delete(void* block, std::align_val_t) noexcept { frx::free_block(block); }
void operator delete[](void* block, std::align_val_t) noexcept { frx::free_block(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { frx::free_block(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { frx::free_block(block); }
#endif
