#include "ingest/line_pieces.h"

#include <algorithm>
#include <cstring>

namespace frx::ingest {
namespace {

constexpr std::size_t max_line = std::size_t{64} << 20;  // as LineReader
// Memory that one long line needed is given back.
constexpr std::size_t most_kept = std::size_t{4} << 20;

void provide(LinePiece& piece, std::size_t bytes) {
  if (piece.capacity >= bytes && (piece.size > 0 || piece.capacity <= std::max(most_kept, bytes))) return;
  const std::size_t capacity = piece.size > 0 ? std::max(bytes, 2 * piece.capacity) : bytes;
  auto memory = std::make_unique_for_overwrite<char[]>(capacity + LinePiece::padding);
  if (piece.size > 0) std::memcpy(memory.get(), piece.memory.get(), piece.size);
  piece.memory = std::move(memory);
  piece.capacity = capacity;
}

}  // namespace

bool LinePieces::next(LinePiece& piece) {
  piece.size = 0;
  piece.is_last = false;
  piece.failure.reset();
  if (is_done_) return false;
  if (Result<> filled = fill(piece); !filled) {
    piece.failure = std::move(filled).error();
    is_done_ = true;
  }
  is_done_ = is_done_ || piece.is_last;
  piece.bytes_read = rest_.bytes_read;
  std::memset(piece.memory.get() + piece.size, 0, LinePiece::padding);
  return true;
}

Result<> LinePieces::fill(LinePiece& piece) {
  provide(piece, std::max(carry_.size(), usual_size_));
  std::memcpy(piece.memory.get(), carry_.data(), carry_.size());
  piece.size = carry_.size();
  carry_.clear();
  while (true) {
    if (rest_.at_end) {
      piece.is_last = true;
      return {};
    }
    TRY(read_more(piece));
    const auto* const line_end = static_cast<const char*>(::memrchr(piece.memory.get(), '\n', piece.size));
    if (!line_end || rest_.at_end) continue;
    const char* const cut = line_end + 1;
    carry_.assign(cut, static_cast<std::size_t>(piece.memory.get() + piece.size - cut));
    piece.size = static_cast<std::size_t>(cut - piece.memory.get());
    return {};
  }
}

Result<> LinePieces::read_more(LinePiece& piece) {
  if (piece.size > max_line) return fail(ErrorKind::malformed, "expected lines of at most 64 MB, found a longer one");
  if (piece.size >= piece.capacity / 2) provide(piece, piece.size + usual_size_);
  const std::span<char> space(piece.memory.get() + piece.size, piece.capacity - piece.size);
  TRY_ASSIGN(const std::size_t got, rest_.source.read(space));
  piece.size += got;
  rest_.bytes_read += got;
  rest_.at_end = got < space.size();
  return {};
}

bool LineWindow::next(std::string_view& line) {
  begin_ = at_;
  return at_ < end_ && find_end(at_, line);
}

bool LineWindow::extend(std::string_view& line) { return at_ < end_ && find_end(at_, line); }

bool LineWindow::find_end(const char* from, std::string_view& line) {
  const auto* const found = static_cast<const char*>(std::memchr(from, '\n', static_cast<std::size_t>(end_ - from)));
  const char* const stop = found ? found : end_;
  at_ = found ? found + 1 : end_;
  ++line_number_;
  line = std::string_view(begin_, static_cast<std::size_t>(stop - begin_));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

}  // namespace frx::ingest
