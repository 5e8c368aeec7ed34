#include "derive/cuda/mentions.h"

#include <algorithm>

namespace frx::derive::cuda {
namespace {

bool may_be_name(NodeKind kind) {
  return kind == NodeKind::identifier || kind == NodeKind::field_identifier || kind == NodeKind::type_identifier ||
         kind == NodeKind::primitive_type || kind == NodeKind::namespace_identifier || kind == NodeKind::other;
}

}  // namespace

Mentions mentions_in(const Program& program, std::uint32_t index) {
  const Source& source = program.sources()[index];
  Mentions mentions;
  for (std::uint32_t n = 0; n < source.syntax.size(); ++n) {
    const NodeKind kind = source.syntax.kind(n);
    if (kind == NodeKind::kernel_call_syntax) mentions.launch_nodes.push_back(n);
    if (!may_be_name(kind) || source.syntax[n].last != n + 1) continue;
    const std::uint32_t name = program.defined(source.text_of(n));
    if (name == none) continue;
    const Defined& defined = program.definitions(name);
    if (defined.is_kernel && kind == NodeKind::identifier) mentions.launch_nodes.push_back(n);
    if (defined.is_in_several || defined.file != index) mentions.names.push_back(name);
  }
  std::ranges::sort(mentions.names);
  mentions.names.erase(std::ranges::unique(mentions.names).begin(), mentions.names.end());
  return mentions;
}

// Starts from the last file: what it leads to is not needed by any later one. Each file and each name is followed once.
std::vector<std::uint32_t> last_users(const Program& program, std::span<const Mentions> all) {
  std::vector<std::uint32_t> last(all.size(), none), to_follow;
  std::vector<bool> is_followed(program.name_count());
  for (auto user = static_cast<std::uint32_t>(all.size()); user-- > 0;) {
    to_follow.push_back(user);
    while (!to_follow.empty()) {
      const std::uint32_t file = to_follow.back();
      to_follow.pop_back();
      if (last[file] != none) continue;
      last[file] = user;
      for (const std::uint32_t name : all[file].names) {
        if (is_followed[name]) continue;
        is_followed[name] = true;
        const std::span<const std::uint32_t> files = program.files_defining(name);
        to_follow.insert(to_follow.end(), files.begin(), files.end());
      }
    }
  }
  return last;
}

}  // namespace frx::derive::cuda
