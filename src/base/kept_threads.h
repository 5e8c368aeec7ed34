// Keeps the threads that help this one between its calls of for_each_in_parallel() and its like: work in hundreds of short rounds would
// start and end as many threads, each with caches and buffers that are empty at first.
#pragma once

#include <memory>

namespace frx {

class ThreadTeam;

// While it lives, in the thread that made it; what further threads call is not affected. They sleep between calls, and count among
// most_threads() only while they work. The destructor ends them.
class KeptThreads {
 public:
  KeptThreads();
  ~KeptThreads();
  KeptThreads(const KeptThreads&) = delete;
  KeptThreads& operator=(const KeptThreads&) = delete;

 private:
  std::unique_ptr<ThreadTeam> team_;
  ThreadTeam* outer_;
};

}  // namespace frx
