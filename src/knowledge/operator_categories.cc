#include "knowledge/operator_categories.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace frx::knowledge {
namespace {

// Template names run to thousands of characters; what a kernel does stands at the front.
constexpr std::size_t read_of_name = 400;

bool has_any(std::string_view name, const std::vector<std::string_view>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != name.npos; });
}

}  // namespace

Result<OperatorCategories> OperatorCategories::load(const Library& library, const KernelClasses& classes) {
  OperatorCategories result;
  result.classes_ = &classes;
  const Value file = library.file("data/operators/categories.yaml");
  result.named_like_kernels_ = file["named_like_kernels"].texts();
  TRY_ASSIGN(const Value list, file.list("categories"));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value entry = list.item(i);
    Category one{entry["id"].text(),         entry["title"].text(),  entry["around"].texts(),
                 entry["operators"].texts(), entry["words"].texts(), entry["except"].texts()};
    if (one.id.empty() || one.title.empty())
      return fail(ErrorKind::malformed, "expected a category with an id and a title").at(entry.where());
    for (const std::string_view name : entry["kernels"].texts()) {
      const std::optional<std::size_t> bit = classes.with_name(name);
      if (!bit) return fail(ErrorKind::malformed, "no class of kernels is called '{}'", name).at(entry["kernels"].where());
      one.classes |= std::uint64_t{1} << *bit;
    }
    result.categories_.push_back(std::move(one));
  }
  if (result.categories_.empty()) return fail(ErrorKind::malformed, "expected categories").at(file.where());
  return result;
}

std::size_t OperatorCategories::of_operator(std::string_view operation) const {
  const std::string name = to_lower(operation.substr(0, read_of_name));
  const auto fits = [&](const Category& one) { return has_any(name, one.operators) && !has_any(name, one.except); };
  return static_cast<std::size_t>(std::ranges::find_if(categories_, fits) - categories_.begin());
}

std::size_t OperatorCategories::of_range_around(std::string_view range) const {
  const std::string name = to_lower(range.substr(0, read_of_name));
  const auto fits = [&](const Category& one) { return has_any(name, one.around); };
  return static_cast<std::size_t>(std::ranges::find_if(categories_, fits) - categories_.begin());
}

std::size_t OperatorCategories::of_kernel(std::string_view kernel) const {
  const std::string name = to_lower(kernel.substr(0, read_of_name));
  const std::uint64_t bits = classes_->of(kernel);
  for (std::size_t i = 0; i + 1 < categories_.size(); ++i) {
    const Category& one = categories_[i];
    if (((bits & one.classes) != 0 || has_any(name, one.words)) && !has_any(name, one.except)) return i;
  }
  return size() - 1;
}

bool OperatorCategories::is_named_like_kernel(std::string_view operation) const {
  return std::ranges::any_of(named_like_kernels_, [&](std::string_view word) { return operation.starts_with(word); });
}

std::size_t OperatorCategories::of(const LaunchNames& names) const {
  if (is_named_like_kernel(names.operation)) return of_kernel(names.operation);
  std::size_t known = of_operator(names.operation);
  for (const std::string_view range : names.around) known = std::min(known, of_range_around(range));
  return known < size() ? known : of_kernel(names.kernel);
}

}  // namespace frx::knowledge
