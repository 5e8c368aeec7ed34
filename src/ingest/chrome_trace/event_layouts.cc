#include "ingest/chrome_trace/event_layouts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace frx::ingest::trace {
namespace {

constexpr std::size_t most_links = 4096, most_branches = 16, longest_text = 256;
constexpr std::uint32_t no_link = 0;  // no link refers to the root

enum CharClass : std::uint8_t { ends_scalar = 1, begins_scalar = 2, nests = 4 };

constexpr std::array<std::uint8_t, 256> classes = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(begins_scalar);
  for (const char c : {',', '}', ']', ' ', '\n', '\r', '\t'}) table[static_cast<unsigned char>(c)] = ends_scalar;
  for (const char c : {'{', '}', '[', ']', '"'}) table[static_cast<unsigned char>(c)] |= nests;
  for (const char c : {'{', '[', '"', ':'}) table[static_cast<unsigned char>(c)] &= static_cast<std::uint8_t>(~begins_scalar);
  return table;
}();

bool is(char c, CharClass what) { return (classes[static_cast<unsigned char>(c)] & what) != 0; }

std::uint64_t word_at(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, 8);
  return word;
}

std::uint64_t bytes_equal(std::uint64_t word, char c) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  const std::uint64_t x = word ^ (ones * static_cast<unsigned char>(c));
  return (x - ones) & ~x & (ones << 7);
}

// The quote that ends a string without escapes; null for others.
const char* end_of_text(const char* at, const char* end) {
  for (; at < end; at += 8) {
    const std::uint64_t word = word_at(at);
    const std::uint64_t found = bytes_equal(word, '"') | bytes_equal(word, '\\');
    if (found == 0) continue;
    at += std::countr_zero(found) / 8;
    return at < end && *at == '"' ? at : nullptr;
  }
  return nullptr;
}

const char* end_of_scalar(const char* at, const char* end) {
  while (at < end && !is(*at, ends_scalar)) ++at;
  return at;
}

// Does the string end at this quote, by the rule of JsonCursor?
bool ends_string(const char* quote, const char* end) {
  for (const char* at = quote + 1; at < end; ++at) {
    if (*at == ',' || *at == '}' || *at == ']' || *at == ':') return true;
    if (!is(*at, ends_scalar)) return false;
  }
  return false;
}

// The position after the list or object that begins at `at`.
const char* end_of_nested(const char* at, const char* end) {
  for (std::size_t depth = 0; at < end; ++at) {
    if (!is(*at, nests)) continue;
    if (*at == '"') {
      at = end_of_text(at + 1, end);
      if (!at || !ends_string(at, end)) return nullptr;
    } else if (*at == '{' || *at == '[') {
      ++depth;
    } else if (--depth == 0) {
      return at + 1;
    }
  }
  return nullptr;
}

// The same text may come before values of several kinds.
bool may_begin(Token::Kind kind, const char* at, const char* end) {
  switch (kind) {
    case Token::scalar: return at < end && is(*at, begins_scalar);
    case Token::object: return at < end && *at == '{';
    case Token::array: return at < end && *at == '[';
    case Token::text:
    case Token::nothing: break;
  }
  return true;
}

const char* end_of_value(Token::Kind kind, const char* at, const char* end) {
  switch (kind) {
    case Token::text: return end_of_text(at, end);
    case Token::scalar: return end_of_scalar(at, end);
    case Token::object:
    case Token::array: return end_of_nested(at, end);
    case Token::nothing: break;
  }
  return nullptr;
}

}  // namespace

EventLayouts::EventLayouts() : links_(1), texts_(8, '\0') {}

bool EventLayouts::follows(const Link& link, const char* at, const char* end) const {
  if (static_cast<std::size_t>(end - at) < link.size) return false;
  // Compares eight bytes at a time; of the last eight, the bytes after the text are shifted out. Both buffers are readable that far.
  const char* text = texts_.data() + link.text;
  std::size_t left = link.size;
  for (; left > 8; left -= 8, at += 8, text += 8) {
    if (word_at(at) != word_at(text)) return false;
  }
  const unsigned unwanted = static_cast<unsigned>(8 - left) * 8;
  return ((word_at(at) ^ word_at(text)) << unwanted) == 0;
}

std::uint32_t EventLayouts::step(Link& from, const char* at, const char* end) {
  for (std::size_t i = 0; i < from.next.size(); ++i) {
    const std::uint32_t id = from.next[i];
    const Link& link = links_[id];
    if (!follows(link, at, end)) continue;
    if (!may_begin(link.value, at + link.size, end)) continue;
    if (i > 0)
      std::rotate(from.next.begin(), from.next.begin() + static_cast<std::ptrdiff_t>(i),
                  from.next.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return id;
  }
  return no_link;
}

const char* EventLayouts::read(const char* at, const char* end, EventFields& fields) {
  for (std::uint32_t link = 0;;) {
    link = step(links_[link], at, end);
    if (link == no_link) return nullptr;
    const Link& taken = links_[link];
    at += taken.size;
    if (taken.value == Token::nothing) return at;
    const char* const value_end = end_of_value(taken.value, at, end);
    if (!value_end) return nullptr;
    if (taken.field) fields.*taken.field = {taken.value, std::string_view(at, static_cast<std::size_t>(value_end - at))};
    at = value_end;
  }
}

std::uint32_t EventLayouts::added(std::uint32_t from, std::string_view text, Token::Kind value, Token EventFields::*field) {
  for (const std::uint32_t id : links_[from].next) {
    const Link& link = links_[id];
    if (link.value == value && link.field == field && std::string_view(texts_).substr(link.text, link.size) == text) return id;
  }
  if (text.empty() || text.size() > longest_text || links_.size() >= most_links || links_[from].next.size() >= most_branches)
    return no_link;
  const auto id = static_cast<std::uint32_t>(links_.size());
  links_.push_back({static_cast<std::uint32_t>(texts_.size() - 8), static_cast<std::uint32_t>(text.size()), value, field, {}});
  texts_.insert(texts_.size() - 8, text);  // eight bytes after the last text stay readable
  links_[from].next.push_back(id);
  return id;
}

void EventLayouts::learn(const char* begin, const char* end, const std::vector<EventValue>& values) {
  std::uint32_t link = 0;
  for (const EventValue& value : values) {
    const char* const at = value.token.raw.data();
    link = added(link, std::string_view(begin, static_cast<std::size_t>(at - begin)), value.token.kind, value.field);
    if (link == no_link) return;
    begin = at + value.token.raw.size();
  }
  added(link, std::string_view(begin, static_cast<std::size_t>(end - begin)), Token::nothing, nullptr);
}

}  // namespace frx::ingest::trace
