// What the mutators share. A mutator changes bytes and keeps their structure, so that fuzzing gets behind the first checks of a reader.
//
//   void mutate_zip(std::string& bytes, Changes& changes);
//
// targets.def names the mutator of each target. libFuzzer calls it through custom_mutator.cc; `fuzz_replay --mutate` calls it in every
// ordinary build, with the same changes for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace frx::fuzz {

// Where changes come from: random numbers, and a function that changes bytes that have no structure.
class Changes {
 public:
  using OfBytes = std::function<void(std::string& bytes)>;

  // `most` is the largest input that may come out. Without `of_bytes`, mutate_bytes changes what has no structure.
  Changes(std::uint64_t seed, std::size_t most, OfBytes of_bytes = {});

  std::size_t most() const { return most_; }
  std::uint64_t bits();              // 64 of them
  std::size_t below(std::size_t n);  // 0 when n is 0
  bool one_in(std::size_t n) { return below(n) == 0; }
  // Numbers at which code breaks: 0, powers of two and their neighbours, the largest of each width; at times any.
  std::uint64_t number();
  // How often something is repeated: mostly 1 to 4 times, at times hundreds, and never more than fit into the largest input at `size` bytes
  // each.
  std::size_t times(std::size_t size);
  void change(std::string& bytes) { of_bytes_(bytes); }

 private:
  std::uint64_t state_;
  std::size_t most_;
  OfBytes of_bytes_;
};

using Mutator = void (*)(std::string& bytes, Changes& changes);

void mutate_bytes(std::string& bytes, Changes& changes);
// Text as a tree of tokens and brackets; each language has words and fragments of its own.
void mutate_json(std::string& bytes, Changes& changes);
void mutate_ptx(std::string& bytes, Changes& changes);
void mutate_cuda(std::string& bytes, Changes& changes);
// Lines of cells: CSV, and text in columns.
void mutate_table(std::string& bytes, Changes& changes);
// Reports of Nsight Compute: blocks of protobuf messages.
void mutate_report(std::string& bytes, Changes& changes);
// 64-bit ELF files, containers of device code and archives of them.
void mutate_elf(std::string& bytes, Changes& changes);
void mutate_fatbin(std::string& bytes, Changes& changes);
// Zip archives whose members are JSON.
void mutate_zip(std::string& bytes, Changes& changes);
// By what the bytes look like.
void mutate_any(std::string& bytes, Changes& changes);

}  // namespace frx::fuzz
