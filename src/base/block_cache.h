// Small blocks that a thread freed, for its next requests: an analysis asks for a few hundred of them for each kernel or event and frees
// them soon, and the allocator of the C library keeps only seven of a size ready.
//
// Of one thread, and without a constructor, so that operator new needs no guard: an object with static storage is valid as it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace frx {

class BlockCache {
 public:
  // A block of at least that size, or null.
  void* take(std::size_t size) {
    const std::size_t bin = size <= smallest ? 0 : (size - smallest + step - 1) / step;
    if (bin >= bins || first_[bin] == nullptr) return nullptr;
    Block* const block = first_[bin];
    first_[bin] = block->next;
    --count_[bin];
    return block;
  }

  // False where the block has to be freed. `usable` is the size that it has.
  bool keep(void* block, std::size_t usable) {
    const std::size_t bin = usable < smallest ? bins : (usable - smallest) / step;
    if (bin >= bins || count_[bin] >= most_) return false;
    first_[bin] = new (block) Block{first_[bin]};
    ++count_[bin];
    return true;
  }

  // Nothing is kept before open(), nor from close() on, which frees all.
  void open() { most_ = most; }
  void close() {
    most_ = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      while (Block* const block = first_[bin]) {
        first_[bin] = block->next;
        std::free(block);
      }
      count_[bin] = 0;
    }
  }

 private:
  struct Block {
    Block* next;
  };
  // Sizes as glibc has them; of another library some blocks are in the bin below theirs. At most half a megabyte in all.
  static constexpr std::size_t smallest = 24, step = 16, bins = 32;
  static constexpr std::uint8_t most = 64;

  std::array<Block*, bins> first_{};
  std::array<std::uint8_t, bins> count_{};
  std::uint8_t most_ = 0;
};

}  // namespace frx
