#include "derive/cuda/mentions.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"

namespace frx::derive::cuda {
namespace {

bool may_be_name(NodeKind kind) {
  return kind == NodeKind::identifier || kind == NodeKind::field_identifier || kind == NodeKind::type_identifier ||
         kind == NodeKind::primitive_type || kind == NodeKind::namespace_identifier || kind == NodeKind::other;
}

// Is a kernel an argument of a call other than those that only ask about it, such as cudaFuncSetAttribute()?
bool is_handed_on(const Source& source, std::uint32_t kernel) {
  const model::cuda::Syntax& syntax = source.syntax;
  std::uint32_t list = syntax[kernel].parent;
  if (syntax.is(list, NodeKind::pointer_expression)) list = syntax[list].parent;  // &k
  if (list == none || !syntax.is(list, NodeKind::argument_list)) return false;
  const std::string_view called = source.text_of(syntax.child(syntax[list].parent, Role::function));
  return !called.starts_with("cudaFunc") && !called.starts_with("cudaOccupancy");
}

// Of the nodes from `first` to before `last`.
Mentions mentions_among(const Program& program, std::uint32_t index, std::uint32_t first, std::uint32_t last) {
  const Source& source = program.sources()[index];
  Mentions mentions;
  for (std::uint32_t n = first; n < last; ++n) {
    const NodeKind kind = source.syntax.kind(n);
    if (kind == NodeKind::kernel_call_syntax) mentions.launch_nodes.push_back(n);
    if (!may_be_name(kind) || source.syntax[n].last != n + 1) continue;
    const std::uint32_t name = program.defined(source.text_of(n));
    if (name == none) continue;
    const Defined& defined = program.definitions(name);
    if (defined.is_kernel && kind == NodeKind::identifier) {
      mentions.launch_nodes.push_back(n);
      if (is_handed_on(source, n)) mentions.handed_on.push_back(name);
    }
    if (defined.is_in_several || defined.file != index) mentions.names.push_back(name);
  }
  return mentions;
}

}  // namespace

// A large file is looked at in parts, on all cores.
Mentions mentions_in(const Program& program, std::uint32_t index) {
  constexpr std::uint32_t part = 65'536;  // nodes
  const std::uint32_t size = program.sources()[index].syntax.size();
  std::vector<Mentions> found(size / part + 1);
  for_each_in_parallel(found.size(), [&](std::size_t i) {
    const std::uint32_t first = static_cast<std::uint32_t>(i) * part;
    found[i] = mentions_among(program, index, first, std::min(size, first + part));
  });
  Mentions mentions = std::move(found.front());
  for (Mentions& more : std::span(found).subspan(1)) {
    mentions.launch_nodes.insert(mentions.launch_nodes.end(), more.launch_nodes.begin(), more.launch_nodes.end());
    mentions.names.insert(mentions.names.end(), more.names.begin(), more.names.end());
    mentions.handed_on.insert(mentions.handed_on.end(), more.handed_on.begin(), more.handed_on.end());
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
