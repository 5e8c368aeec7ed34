#include "ingest/ptx/read_module.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "base/in_order.h"
#include "base/large_pages.h"
#include "base/parallel.h"
#include "ingest/ptx/add_piece.h"
#include "ingest/ptx/module_reader.h"

namespace frx::ingest::ptx {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
// Of text that one thread reads at a time, at least; a text that is not much longer is read by this thread alone.
constexpr std::size_t piece_bytes = std::size_t{64} << 10;
constexpr std::size_t worth_pieces = 16 * piece_bytes;
// How far behind a brace a function is looked for: a comment with its name may stand before it.
constexpr std::size_t most_between = 4096;
// A piece may seem to begin where it does not, as in a comment. Where that happens often the rest is read at once, so that the time
// stays linear.
constexpr int most_wrong_guesses = 4;

// Of text for each name, at least, in ordinary code.
constexpr std::size_t bytes_of_a_name = 128;

// The pieces of a text, which begin at functions as far as that shows without what is before them. The reader of a piece finds where
// the next one begins in fact; where that is not the place that was guessed, the next one is read again from there.
class TextPieces final : public Pieces {
 public:
  TextPieces(std::string_view text, std::size_t slots, model::Module& into)
      : text_(text), file_(into.file), adder_(into, text.size() / bytes_of_a_name), pieces_(slots), expected_(Lexer(text).position()) {}

  bool read(std::size_t slot) override;
  void work(std::size_t slot) override { read_from(pieces_[slot].begin, pieces_[slot]); }
  bool take(std::size_t slot) override;
  void finish() { adder_.finish(); }

 private:
  struct Piece {
    Position begin;
    std::size_t limit = 0;  // where the next one begins
    Position first;         // item
    model::Module module;
    std::unique_ptr<ModuleReader> reader;
  };

  std::size_t next_begin(std::size_t at) const;
  void read_from(Position begin, Piece& piece) const;

  std::string_view text_;
  SharedText file_;
  PieceAdder adder_;
  std::vector<Piece> pieces_;
  Position next_;      // piece
  Position expected_;  // the first item that is not in the module yet
  std::atomic<int> wrong_guesses_ = 0;
};

// Behind the brace of a function, where a function or its linkage follows; the end of the text where there is no such place.
std::size_t TextPieces::next_begin(std::size_t at) const {
  constexpr std::string_view brace = "\n}\n";
  while (at < text_.size() && wrong_guesses_ < most_wrong_guesses) {
    const std::size_t found = text_.find(brace, at);
    if (found == text_.npos) break;
    at = found + brace.size();
    const Lexer behind(text_.substr(at, most_between));
    const std::string_view next = behind.now().spelling;
    if (next == ".visible" || next == ".weak" || next == ".entry" || next == ".func") return at;
    // What the lexer passed over is not looked at again: each brace might stand before a long comment that holds the next ones.
    at = at - 1 + behind.position().at;
  }
  return text_.size();
}

bool TextPieces::read(std::size_t slot) {
  if (next_.at >= text_.size()) return false;
  Piece& piece = pieces_[slot];
  piece.begin = next_;
  piece.limit = next_begin(next_.at + piece_bytes);
  const std::string_view text = text_.substr(next_.at, piece.limit - next_.at);
  next_ = {piece.limit, next_.line + static_cast<std::uint32_t>(std::ranges::count(text, '\n'))};
  return true;
}

void TextPieces::read_from(Position begin, Piece& piece) const {
  piece.reader.reset();
  piece.module = {};
  piece.module.file = file_;
  piece.reader = std::make_unique<ModuleReader>(text_, begin, piece.module);
  piece.first = piece.reader->position();
  piece.reader->read(piece.limit);
}

bool TextPieces::take(std::size_t slot) {
  Piece& piece = pieces_[slot];
  if (piece.first != expected_) {
    ++wrong_guesses_;
    if (expected_.at >= piece.limit) return true;
    read_from(expected_, piece);
  }
  adder_.add(piece.module, *piece.reader);
  expected_ = piece.reader->position();
  piece.reader.reset();
  piece.module = {};
  return true;
}

// Capacity for more than ordinary code needs (an instruction takes 20 characters or more), so that the arrays do not move: a copy would
// count twice. Memory that is not written to costs nothing.
void reserve(model::Module& module, std::string_view text) {
  const auto reserve_in = [](auto& list, std::size_t count) {
    list.reserve(count);
    ask_for_large_pages(list.data(), count * sizeof(list[0]));
  };
  reserve_in(module.instructions, text.size() / 12);
  reserve_in(module.operands, text.size() / 6);
  reserve_in(module.labels, text.size() / 256);
  reserve_in(module.variables, text.size() / 1024);
  reserve_in(module.banks, text.size() / 1024);
  reserve_in(module.functions, text.size() / 4096);
  module.names.reserve(text.size() / bytes_of_a_name, text.size() / 8);
}

void read_all(std::string_view text, model::Module& module) {
  if (text.size() >= worth_pieces && most_threads() > 1) {
    const std::size_t slots = 2 * most_threads();
    TextPieces pieces(text, slots, module);
    take_in_order(slots, pieces);
    return pieces.finish();
  }
  ModuleReader reader(text, {}, module);
  reader.read(text.size());
  settle_names(reader.function_names(), module);
}

}  // namespace

bool looks_like_ptx(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return Lexer(text).now().spelling == ".version";
}

Result<model::Module> read_module(std::string file, std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  model::Module module;
  module.file = std::move(file);
  if (text.size() >= 0xFFFFFFFF) return fail(ErrorKind::malformed, "expected less than 4 GB of PTX").at(std::string(module.file.view()));
  reserve(module, text);
  read_all(text, module);
  if (module.version.major == 0 && module.functions.empty()) {
    return fail(ErrorKind::malformed, "expected PTX, found neither '.version' nor a function").at(std::string(module.file.view()));
  }
  return module;
}

}  // namespace frx::ingest::ptx
