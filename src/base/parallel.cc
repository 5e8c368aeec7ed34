#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/kept_threads.h"
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

// The threads of one KeptThreads: all of them sleep, or run the same work once each.
class ThreadTeam {
 public:
  ~ThreadTeam() {
    {
      const std::scoped_lock lock(mutex_);
      ends_ = true;
    }
    wake_.notify_all();
  }

  // Calls `work` on this thread and on `helpers` others; returns when it has ended on all of them.
  void run(std::size_t helpers, const std::function<void()>& work) {
    {
      const std::scoped_lock lock(mutex_);
      try {
        while (threads_.size() < helpers) threads_.emplace_back([this] { serve(); });
      } catch (const std::exception&) {
        // No further thread can be had: those that there are do the work.
      }
      work_ = &work;
      wanted_ = running_ = std::min(helpers, threads_.size());
    }
    wake_.notify_all();
    work();
    std::unique_lock lock(mutex_);
    running_ -= std::exchange(wanted_, 0);  // those that are not awake yet are not needed any more
    done_.wait(lock, [&] { return running_ == 0; });
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return ends_ || wanted_ > 0; });
      if (ends_) return;
      --wanted_;
      const std::function<void()>& work = *work_;
      lock.unlock();
      work();
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void()>* work_ = nullptr;
  std::size_t wanted_ = 0, running_ = 0;  // threads that are still to begin, and that have not ended
  bool ends_ = false;
  std::vector<std::jthread> threads_;  // the first to be destroyed
};

namespace {

thread_local constinit ThreadTeam* team_of_thread = nullptr;

void run_on_new_threads(std::size_t helpers, const std::function<void()>& work) {
  std::vector<std::jthread> threads;
  try {
    for (std::size_t i = 0; i < helpers; ++i) threads.emplace_back(work);
  } catch (const std::exception&) {
    // No further thread can be had: those that there are do the work.
  }
  work();
}

}  // namespace

KeptThreads::KeptThreads() : team_(std::make_unique<ThreadTeam>()), outer_(std::exchange(team_of_thread, team_.get())) {}
KeptThreads::~KeptThreads() { team_of_thread = outer_; }

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
  if (helpers == 0) {
    take_turns();
  } else if (ThreadTeam* const team = std::exchange(team_of_thread, nullptr)) {  // which has work until this is done
    team->run(helpers, std::ref(take_turns));
    team_of_thread = team;
  } else {
    run_on_new_threads(helpers, std::ref(take_turns));
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
