// The least work that could be called reading PTX, on one thread: finds every token, skips comments, hashes words,
// converts numbers, and counts instructions, registers and branches per kernel. It keeps no instruction,
// checks nothing and analyses nothing; frx is measured as a multiple of it.
//
//   limit_ptx FILE
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "limit_lexer.h"

namespace {

using limit::Bytes;
using limit::Source;

struct Kernel {
  std::uint64_t name = 0, instructions = 0, registers = 0, branches = 0, tokens = 0;
  std::array<std::uint32_t, 256> words{};  // by the lowest bits of their hashes: opcodes, types, registers
};

class Reader {
 public:
  Reader() : kernels_(1) {}

  // Whole lines. Says where it stopped: inside of a comment that goes on, its begin.
  const char* read(const char* at, const char* end);

  std::uint64_t sum(std::uint64_t Kernel::*member) const {
    std::uint64_t all = 0;
    for (const Kernel& kernel : kernels_) all += kernel.*member;
    return all;
  }
  std::size_t kernels() const { return kernels_.size() - 1; }

 private:
  const char* word(const char* at);
  const char* number(const char* at);

  static constexpr std::uint64_t entry = limit::hash_of(".entry"), reg = limit::hash_of(".reg"), bra = limit::hash_of("bra");

  std::vector<Kernel> kernels_;  // the first is what stands outside of kernels
  std::uint64_t last_ = 0;       // hash of the last word
  bool declares_ = false;        // since `.reg`, to the next ';'
};

const char* Reader::word(const char* at) {
  const char* const begin = at;
  do ++at;
  while (limit::is_word<limit::Language::ptx>(*at));
  const std::uint64_t hash = limit::hash_of(begin, at);
  if (last_ == entry) kernels_.emplace_back().name = hash;
  Kernel& kernel = kernels_.back();
  ++kernel.words[hash & 255];
  kernel.branches += hash == bra;
  declares_ = declares_ || hash == reg;
  last_ = hash;
  return at;
}

const char* Reader::number(const char* at) {
  const limit::Number number = limit::number_at(at);
  if (declares_) kernels_.back().registers += number.value;
  kernels_.back().words[number.value & 255] += 1;
  return number.end;
}

const char* Reader::read(const char* at, const char* end) {
  while (at < end) {
    switch (limit::class_of<limit::Language::ptx>(*at)) {
      case Bytes::space: ++at; continue;
      case Bytes::word: at = word(at); break;
      case Bytes::digit: at = number(at); break;
      case Bytes::quote: at = limit::string_end(at, end); break;
      case Bytes::slash: {
        const char* const behind = limit::comment_end(at, end);
        if (behind == nullptr) return at;
        at = behind;
        continue;
      }
      case Bytes::mark:
        if (*at == ';') {
          ++kernels_.back().instructions;
          declares_ = false;
        }
        ++at;
        break;
    }
    ++kernels_.back().tokens;
  }
  return at;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  Source source(arguments[1]);
  Reader reader;
  if (!source.read([&](const char* at, const char* end) { return reader.read(at, end); })) return 1;
  std::printf(
      "%zu kernels, %llu tokens, %llu statements, %llu registers, %llu branches\n", reader.kernels(),
      static_cast<unsigned long long>(reader.sum(&Kernel::tokens)), static_cast<unsigned long long>(reader.sum(&Kernel::instructions)),
      static_cast<unsigned long long>(reader.sum(&Kernel::registers)), static_cast<unsigned long long>(reader.sum(&Kernel::branches)));
  return 0;
}
