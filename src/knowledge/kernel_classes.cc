#include "knowledge/kernel_classes.h"

#include <algorithm>

#include "base/text.h"

namespace frx::knowledge {

Result<KernelClasses> KernelClasses::load(const Library& library) {
  KernelClasses result;
  TRY_ASSIGN(const Value list, library.file("data/kernels/classes.yaml").list("classes"));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value entry = list.item(i);
    if (entry["id"].text().empty() || i >= 64) {
      return fail(ErrorKind::malformed, "expected at most 64 classes, each with an id").at(entry.where());
    }
    result.classes_.push_back({entry["id"].text(), entry["words"].texts(), entry["except"].texts()});
  }
  return result;
}

std::optional<std::size_t> KernelClasses::with_name(std::string_view id) const {
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i].id == id) return i;
  }
  return std::nullopt;
}

std::uint64_t KernelClasses::bit_of(std::string_view id) const {
  const std::optional<std::size_t> at = with_name(id);
  return at ? std::uint64_t{1} << *at : 0;
}

std::uint64_t KernelClasses::of(std::string_view kernel_name) const {
  // Template names run to thousands of characters; the kind of the kernel is at the front.
  const std::string name = to_lower(kernel_name.substr(0, 400));
  const auto has = [&](std::string_view word) { return name.find(word) != name.npos; };
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const Class& kind = classes_[i];
    if (std::any_of(kind.words.begin(), kind.words.end(), has) && std::none_of(kind.except.begin(), kind.except.end(), has)) {
      bits |= std::uint64_t{1} << i;
    }
  }
  return bits;
}

}  // namespace frx::knowledge
