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
    const std::size_t bin = bin_of(size);
    if (bin >= bins || first_[bin] == nullptr) return nullptr;
    Block* const block = first_[bin];
    first_[bin] = block->next;
    --count_[bin];
    return block;
  }

  // False where the block has to be freed. `usable` is the size that it has.
  bool keep(void* block, std::size_t usable) { return keep_in(usable < smallest ? bins : (usable - smallest) / step, block); }
  // The same for a block that was asked for with that size, which says less where the C library is not known.
  bool keep_asked(void* block, std::size_t size) {
#ifdef __GLIBC__
    return keep_in(bin_of(size), block);
#else
    return keep_in(size < smallest ? bins : (size - smallest) / step, block);
#endif
  }

  // Nothing is kept before open(), nor from close() on, which hands all blocks to `free`.
  void open() { most_ = most; }
  template <typename Free>
  void close(Free&& free) {
    most_ = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      while (Block* const block = first_[bin]) {
        first_[bin] = block->next;
        free(block);
      }
      count_[bin] = 0;
    }
  }

 private:
  struct Block {
    Block* next;
  };
  static std::size_t bin_of(std::size_t size) { return size <= smallest ? 0 : (size - smallest + step - 1) / step; }
  bool keep_in(std::size_t bin, void* block) {
    if (bin >= bins || count_[bin] >= most_) return false;
    first_[bin] = new (block) Block{first_[bin]};
    ++count_[bin];
    return true;
  }

  // Sizes as glibc has them; of another library some blocks are in the bin below theirs. At most half a megabyte in all.
  static constexpr std::size_t smallest = 24, step = 16, bins = 32;
  static constexpr std::uint8_t most = 64;

  std::array<Block*, bins> first_{};
  std::array<std::uint8_t, bins> count_{};
  std::uint8_t most_ = 0;
};

}  // namespace frx
