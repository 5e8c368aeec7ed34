#include "ingest/chrome_trace/event_layouts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "ingest/sixteen_characters.h"

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

#ifdef FRX_SIXTEEN_CHARACTERS

// The quote that ends a string without escapes; null for others.
const char* end_of_text(const char* at, const char* end) {
  for (; at < end; at += 16) {
    const SixteenPlaces found = places_of_either(load_sixteen(at), '"', '\\');
    if (found == 0) continue;
    at += std::countr_zero(found);
    return at < end && *at == '"' ? at : nullptr;
  }
  return nullptr;
}

// Are the `size` bytes at both the same?
bool are_equal(const char* one, const char* other, std::size_t size) {
  for (; size > 16; size -= 16, one += 16, other += 16) {
    if (places_that_agree(load_sixteen(one), load_sixteen(other)) != 0xFFFF) return false;
  }
  const SixteenPlaces compared = (1u << size) - 1;
  return (places_that_agree(load_sixteen(one), load_sixteen(other)) & compared) == compared;
}

const char* end_of_scalar(const char* at, const char* end) {
  while (at < end) {
    // Candidates are commas, closing brackets and all bytes up to the blank; some control characters among them do not end a scalar, so the
    // table decides.
    const Sixteen text = load_sixteen(at);
    const SixteenPlaces found = places_of(text, ',') | places_of_either(text, ']', '}') | places_up_to(text, ' ');
    at += found == 0 ? 16 : std::countr_zero(found);
    if (found == 0) continue;
    if (at >= end || is(*at, ends_scalar)) break;
    ++at;
  }
  return std::min(at, end);
}

#else

const char* end_of_text(const char* at, const char* end) {
  while (at < end && *at != '"' && *at != '\\') ++at;
  return at < end && *at == '"' ? at : nullptr;
}

const char* end_of_scalar(const char* at, const char* end) {
  while (at < end && !is(*at, ends_scalar)) ++at;
  return at;
}

bool are_equal(const char* one, const char* other, std::size_t size) { return std::memcmp(one, other, size) == 0; }

#endif

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

EventLayouts::EventLayouts() : links_(1), texts_(JsonCursor::padding, '\0') {}

bool EventLayouts::follows(const Link& link, const char* at, const char* end) const {
  return static_cast<std::size_t>(end - at) >= link.size && are_equal(at, texts_.data() + link.text, link.size);
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
  links_.push_back(
      {static_cast<std::uint32_t>(texts_.size() - JsonCursor::padding), static_cast<std::uint32_t>(text.size()), value, field, {}});
  texts_.insert(texts_.size() - JsonCursor::padding, text);  // the bytes after the last text stay readable
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
