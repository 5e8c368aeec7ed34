// Large blocks of memory that lie in files, for inputs that need more memory than may be used.
//
// Each block is a file without a name, mapped into memory: the system keeps the pages of it that are in use and writes the others to the
// disk. So the code that works on a block does not know where it lies. MemoryBudget decides which blocks these are; a thread drops pages of
// them from this process while more of them are resident than may be.
//
// The files lie in the first folder that is on a disk: a file in memory would win nothing. The space of a block is taken when the block is
// made, so that a full disk is an answer of allocate() and no signal later. A disk that fails while a page is read sends SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace frx {

class Spill {
 public:
  // Where blocks may lie; while no other thread makes any. From here on pages of blocks leave this process while more than `most_resident`
  // bytes of it are in memory.
  static void start(const std::vector<std::string>& folders, std::uint64_t most_resident);

  // The smallest block that is worth a file. It grows with the number of blocks, so that the descriptors of the process suffice.
  static std::size_t least_block();

  // `bytes` of zeros, at a multiple of the page size. nullptr: there is no folder for it, or the disk has no space; reason() says which.
  static void* allocate(std::size_t bytes) noexcept;
  // A block of allocate() of another size, perhaps elsewhere, with what it held. nullptr as above; then `block` is as before.
  static void* resize(void* block, std::size_t bytes) noexcept;
  // False where `block` is none of these.
  static bool release(void* block) noexcept;
  static bool holds(const void* block) noexcept;

  // Bytes in all blocks.
  static std::uint64_t bytes();
  // Why the last block was refused: "/tmp lies in memory", "/var/tmp: No space left on device"; "" where none was.
  static std::string reason();
};

}  // namespace frx
