#include "http/workers.h"

#include "base/memory_budget.h"

namespace frx::http {

Workers::Workers(std::size_t threads, std::size_t most_waiting) : most_waiting_(most_waiting) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

bool Workers::add(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (ends_ || waiting_.size() >= most_waiting_ + threads_.size() - running_) return false;
    waiting_.push_back(std::move(work));
  }
  changed_.notify_one();
  return true;
}

void Workers::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    lock.unlock();
    work();
    work = nullptr;  // what it holds goes before it counts as done
    MemoryBudget::report();
    lock.lock();
    --running_;
  }
}

void Workers::end() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& one : threads_) one.join();
  threads_.clear();
}

std::size_t Workers::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

std::size_t Workers::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

}  // namespace frx::http
