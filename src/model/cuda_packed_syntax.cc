#include "model/cuda_packed_syntax.h"

#include <memory>

namespace frx::model::cuda {
namespace {

// A node: its kind; its role and what its descendants are; how far behind the node before it it begins; its length.
// Whose child it is follows from the order.
constexpr std::uint8_t role_bits = 0x1F, has_children = 0x20;
static_assert(static_cast<std::uint8_t>(Role::value) <= role_bits);
constexpr std::size_t bytes_at_most = 2 + 3 * 5;

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
  const auto room = std::make_unique_for_overwrite<std::uint8_t[]>(syntax.size() * bytes_at_most);
  std::uint8_t* at = room.get();
  std::uint32_t before = 0;
  for (std::uint32_t n = 0; n < syntax.size(); ++n) {
    const Node& node = syntax[n];
    const std::uint32_t below = node.last - n - 1;
    *at++ = static_cast<std::uint8_t>(node.kind);
    *at++ = static_cast<std::uint8_t>(static_cast<std::uint8_t>(node.role) | (below > 0 ? has_children : 0));
    at = put(at, folded(node.begin - before));
    at = put(at, folded(node.end - node.begin));
    if (below > 0) at = put(at, below);
    before = node.begin;
  }
  bytes_.assign(reinterpret_cast<const char*>(room.get()), static_cast<std::size_t>(at - room.get()));
}

void PackedSyntax::unpack(Syntax& syntax) const {
  syntax.nodes.clear();
  syntax.nodes.reserve(count_);
  const char* at = bytes_.data();
  std::uint32_t before = 0, around = none, around_ends = none;  // the innermost node that has not ended
  for (std::uint32_t n = 0; n < count_; ++n) {
    for (; around_ends == n; around_ends = around == none ? none : syntax.nodes[around].last) around = syntax.nodes[around].parent;
    Node node;
    node.kind = static_cast<NodeKind>(at[0]);
    const auto role = static_cast<std::uint8_t>(at[1]);
    at += 2;
    node.role = static_cast<Role>(role & role_bits);
    node.begin = before + unfolded(take(at));
    node.end = node.begin + unfolded(take(at));
    node.parent = around;
    node.last = n + 1;
    if ((role & has_children) != 0) {
      node.last += take(at);
      around = n;
      around_ends = node.last;
    }
    before = node.begin;
    syntax.nodes.push_back(node);
  }
}

}  // namespace frx::model::cuda
