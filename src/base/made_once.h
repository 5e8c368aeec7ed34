// A row of things of which each is made when it is first asked for, by any thread, and then stays where it is.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"

namespace frx {

template <typename Thing>
class MadeOnce {
 public:
  MadeOnce() = default;
  explicit MadeOnce(std::size_t size) : things_(size) {}
  MadeOnce(MadeOnce&& other) noexcept = default;
  MadeOnce& operator=(MadeOnce&& other) noexcept {
    things_.swap(other.things_);
    return *this;
  }
  ~MadeOnce() {
    for (const std::atomic<const Thing*>& thing : things_) delete thing.load(std::memory_order_relaxed);
  }

  std::size_t size() const { return things_.size(); }

  // The i-th, from `make` unless it was made before. `make` holds no lock and may ask for others; of two threads that make the same, one
  // makes it in vain.
  template <typename Make>
  const Thing& at(std::size_t i, const Make& make) const {
    std::atomic<const Thing*>& place = things_[i];
    if (const Thing* const known = place.load(std::memory_order_acquire)) return *known;
    auto made = std::make_unique<const Thing>(make());
    const Thing* before = nullptr;
    if (place.compare_exchange_strong(before, made.get(), std::memory_order_acq_rel)) return *made.release();
    return *before;
  }
  // The same where making it may fail: nothing is kept then.
  template <typename Make>
  Result<> try_at(std::size_t i, const Make& make) const {
    TRY_ASSIGN(Thing made, make());
    at(i, [&] { return std::move(made); });
    return {};
  }

 private:
  mutable std::vector<std::atomic<const Thing*>> things_;
};

}  // namespace frx
