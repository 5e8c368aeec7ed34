#include "derive/layout/same_tensor.h"

#include <map>
#include <tuple>

#include "derive/layout/operator_output.h"

namespace frx::derive::layout {
namespace {

// copy_(destination, source); of other copies the source is the first argument.
std::optional<model::TensorIdentity> source_identity(const LayoutTrace& trace, const Copy& copy, const TensorIdentities& identities) {
  if (copy.leaf == none || copy.origin != CopyOrigin::eager || !is_of_layout(copy.kind)) return std::nullopt;
  return identities.input(copy.leaf, plain_name(trace.name(copy.leaf)) == "copy_" ? 1 : 0);
}

}  // namespace

SameTensor copies_of_same_tensor(const LayoutTrace& trace, std::span<const Copy> copies, const TensorIdentities* identities) {
  SameTensor same;
  if (!identities) return same;
  same.tensor.assign(copies.size(), SameTensor::unknown);
  same.is_first.assign(copies.size(), true);
  // Step, storage, offset and elements; sizes, strides and types of source and destination. The last copy of each.
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::int64_t, std::int64_t, std::uint32_t>, std::uint32_t> last;
  for (std::uint32_t i = 0; i < copies.size(); ++i) {
    const std::optional<model::TensorIdentity> source = source_identity(trace, copies[i], *identities);
    if (!source) continue;
    const auto [at, is_new] =
        last.try_emplace({copies[i].step, source->storage, source->offset, source->elements, trace.signature(copies[i].leaf)}, i);
    if (is_new || !identities->is_unchanged(source->storage, copies[at->second].leaf, copies[i].leaf)) {
      same.tensor[i] = static_cast<std::uint32_t>(same.copies.size());
      same.copies.push_back(1);
    } else {
      same.tensor[i] = same.tensor[at->second];
      same.is_first[i] = false;
      ++same.copies[same.tensor[i]];
    }
    at->second = i;
  }
  return same;
}

}  // namespace frx::derive::layout
