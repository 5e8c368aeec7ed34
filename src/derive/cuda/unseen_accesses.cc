#include "derive/cuda/unseen_accesses.h"

#include <algorithm>

namespace frx::derive::cuda {

bool UnseenAccesses::any_in(std::uint32_t in, std::uint32_t root) const {
  if (seen_.empty()) {
    for (const Access& access : view_.trace.accesses) seen_.emplace(access.at.source, access.at.node);
  }
  const Source& source = view_.program.sources()[in];
  for (std::uint32_t n = root; n < source.syntax[root].last; ++n) {
    // `&x`, and `(&x)[i]`: what x is stands elsewhere.
    const std::uint32_t object = source.syntax.child(n, Role::argument);
    const bool is_address = source.text_of(n).starts_with('&') || (object != none && source.text_of(object).starts_with("(&"));
    if (is_address || (!source.syntax.is(n, NodeKind::subscript) && !source.syntax.is(n, NodeKind::pointer_expression))) continue;
    // Of a[i][j] and p[i].x all is one access.
    bool is_seen = false;
    constexpr int most_around = 8;
    std::uint32_t p = n;
    for (int i = 0; i < most_around && p != none && !is_seen; ++i, p = source.syntax[p].parent) is_seen = seen_.contains({in, p});
    if (!is_seen) return true;
  }
  return false;
}

bool UnseenAccesses::any_in(const Loop& loop) const {
  if (any_in(loop.at.source, loop.at.node)) return true;
  return std::any_of(view_.trace.functions.begin() + 1, view_.trace.functions.end(), [&](std::uint32_t f) {
    const Function& function = view_.program.functions()[f];
    return any_in(function.at.source, function.body);
  });
}

}  // namespace frx::derive::cuda
