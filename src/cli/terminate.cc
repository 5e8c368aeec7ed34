#include "cli/terminate.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "base/memory_budget.h"

namespace frx::cli {

namespace {

// Code that was compiled as noexcept may end the program before anything has caught what was thrown; then no exception is the current one.
bool is_out_of_memory() {
  const std::exception_ptr current = std::current_exception();
  if (!current) return std::uncaught_exceptions() > 0 && MemoryBudget::was_refused();
  try {
    std::rethrow_exception(current);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

void terminate() {
  if (!is_out_of_memory()) std::abort();
  std::fprintf(stderr, "frx: needs more memory than the %llu MB that may be used\n",
               static_cast<unsigned long long>(MemoryBudget::limit() >> 20));
  ::_exit(1);
}

void end_of_a_failed_disk(int) {
  constexpr std::string_view text = "frx: what was written to a temporary file cannot be read: its disk failed\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(1);
}

}  // namespace frx::cli
