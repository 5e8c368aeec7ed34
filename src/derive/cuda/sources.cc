#include "derive/cuda/sources.h"

#include <utility>

namespace frx::derive::cuda {

using model::cuda::Source;

Sources::Sources(std::span<Source> all) : all_(all), packable_(all.data()), states_(new std::atomic<std::uint8_t>[all.size()]) {
  for (std::size_t i = 0; i < all.size(); ++i) states_[i].store(all[i].packed.empty() ? unpacked : packed, std::memory_order_relaxed);
}

model::cuda::Syntax Sources::spare() const {
  const std::lock_guard lock(listing_);
  if (spare_.empty()) return {};
  model::cuda::Syntax syntax = std::move(spare_.back());
  spare_.pop_back();
  return syntax;
}

void Sources::unpack(std::uint32_t i) const {
  {
    const std::lock_guard lock(unpacking_[i % unpacking_.size()]);
    if (states_[i].load(std::memory_order_relaxed) != packed) return;
    packable_[i].syntax = spare();
    packable_[i].packed.unpack(packable_[i].syntax);
    states_[i].store(unpacked, std::memory_order_release);
  }
  const std::lock_guard lock(listing_);
  unpacked_.push_back(i);
}

void Sources::pack(std::uint32_t i) const {
  if (!states_ || packable_[i].packed.empty() || states_[i].load(std::memory_order_relaxed) != unpacked) return;
  states_[i].store(packed, std::memory_order_release);
  const std::lock_guard lock(listing_);
  spare_.push_back(std::exchange(packable_[i].syntax, {}));
}

void Sources::pack_all() const {
  for (const std::uint32_t i : std::exchange(unpacked_, {})) pack(i);
}

void Sources::release(std::uint32_t i) const {
  if (!states_) return;
  Source& source = packable_[i];
  Source kept;
  kept.name = std::move(source.name);
  kept.size = source.size;
  kept.macros = std::move(source.macros);
  kept.suppressions = std::move(source.suppressions);
  kept.errors = source.errors;
  std::swap(source, kept);  // an assignment would keep the capacity of the released members
  states_[i].store(released, std::memory_order_relaxed);
}

}  // namespace frx::derive::cuda
