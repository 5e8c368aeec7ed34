#include "ingest/cuda/grammar_work.h"

#include <malloc.h>

#include <cstdlib>

#include "base/memory_budget.h"

namespace frx::ingest::cuda {
namespace {

// What tree-sitter asked for in this thread. Its recovery from errors copies what was read so far, for each error again, and only its
// requests for memory tell how much that is.
struct Blocks {
  std::uint64_t cost = 0;  // an abstract unit, about a nanosecond
  std::int64_t held = 0;   // bytes
};
thread_local constinit Blocks blocks;

constexpr std::uint64_t cost_of_block = 1000;    // and one for each byte
constexpr std::uint64_t cost_of_error = 10'000;  // whatever follows it is searched for in the table of all symbols
constexpr std::size_t error_size = 16;           // of the block that begins the record of an error

void* counted(void* block) {
  if (block == nullptr) return nullptr;  // tree-sitter ends the process
  const std::size_t size = ::malloc_usable_size(block);
  blocks.cost += cost_of_block + size;
  blocks.held += static_cast<std::int64_t>(size);
  return block;
}

void discount(void* block) { blocks.held -= static_cast<std::int64_t>(::malloc_usable_size(block)); }

void* new_block(std::size_t size) {
  if (size == error_size) blocks.cost += cost_of_error;
  return counted(std::malloc(size));
}

void* new_zeros(std::size_t count, std::size_t size) { return counted(std::calloc(count, size)); }

void* resized_block(void* block, std::size_t size) {
  discount(block);
  return counted(std::realloc(block, size));
}

void free_block(void* block) {
  discount(block);
  std::free(block);
}

void count_blocks() {
  static const bool once = (ts_set_allocator(new_block, new_zeros, resized_block, free_block), true);
  static_cast<void>(once);
}

constexpr std::size_t piece_size = 4096;
constexpr std::size_t charged_at_once = 1 << 20;
constexpr std::uint64_t pieces_of_part = 8;

}  // namespace

GrammarWork::GrammarWork(std::size_t text_size)
    : pieces_(1000 + text_size / 64), most_cost_(blocks.cost + 100'000'000 + 1400 * text_size), held_before_(blocks.held) {
  count_blocks();
}

GrammarWork::~GrammarWork() { MemoryBudget::release(charged_); }

void GrammarWork::begin(std::string_view before, std::string_view text, std::string_view after) {
  parts_[0] = before;
  parts_[1] = text;
  parts_[2] = after;
  pieces_ += pieces_of_part;
}

bool GrammarWork::is_over(TSParseState* state) {
  GrammarWork& work = *static_cast<GrammarWork*>(state->payload);
  work.charge();
  return work.is_done();
}

std::string_view GrammarWork::piece(std::uint32_t at) const {
  std::size_t begin = at;
  for (const std::string_view part : parts_) {
    if (begin < part.size()) return part.substr(begin, piece_size);
    begin -= part.size();
  }
  return {};
}

const char* GrammarWork::read(void* payload, std::uint32_t at, TSPoint, std::uint32_t* size) {
  GrammarWork& work = *static_cast<GrammarWork*>(payload);
  if (work.pieces_ > 0) --work.pieces_;
  const std::string_view piece = work.is_done() ? std::string_view() : work.piece(at);
  *size = static_cast<std::uint32_t>(piece.size());
  return piece.data();
}

bool GrammarWork::is_done() const { return pieces_ == 0 || blocks.cost > most_cost_ || is_too_large_; }

// An exception must not pass through the code of tree-sitter.
void GrammarWork::charge() {
  const std::int64_t held = blocks.held - held_before_;
  if (held < static_cast<std::int64_t>(charged_ + charged_at_once)) return;
  try {
    MemoryBudget::charge(static_cast<std::size_t>(held) - charged_);
    charged_ = static_cast<std::size_t>(held);
  } catch (const OverBudget&) {
    is_too_large_ = true;
  }
}

}  // namespace frx::ingest::cuda
