// The files of a program, each with its syntax unpacked only while it is in use.
//
// Programs of many files come with their syntax packed: a file is unpacked on first access, from any thread, and stays unpacked
// until pack(i) or pack_all(). Once no file that is still to be analysed can lead to a file, release(i) frees all of it except
// its name, macros and suppressions.
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
  // For files of which none is packed: all stay unpacked.
  explicit Sources(std::span<const model::cuda::Source> all) : all_(all) {}
  // For files of which some may be packed.
  explicit Sources(std::span<model::cuda::Source> all);

  std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
  const model::cuda::Source& operator[](std::uint32_t i) const {
    if (states_ && states_[i].load(std::memory_order_acquire) == packed) unpack(i);
    return all_[i];
  }
  // For members that are valid without syntax, such as name and macros.
  const model::cuda::Source& without_syntax(std::uint32_t i) const { return all_[i]; }
  bool is_released(std::uint32_t i) const { return states_ && states_[i].load(std::memory_order_relaxed) == released; }

  // No other thread may use these files at the same time.
  void pack(std::uint32_t i) const;
  void pack_all() const;
  void release(std::uint32_t i) const;

 private:
  enum State : std::uint8_t { unpacked, packed, released };
  void unpack(std::uint32_t i) const;
  model::cuda::Syntax spare() const;

  std::span<const model::cuda::Source> all_;
  model::cuda::Source* packable_ = nullptr;              // the same files, when they may be changed
  std::unique_ptr<std::atomic<std::uint8_t>[]> states_;  // only then
  mutable std::array<std::mutex, 16> unpacking_;         // each for every sixteenth file
  mutable std::mutex listing_;
  mutable std::vector<std::uint32_t> unpacked_;
  mutable std::vector<model::cuda::Syntax> spare_;  // buffers of repacked files, for reuse
};

}  // namespace frx::derive::cuda
