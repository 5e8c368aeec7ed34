#include "ingest/chrome_trace/event_blocks.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "base/parallel.h"
#include "ingest/chrome_trace/event_layouts.h"

namespace frx::ingest::trace {
namespace {

constexpr std::size_t most_threads = 8;
// A smaller part is not worth a block.
constexpr std::size_t little = 256;

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

const char* skip_blanks(const char* at, const char* end) {
  while (at < end && (is_blank(*at) || *at == ',')) ++at;
  return at;
}

// "{ "ph"": the first event up to the end of its first key. Events of a trace mostly begin alike.
std::string beginning_of_event(std::string_view text) {
  const std::size_t open = text.find_first_not_of(" \n\r\t,");
  if (open == text.npos || text[open] != '{') return {};
  const std::size_t key = text.find_first_not_of(" \n\r\t", open + 1);
  if (key == text.npos || text[key] != '"') return {};
  const std::size_t close = text.find('"', key + 1);
  constexpr std::size_t longest = 64;
  return close == text.npos || close - open > longest ? std::string() : std::string(text.substr(open, close + 1 - open));
}

// The position after the last "}" that another event seems to follow; 0 when there is none.
std::size_t last_cut(std::string_view text, std::string_view beginning) {
  for (std::size_t at = text.rfind(beginning); at != text.npos && at > 0; at = text.rfind(beginning, at - 1)) {
    std::size_t before = text.find_last_not_of(" \n\r\t", at - 1);
    if (before == text.npos || before == 0 || text[before] != ',') continue;
    before = text.find_last_not_of(" \n\r\t", before - 1);
    if (before != text.npos && text[before] == '}') return before + 1;
  }
  return 0;
}

// The bytes of a block, with readable padding after them.
struct Block {
  std::uint64_t number = 0;
  std::vector<char> bytes;
  std::size_t size = 0;

  const char* begin() const { return bytes.data(); }
  const char* end() const { return bytes.data() + size; }
};

// The state with which one thread reads blocks.
class BlockReader {
 public:
  explicit BlockReader(KeptDetail kept) { rows_.kept = kept; }
  // The rows of the whole events from the beginning of the block on, and the size of those events in bytes.
  std::size_t read(const Block& block);

  const EventRows& rows() const { return rows_; }
  NumberedConverter& converter() { return converter_; }

 private:
  const char* event(const char* at, const char* end);

  EventRows rows_;
  NumberedConverter converter_;
  EventLayouts layouts_;
  std::vector<EventValue> values_;
};

std::size_t BlockReader::read(const Block& block) {
  rows_.clear();
  converter_.forget_many();
  const char* done = block.begin();
  while (done < block.end()) {
    const char* const at = skip_blanks(done, block.end());
    const char* const next = at < block.end() && *at == '{' ? event(at, block.end()) : nullptr;
    if (!next) break;
    done = next;
  }
  return static_cast<std::size_t>(done - block.begin());
}

// The position after the event at `at`; null when it is not whole.
const char* BlockReader::event(const char* at, const char* end) {
  EventFields fields;
  const char* next = layouts_.read(at, end, fields);
  if (!next) {
    JsonCursor cursor(at, end);
    bool is_event = false;
    fields = {};
    if (!read_event(cursor, fields, is_event, &values_)) return nullptr;
    next = cursor.at();
    layouts_.learn(at, next, values_);
  }
  converter_.converter.add(fields, rows_);
  return next;
}

class Pipeline {
 public:
  Pipeline(Window& window, TimelineBuilder& builder, std::size_t block_size, const std::function<void(std::uint64_t)>& progress)
      : source_(window.source()),
        builder_(builder),
        block_size_(block_size),
        progress_(progress),
        offset_(window.offset()),
        carry_(window.take()) {
    beginning_ = beginning_of_event(std::string_view(carry_.data(), carry_.size()));
  }

  // The number of bytes that are done.
  std::uint64_t run();

 private:
  bool next(Block& block);
  void fill(Block& block);
  void read_more(Block& block);
  bool join(Block& block, BlockReader& reader, std::size_t done);
  void work(Block block, bool have);

  UnreadSource& source_;
  TimelineBuilder& builder_;
  const std::size_t block_size_;
  const std::function<void(std::uint64_t)>& progress_;
  const std::uint64_t offset_;
  std::string beginning_;

  std::mutex reading_;
  std::vector<char> carry_;  // read ahead, and part of the next block
  std::uint64_t blocks_ = 0;
  bool ended_ = false;  // no more blocks
  bool short_ = false;  // the remaining input is smaller than a block
  std::optional<Error> failure_;

  std::mutex joining_;
  std::condition_variable turn_;
  std::uint64_t joined_ = 0, done_ = 0;
  bool stopped_ = false;
  bool failed_ = false;  // an exception ended a thread, whose block never gets its turn
  std::deque<std::vector<char>> unread_;
};

// The carry and the input after it up to the size of a block, up to a cut; all of it when there is no cut.
void Pipeline::fill(Block& block) {
  const auto from_carry = carry_.begin() + static_cast<std::ptrdiff_t>(std::min(carry_.size(), block_size_));
  block.size = static_cast<std::size_t>(from_carry - carry_.begin());
  block.bytes.resize(std::max(block_size_, block.size + block_size_ / 2) + JsonCursor::padding);
  std::copy(carry_.begin(), from_carry, block.bytes.begin());
  carry_.erase(carry_.begin(), from_carry);
  if (carry_.empty()) read_more(block);
  const std::size_t cut = ended_ ? 0 : last_cut({block.bytes.data(), block.size}, beginning_);
  ended_ = ended_ || cut == 0;
  if (ended_) return;
  carry_.insert(carry_.begin(), block.begin() + cut, block.end());
  block.size = cut;
}

void Pipeline::read_more(Block& block) {
  const std::span<char> free_space = std::span(block.bytes).subspan(block.size, block.bytes.size() - JsonCursor::padding - block.size);
  if (Result<std::size_t> read = source_.read(free_space)) {
    block.size += *read;
    ended_ = *read == 0;
    short_ = *read < free_space.size();
  } else {
    failure_ = read.error();
    ended_ = true;
  }
}

bool Pipeline::next(Block& block) {
  const std::lock_guard lock(reading_);
  if (ended_) return false;
  fill(block);
  block.number = blocks_++;
  return true;
}

// Adds the rows when it is their turn. False when no further block is to be read.
bool Pipeline::join(Block& block, BlockReader& reader, std::size_t done) {
  std::unique_lock lock(joining_);
  turn_.wait(lock, [&] { return joined_ == block.number || failed_; });
  if (failed_) return false;
  if (!stopped_) {
    builder_.append(reader.rows(), reader.converter());
    done_ += done;
    stopped_ = done < block.size;
    if (progress_) progress_(offset_ + done_);
  } else {
    done = 0;
  }
  if (done < block.size) {
    block.bytes.resize(block.size);
    block.bytes.erase(block.bytes.begin(), block.bytes.begin() + static_cast<std::ptrdiff_t>(done));
    unread_.push_back(std::move(block.bytes));
  }
  ++joined_;
  turn_.notify_all();
  return !stopped_;
}

void Pipeline::work(Block block, bool have) {
  try {
    BlockReader reader(builder_.kept());
    for (have = have || next(block); have; have = next(block)) {
      const std::size_t done = reader.read(block);
      if (join(block, reader, done)) continue;
      const std::lock_guard lock(reading_);
      ended_ = true;
    }
  } catch (...) {
    {
      const std::lock_guard lock(joining_);
      failed_ = true;
    }
    turn_.notify_all();
    throw;
  }
}

std::uint64_t Pipeline::run() {
  if (beginning_.empty()) {
    unread_.push_back(std::move(carry_));
  } else {
    Block first;
    const bool any = next(first);
    for_each_in_parallel(short_ ? 1 : most_threads, [&](std::size_t i) { work(i == 0 ? std::move(first) : Block(), any && i == 0); });
    if (!carry_.empty()) unread_.push_back(std::move(carry_));
  }
  source_.unread(std::move(unread_), std::move(failure_));
  return done_;
}

}  // namespace

bool read_whole_events(Window& window, TimelineBuilder& builder, std::size_t block_size,
                       const std::function<void(std::uint64_t)>& progress) {
  if (static_cast<std::size_t>(window.end() - window.begin()) < block_size / little) return true;
  const std::uint64_t done = Pipeline(window, builder, block_size, progress).run();
  window.skip(done);
  return done >= blocks_between_tries * block_size;
}

}  // namespace frx::ingest::trace
