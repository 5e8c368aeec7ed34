// The kind of work of a kernel, as far as its name implies it: matrix products may use tensor cores and reuse data, a copy does neither.
// Names are hints; a class only ever enables a check.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/library.h"

namespace frx::knowledge {

class KernelClasses {
 public:
  static Result<KernelClasses> load(const Library& library);

  std::size_t size() const { return classes_.size(); }
  std::string_view name(std::size_t index) const { return classes_[index].id; }
  std::optional<std::size_t> with_name(std::string_view id) const;
  // The bit of a class in what of() gives; 0 where no class has the name.
  std::uint64_t bit_of(std::string_view id) const;
  // Bit i is set when the name belongs to class i.
  std::uint64_t of(std::string_view kernel_name) const;

 private:
  struct Class {
    std::string_view id;
    std::vector<std::string_view> words;   // lower case; any of them
    std::vector<std::string_view> except;  // none of them
  };
  std::vector<Class> classes_;
};

}  // namespace frx::knowledge
