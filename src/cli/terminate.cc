#include "cli/terminate.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "base/memory_budget.h"

namespace frx::cli {

void terminate() {
  try {
    if (const std::exception_ptr current = std::current_exception()) std::rethrow_exception(current);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "frx: needs more memory than the %llu MB that may be used\n",
                 static_cast<unsigned long long>(MemoryBudget::limit() >> 20));
    ::_exit(1);
  } catch (...) {
  }
  std::abort();
}

}  // namespace frx::cli
