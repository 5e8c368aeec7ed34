// The work and the memory that tree-sitter may take for a text: hostile text could extend both without end.
#pragma once

#include <tree_sitter/api.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace frx::ingest::cuda {

// Work for one file, whether it is read as a whole or in parts: at most twice of what any real source takes. After every hundred steps
// tree-sitter asks whether it may continue; it asks for text in pieces, for those that it reads repeatedly each time. Beyond the limit the
// text ends. What it holds is charged to the memory budget.
class GrammarWork {
 public:
  explicit GrammarWork(std::size_t text_size);
  ~GrammarWork();
  GrammarWork(const GrammarWork&) = delete;
  GrammarWork& operator=(const GrammarWork&) = delete;

  // The text to read now, which may have a frame around it.
  void begin(std::string_view before, std::string_view text, std::string_view after);

  static bool is_over(TSParseState* state);
  static const char* read(void* payload, std::uint32_t at, TSPoint, std::uint32_t* size);

  bool is_done() const;
  bool is_too_large() const { return is_too_large_; }

 private:
  void charge();
  std::string_view piece(std::uint32_t at) const;

  std::string_view parts_[3];
  std::uint64_t pieces_, most_cost_;
  std::int64_t held_before_;
  std::size_t charged_ = 0;
  bool is_too_large_ = false;
};

}  // namespace frx::ingest::cuda
