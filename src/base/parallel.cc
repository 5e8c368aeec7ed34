#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/memory_budget.h"

namespace frx {
namespace {

std::atomic<std::size_t> chosen_threads{0};

// Threads besides the first, in the whole process.
class Helpers {
 public:
  static std::size_t take(std::size_t wanted) {
    const std::size_t most = most_threads() - 1;
    std::size_t used = used_.load();
    std::size_t granted = 0;
    do granted = std::min(wanted, most - std::min(most, used));
    while (!used_.compare_exchange_weak(used, used + granted));
    return granted;
  }
  static void give_back(std::size_t count) { used_ -= count; }

 private:
  static inline std::atomic<std::size_t> used_{0};
};

}  // namespace

void set_most_threads(std::size_t count) { chosen_threads = count; }

std::size_t most_threads() {
  const std::size_t chosen = chosen_threads;
  return chosen > 0 ? chosen : std::max(1u, std::thread::hardware_concurrency());
}

void for_each_in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::once_flag failed;
  const auto take_turns = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      std::call_once(failed, [&] { failure = std::current_exception(); });
    }
    MemoryBudget::report();
  };
  const std::size_t helpers = count > 1 ? Helpers::take(count - 1) : 0;
  {
    std::vector<std::jthread> threads;
    try {
      for (std::size_t i = 0; i < helpers; ++i) threads.emplace_back(take_turns);
    } catch (const std::exception&) {
      // No further thread can be had: those that there are do the work.
    }
    take_turns();
  }
  Helpers::give_back(helpers);
  if (failure) std::rethrow_exception(failure);
}

void for_many_in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t few = 8;
  if (count > few) return for_each_in_parallel(count, work);
  for (std::size_t i = 0; i < count; ++i) work(i);
}

void do_in_parallel(std::initializer_list<std::function<void()>> tasks) {
  for_each_in_parallel(tasks.size(), [&](std::size_t i) { tasks.begin()[i](); });
}

}  // namespace frx
