// A stream in pieces: read one after the other, worked on by all cores, and taken in the order of reading.
//
// What a reader concludes is then what it would have concluded on one core.
#pragma once

#include <cstddef>

namespace frx {

// `slot` says which of the pieces that are held at the same time is meant: it is below the number given to take_in_order(), and the slot of
// a piece is free again after its take().
class Pieces {
 public:
  virtual ~Pieces() = default;
  // Reads the next piece; one thread at a time. False when there is none; it is not called again then.
  virtual bool read(std::size_t slot) = 0;
  // What does not depend on the pieces before; several threads at once.
  virtual void work(std::size_t slot) = 0;
  // One thread at a time, in the order of reading. False when no further piece is to be read.
  virtual bool take(std::size_t slot) = 0;
};

// Returns when all pieces are taken or one take() was false. An exception is thrown again when all threads have ended; nothing is taken
// after it. A thread uses two slots; there are as many as for_each_in_parallel() allows.
void take_in_order(std::size_t slots, Pieces& pieces);

}  // namespace frx
