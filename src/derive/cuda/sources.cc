#include "derive/cuda/sources.h"

#include <utility>

namespace frx::derive::cuda {

using model::cuda::Source;

Sources::Sources(std::span<Source> all) : all_(all), packable_(all.data()), states_(new std::atomic<std::uint8_t>[all.size()]) {
  for (std::size_t i = 0; i < all.size(); ++i) states_[i].store(all[i].packed.empty() ? at_hand : packed, std::memory_order_relaxed);
}

void Sources::unpack(std::uint32_t i) const {
  {
    const std::lock_guard lock(unpacking_[i % unpacking_.size()]);
    if (states_[i].load(std::memory_order_relaxed) != packed) return;
    packable_[i].syntax = packable_[i].packed.unpacked();
    states_[i].store(at_hand, std::memory_order_release);
  }
  const std::lock_guard lock(listing_);
  unpacked_.push_back(i);
}

void Sources::rest(std::uint32_t i) const {
  if (!states_ || packable_[i].packed.empty() || is_dropped(i)) return;
  packable_[i].syntax = {};
  states_[i].store(packed, std::memory_order_release);
}

void Sources::rest() const {
  const std::lock_guard lock(listing_);
  for (const std::uint32_t i : unpacked_) rest(i);
  unpacked_.clear();
}

void Sources::drop(std::uint32_t i) const {
  if (!states_) return;
  Source& source = packable_[i];
  Source kept;
  kept.name = std::move(source.name);
  kept.size = source.size;
  kept.macros = std::move(source.macros);
  kept.suppressions = std::move(source.suppressions);
  kept.errors = source.errors;
  source = std::move(kept);
  states_[i].store(dropped, std::memory_order_relaxed);
}

}  // namespace frx::derive::cuda
