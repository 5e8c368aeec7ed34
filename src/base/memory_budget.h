// How much memory this process may hold, so that a small input that names something huge ends in an error and not in a machine that swaps.
//
// Every block that C++ code asks for is counted (operator new is replaced, and Column reports its own). What would exceed the limit throws
// OverBudget, which is an std::bad_alloc; the commands, the C ABI and each thread turn it into an error. Before start() nothing is limited.
//
// The limit grows with what was read: 256 MiB, and 32 bytes for each byte of input before decompression, at most half of the memory of the
// machine (of its control group). --memory and FRX_MEMORY set a limit that does not grow. While an exception is in flight nothing is
// refused, so that what it unwinds can be destroyed.
//
// A process that spills holds large blocks in files (base/spill.h) once half of its memory is in use, and these do not count. Then a limit
// that a user set, or half of the machine, is one of memory alone; what an input may need in all is 256 MiB and 32 bytes for each byte
// of it, wherever that lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx {

class OverBudget : public std::bad_alloc {
 public:
  const char* what() const noexcept override { return "more memory would be needed than may be used"; }
};

class MemoryBudget {
 public:
  static constexpr std::uint64_t base_bytes = std::uint64_t{256} << 20;
  static constexpr std::uint64_t per_input_byte = 32;

  // From here on there is a limit; `fixed`: as a user set it, which does not grow with the input.
  static void start(std::optional<std::uint64_t> fixed);
  // From now on large blocks lie in files where memory is short, in the first of `folders` that is on a disk. For a program that works on
  // one input; a server refuses instead.
  static void spill(const std::vector<std::string>& folders);
  static void stop();
  // Bytes; without a limit UINT64_MAX.
  static std::uint64_t limit();
  // Bytes in blocks, as far as threads have reported: each keeps back at most 256 KiB.
  static std::uint64_t used();

  // What a program that this process starts may use at most: half of the memory of the machine (of its control group), at least 2 GiB.
  static std::uint64_t of_a_child();

  // An input is opened, and so many bytes of it are read. The name is that of messages; of several the last one opened.
  static void opened(std::string_view name);
  static void read(std::uint64_t bytes);

  // For a server, which reads without end: from here on the limit is what the process holds now, 256 MiB, and the shares of the requests
  // that run (256 MiB and 32 bytes for each byte of their body). No effect where a user set a limit.
  static void share_out();
  static void add_share(std::uint64_t input_bytes);
  static void remove_share(std::uint64_t input_bytes);

  // A thread that ends reports what it kept back.
  static void report();
  // For blocks that do not come from operator new. charge() throws OverBudget.
  static void charge(std::size_t bytes);
  static void release(std::size_t bytes) noexcept;
  // As realloc() and free(), charged and in a file where that is called for; resized() throws as operator new does, and then `block` is as
  // before.
  static void* resized(void* block, std::size_t from, std::size_t to);
  static void freed(void* block, std::size_t bytes) noexcept;

  // Whether this thread was refused a block that error() has not told of yet.
  static bool was_refused();
  // The error of an OverBudget or another std::bad_alloc, which names the input last opened.
  static Error error();

  // For tests: the block of this number that this thread asks for from now on fails. 0: none.
  static void fail_at(std::uint64_t block);
  static std::uint64_t blocks();  // that this thread has asked for
};

// Runs `work`; memory that is not there, and what a library throws, becomes an error. For the ends of the program and for its threads.
template <typename Work>
auto without_exceptions(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Failure{MemoryBudget::error()};
  } catch (const std::exception& error) {
    return fail(ErrorKind::unreadable, "unexpected: {}", error.what()).hint("please report it, with the input that shows it");
  }
}

// "512M", "2G", "1048576": bytes, with K, M or G of 1024. Errors: anything else, and less than 64 MiB, which the built-in data needs.
Result<std::uint64_t> parse_memory(std::string_view text);

}  // namespace frx
