// The files of a program, each with its syntax at hand as long as somebody looks at it.
//
// Many files are handed over with their syntax packed: a file is unpacked when it is first looked at, from any thread,
// and stays at hand until rest() or rest(i). Once nothing that is still to be studied can lead to a file, drop(i) gives
// back all of it but its name, macros and suppressions.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "model/cuda_source.h"

namespace frx::derive::cuda {

class Sources {
 public:
  // None of them packed: all stay at hand.
  explicit Sources(std::span<const model::cuda::Source> all) : all_(all) {}
  // Some of them may be packed.
  explicit Sources(std::span<model::cuda::Source> all);

  std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
  const model::cuda::Source& operator[](std::uint32_t i) const {
    if (states_ && states_[i].load(std::memory_order_acquire) == packed) unpack(i);
    return all_[i];
  }
  // What needs no syntax: name, macros.
  const model::cuda::Source& at_rest(std::uint32_t i) const { return all_[i]; }
  bool is_dropped(std::uint32_t i) const { return states_ && states_[i].load(std::memory_order_relaxed) == dropped; }

  // Nobody may look at these files meanwhile.
  void rest(std::uint32_t i) const;
  void rest() const;
  void drop(std::uint32_t i) const;

 private:
  enum State : std::uint8_t { at_hand, packed, dropped };
  void unpack(std::uint32_t i) const;
  model::cuda::Syntax spare() const;

  std::span<const model::cuda::Source> all_;
  model::cuda::Source* packable_ = nullptr;         // the same, where they may change
  std::unique_ptr<std::atomic<std::uint8_t>[]> states_;  // with these only
  mutable std::array<std::mutex, 16> unpacking_;    // of every sixteenth file
  mutable std::mutex listing_;
  mutable std::vector<std::uint32_t> unpacked_;
  mutable std::vector<model::cuda::Syntax> spare_;  // room of those that are at rest again, for the next ones
};

}  // namespace frx::derive::cuda
