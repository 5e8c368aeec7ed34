// A few threads that take one piece of work after the other.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace frx::http {

class Workers {
 public:
  Workers(std::size_t threads, std::size_t most_waiting);
  ~Workers() { end(); }

  // False when the queue is full. `work` must not throw.
  bool add(std::function<void()> work);
  // Runs what waits, and returns when nothing runs.
  void end();

  std::size_t running() const;
  std::size_t waiting() const;

 private:
  void run();

  std::size_t most_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::size_t running_ = 0;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace frx::http
