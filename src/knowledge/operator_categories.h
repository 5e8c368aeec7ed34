// Which kind of work a kernel of an operator is: data/operators/categories.yaml.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/kernel_classes.h"
#include "knowledge/library.h"

namespace frx::knowledge {

// The names of one kernel and of what launched it.
struct LaunchNames {
  std::string_view kernel;
  std::string_view operation;                     // "": none was recorded
  std::span<const std::string_view> around = {};  // operators and ranges around the launch
};

class OperatorCategories {
 public:
  // Errors name file and line.
  static Result<OperatorCategories> load(const Library& library, const KernelClasses& classes);

  std::size_t size() const { return categories_.size(); }
  std::string_view id(std::size_t category) const { return categories_[category].id; }
  std::string_view title(std::size_t category) const { return categories_[category].title; }
  std::size_t of(const LaunchNames& names) const;

  // The same in parts, for many kernels with few names: the category is the first of what the operator and the ranges around the launch
  // say, and where none of them knows it (size()), what the kernel says.
  std::size_t of_operator(std::string_view name) const;
  std::size_t of_range_around(std::string_view name) const;
  std::size_t of_kernel(std::string_view name) const;
  // Is the operator called like a kernel, so that nothing but its name says what it is?
  bool is_named_like_kernel(std::string_view operation) const;

 private:
  struct Category {
    std::string_view id, title;
    std::vector<std::string_view> around, operators, words, except;
    std::uint64_t classes = 0;  // bits of KernelClasses
  };
  std::vector<Category> categories_;  // the last takes what is left
  std::vector<std::string_view> named_like_kernels_;
  const KernelClasses* classes_ = nullptr;
};

}  // namespace frx::knowledge
