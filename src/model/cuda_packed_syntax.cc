#include "model/cuda_packed_syntax.h"

#include <array>
#include <memory>

namespace frx::model::cuda {
namespace {

// A node: what it is; how far behind the node before it it begins; its length; and, where it has some, how many nodes are
// below it. Whose child it is follows from the order.
//
// What a node is (kind, role, whether it has children) is one byte: a file has some hundred different ones. The byte
// `another` and two more stand for those that are too many.
using What = std::uint16_t;
constexpr std::size_t whats = 1 << 14;
constexpr std::uint8_t another = 255;
constexpr std::size_t bytes_at_most = 3 + 3 * 5;

What what_of(const Node& node, bool has_children) {
  return static_cast<What>(static_cast<unsigned>(node.kind) << 6 | static_cast<unsigned>(node.role) << 1 | (has_children ? 1 : 0));
}
static_assert(static_cast<unsigned>(Role::value) < 32);

struct Kind {
  NodeKind kind;
  Role role;
  bool has_children;
};
Kind kind_of(What what) { return {static_cast<NodeKind>(what >> 6), static_cast<Role>(what >> 1 & 31), (what & 1) != 0}; }

// Seven bits a byte, the last ones first.
std::uint8_t* put(std::uint8_t* at, std::uint32_t number) {
  for (; number >= 0x80; number >>= 7) *at++ = static_cast<std::uint8_t>(number | 0x80);
  *at++ = static_cast<std::uint8_t>(number);
  return at;
}

inline std::uint32_t take(const char*& at) {
  std::uint32_t number = static_cast<std::uint8_t>(*at++);
  if (number < 0x80) return number;  // nearly all of them
  number &= 0x7F;
  for (int shift = 7;; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(*at++);
    number |= static_cast<std::uint32_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return number;
  }
}

// Small for small distances in both directions.
std::uint32_t folded(std::uint32_t distance) { return (distance << 1) ^ (0u - (distance >> 31)); }
std::uint32_t unfolded(std::uint32_t folded) { return (folded >> 1) ^ (0u - (folded & 1)); }

}  // namespace

PackedSyntax::PackedSyntax(const Syntax& syntax) : count_(syntax.size()) {
  const auto buffer = std::make_unique_for_overwrite<std::uint8_t[]>(syntax.size() * bytes_at_most);
  std::uint8_t* at = buffer.get();
  std::array<std::uint8_t, whats> numbers;
  numbers.fill(another);
  std::uint32_t before = 0;
  for (std::uint32_t n = 0; n < syntax.size(); ++n) {
    const Node& node = syntax[n];
    const std::uint32_t below = node.last - n - 1;
    const What what = what_of(node, below > 0);
    if (numbers[what] == another && whats_.size() < another) {
      numbers[what] = static_cast<std::uint8_t>(whats_.size());
      whats_.push_back(what);
    }
    *at++ = numbers[what];
    if (numbers[what] == another) {
      *at++ = static_cast<std::uint8_t>(what >> 8);
      *at++ = static_cast<std::uint8_t>(what);
    }
    at = put(at, folded(node.begin - before));
    at = put(at, node.end - node.begin);
    if (below > 0) at = put(at, below);
    before = node.begin;
  }
  whats_.shrink_to_fit();
  bytes_.assign(reinterpret_cast<const char*>(buffer.get()), static_cast<std::size_t>(at - buffer.get()));
}

void PackedSyntax::unpack(Syntax& syntax) const {
  syntax.nodes.resize(count_);
  Node* const nodes = syntax.nodes.data();
  const char* at = bytes_.data();
  std::array<Kind, another> kinds;  // by the number that stands for them
  for (std::size_t i = 0; i < whats_.size(); ++i) kinds[i] = kind_of(whats_[i]);
  std::uint32_t before = 0, around = none, around_ends = none;  // the innermost node that has not ended
  for (std::uint32_t n = 0; n < count_; ++n) {
    for (; around_ends == n; around_ends = around == none ? none : nodes[around].last) around = nodes[around].parent;
    const auto number = static_cast<std::uint8_t>(*at++);
    Kind kind;
    if (number != another) {
      kind = kinds[number];
    } else {
      kind = kind_of(static_cast<What>(static_cast<unsigned>(static_cast<std::uint8_t>(at[0])) << 8 | static_cast<std::uint8_t>(at[1])));
      at += 2;
    }
    before += unfolded(take(at));
    const std::uint32_t length = take(at), last = n + 1 + (kind.has_children ? take(at) : 0);
    nodes[n] = {kind.kind, kind.role, before, before + length, around, last};
    if (kind.has_children) {
      around = n;
      around_ends = last;
    }
  }
}

}  // namespace frx::model::cuda
