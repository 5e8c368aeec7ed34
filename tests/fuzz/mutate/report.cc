// Reports of Nsight Compute (src/ingest/ncu_report/report_file.h): messages are changed as trees of fields, and the lengths around them are
// written anew.
#include <algorithm>
#include <optional>
#include <vector>

#include "fuzz/mutate/changes.h"

namespace frx::fuzz {
namespace {

constexpr std::string_view magic("NVR\0", 4);
constexpr int deepest = 12;

struct Field {
  std::uint32_t number = 0;
  std::uint32_t type = 0;   // of the wire: 0 varint, 1 fixed64, 2 bytes, 5 fixed32
  std::uint64_t value = 0;  // of a varint
  std::string bytes = {};   // of the others, unless it is a message
  std::vector<Field> message = {};
};
using Message = std::vector<Field>;

std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 10 && i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= std::uint64_t{byte & 0x7Fu} << (7 * i % 64);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> take(std::string_view& bytes, std::uint64_t size) {
  if (size > bytes.size()) return std::nullopt;
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

std::optional<Message> parse(std::string_view bytes, int depth);

bool parse_value(std::string_view& rest, Field& field, int depth) {
  if (field.type == 0) {
    const auto value = take_varint(rest);
    if (value) field.value = *value;
    return value.has_value();
  }
  if (field.type != 1 && field.type != 2 && field.type != 5) return false;
  const auto size = field.type == 2 ? take_varint(rest) : std::optional<std::uint64_t>(field.type == 1 ? 8 : 4);
  const auto bytes = size ? take(rest, *size) : std::nullopt;
  if (!bytes) return false;
  const auto message = field.type == 2 && depth < deepest ? parse(*bytes, depth + 1) : std::nullopt;
  if (message && !message->empty()) {
    field.message = *message;
  } else {
    field.bytes = *bytes;
  }
  return true;
}

std::optional<Message> parse(std::string_view bytes, int depth) {
  Message message;
  while (!bytes.empty()) {
    const auto tag = take_varint(bytes);
    if (!tag || *tag >> 3 == 0 || *tag >> 3 > 10'000) return std::nullopt;
    Field field{.number = static_cast<std::uint32_t>(*tag >> 3), .type = static_cast<std::uint32_t>(*tag & 7)};
    if (!parse_value(bytes, field, depth)) return std::nullopt;
    message.push_back(std::move(field));
  }
  return message;
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes += static_cast<char>(value);
}

std::string written(const Message& message) {
  std::string bytes;
  for (const Field& field : message) {
    bytes += varint(std::uint64_t{field.number} << 3 | field.type);
    if (field.type == 0) {
      bytes += varint(field.value);
      continue;
    }
    const std::string content = field.message.empty() ? field.bytes : written(field.message);
    bytes += field.type == 2 ? varint(content.size()) + content : content;
  }
  return bytes;
}

std::string fixed(std::uint64_t value, std::size_t width) {
  std::string bytes;
  for (std::size_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> 8 * i);
  return bytes;
}

// Every message with fields, the outermost first.
void collect(Message& message, std::vector<Message*>& into) {
  if (message.empty()) return;
  into.push_back(&message);
  for (Field& field : message) collect(field.message, into);
}

void change_value(Field& field, Changes& changes) {
  if (field.type == 0) {
    field.value = changes.number();
  } else if (field.type != 2) {
    field.bytes = fixed(changes.number(), field.type == 1 ? 8 : 4);
  } else {
    field.bytes = field.message.empty() ? std::move(field.bytes) : written(field.message);
    field.message.clear();
    changes.change(field.bytes);
  }
}

// A message that holds itself, again and again.
Field nested(Field field, Changes& changes) {
  for (std::size_t left = std::min<std::size_t>(changes.times(4), 64); left > 0; --left) {
    field = {.number = field.number, .type = 2, .message = {std::move(field)}};
  }
  return field;
}

void change_message(Message& root, Changes& changes) {
  std::vector<Message*> all;
  collect(root, all);
  if (all.empty())
    return root.push_back({.number = 1 + static_cast<std::uint32_t>(changes.below(30)), .type = 0, .value = changes.number()});
  Message& message = *all[changes.below(all.size())];
  const Message& others = *all[changes.below(all.size())];
  const std::size_t at = changes.below(message.size());
  const auto here = message.begin() + static_cast<std::ptrdiff_t>(at);
  const Field field = *here, other = others[changes.below(others.size())];
  switch (changes.below(9)) {
    case 0: message.erase(here); break;
    case 1: message.insert(here, changes.times(written({field}).size()), field); break;
    case 2: message.insert(here, changes.times(2), {.number = field.number, .type = 2}); break;
    case 3: here->number = 1 + static_cast<std::uint32_t>(changes.below(40)); break;
    case 4: *here = other; break;
    case 5: message.push_back(other); break;
    case 6: std::iter_swap(here, message.begin() + static_cast<std::ptrdiff_t>(changes.below(message.size()))); break;
    case 7: *here = nested(field, changes); break;
    default: change_value(*here, changes);
  }
}

struct Block {
  Message header;
  std::vector<std::string> entries;
};

// A length of four bytes, and as many bytes.
std::optional<std::string_view> take_sized(std::string_view& bytes) {
  const auto size = take(bytes, 4);
  if (!size) return std::nullopt;
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>((*size)[i]);
  return take(bytes, value);
}

std::string sized(const std::string& bytes) { return fixed(bytes.size(), 4) + bytes; }

std::uint64_t value_of(const Message& message, std::uint32_t number) {
  const auto found = std::ranges::find(message, number, &Field::number);
  return found == message.end() ? 0 : found->value;
}

void set_value(Message& message, std::uint32_t number, std::uint64_t value) {
  const auto found = std::ranges::find(message, number, &Field::number);
  if (found != message.end()) {
    found->value = value;
  } else if (value > 0) {
    message.push_back({.number = number, .type = 0, .value = value});
  }
}

struct Report {
  std::string header;
  std::vector<Block> blocks;

  static std::optional<Report> parse(std::string_view bytes) {
    Report report;
    bytes.remove_prefix(magic.size());
    const auto header = take_sized(bytes);
    if (!header) return std::nullopt;
    report.header = *header;
    while (!bytes.empty()) {
      const auto head = take_sized(bytes);
      auto fields = head ? fuzz::parse(*head, 0) : std::nullopt;
      auto payload = fields ? take(bytes, value_of(*fields, 5)) : std::nullopt;
      if (!payload) break;
      Block block{.header = std::move(*fields), .entries = {}};
      while (const auto entry = take_sized(*payload)) block.entries.emplace_back(*entry);
      report.blocks.push_back(std::move(block));
    }
    return report;
  }

  // With lengths and numbers as they are, unless a header was changed to say others.
  std::string bytes() const {
    std::string all = std::string(magic) + sized(header);
    for (const Block& block : blocks) {
      std::string payload;
      for (const std::string& entry : block.entries) payload += sized(entry);
      Message head = block.header;
      set_value(head, 5, payload.size());
      set_value(head, 7, 0);
      set_value(head, 1, std::min(value_of(head, 1), std::uint64_t{block.entries.size()}));
      set_value(head, 2, block.entries.size() - value_of(head, 1));
      all += sized(written(head)) + payload;
    }
    return all;
  }
};

void change_entry(std::string& entry, Changes& changes) {
  auto message = parse(entry, 0);
  if (!message) return changes.change(entry);
  for (std::size_t left = 1 + changes.below(4); left > 0; --left) change_message(*message, changes);
  entry = written(*message);
}

void change_blocks(std::vector<Block>& blocks, Changes& changes) {
  Block& block = blocks[changes.below(blocks.size())];
  std::vector<std::string>& entries = block.entries;
  const std::size_t at = changes.below(entries.size());
  switch (entries.empty() ? 0 : changes.below(10)) {
    case 0: change_message(block.header, changes); break;
    case 1: entries.insert(entries.begin(), changes.times(entries[at].size() + 4), entries[at]); break;
    case 2: entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 3: blocks.push_back(Block(block)); break;
    case 4: set_value(block.header, 1, changes.below(entries.size() + 1)); break;
    default: change_entry(entries[at], changes);
  }
}

}  // namespace

void mutate_report(std::string& bytes, Changes& changes) {
  auto report = bytes.starts_with(magic) ? Report::parse(bytes) : std::nullopt;
  if (!report || report->blocks.empty()) return changes.change(bytes);
  change_blocks(report->blocks, changes);
  bytes = report->bytes();
  if (changes.one_in(50)) changes.change(bytes);
}

}  // namespace frx::fuzz
