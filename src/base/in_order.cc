#include "base/in_order.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

#include "base/parallel.h"

namespace frx {
namespace {

// Each thread has two pieces of its own, whose memory stays in the caches of its core: when it is not yet the turn of the one, it goes on
// with the other.
class Conveyor {
 public:
  static constexpr std::size_t pieces_of_thread = 2;

  explicit Conveyor(Pieces& pieces) : pieces_(pieces) {}

  void run(std::size_t thread) {
    std::unique_lock lock(mutex_);
    Own own{thread * pieces_of_thread, {}};
    try {
      while (step(lock, own)) {
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      stop();
      throw;
    }
  }

 private:
  // The pieces that a thread holds, by their numbers in the order of reading; the slots are used in turn.
  struct Own {
    std::size_t first_slot = 0;
    std::deque<std::uint64_t> numbers;
    std::uint64_t read = 0, taken = 0;
    std::size_t slot(std::uint64_t count) const { return first_slot + count % pieces_of_thread; }
  };

  // False when there is nothing left to do.
  bool step(std::unique_lock<std::mutex>& lock, Own& own) {
    if (stopped_ || (ended_ && own.numbers.empty())) return false;
    if (!own.numbers.empty() && own.numbers.front() == taken_) {
      take(lock, own);
    } else if (!ended_ && !reading_ && own.numbers.size() < pieces_of_thread) {
      read_and_work(lock, own);
    } else {
      changed_.wait(lock);
    }
    return true;
  }

  void take(std::unique_lock<std::mutex>& lock, Own& own) {
    own.numbers.pop_front();
    lock.unlock();
    const bool goes_on = pieces_.take(own.slot(own.taken++));
    lock.lock();
    ++taken_;
    if (!goes_on) stop();
    changed_.notify_all();
  }

  void read_and_work(std::unique_lock<std::mutex>& lock, Own& own) {
    reading_ = true;
    lock.unlock();
    const std::size_t slot = own.slot(own.read);
    const bool is_read = pieces_.read(slot);
    lock.lock();
    reading_ = false;
    if (!is_read) ended_ = true;
    changed_.notify_all();
    if (!is_read) return;
    own.numbers.push_back(read_++);
    ++own.read;
    lock.unlock();
    pieces_.work(slot);
    lock.lock();
  }

  // The pieces that are held are not taken any more.
  void stop() {
    ended_ = stopped_ = true;
    changed_.notify_all();
  }

  Pieces& pieces_;
  std::mutex mutex_;  // of all that follows
  std::condition_variable changed_;
  std::uint64_t read_ = 0, taken_ = 0;  // pieces
  bool reading_ = false, ended_ = false, stopped_ = false;
};

}  // namespace

void take_in_order(std::size_t slots, Pieces& pieces) {
  Conveyor conveyor(pieces);
  for_each_in_parallel(slots / Conveyor::pieces_of_thread, [&](std::size_t thread) { conveyor.run(thread); });
}

}  // namespace frx
