// Which values of a function need no registers of their own, because they are cheap to recompute.
//
//   free       constants, special registers, parameters of a kernel, and what few cheap instructions compute from
//              these alone: the hardware reads them from its constant bank
//   of a root  what few cheap instructions compute from one other value: the addresses of one index in several
//              arrays, a wide integer from a narrow one. While they are live but unused, they count as their root
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "derive/ptx/register_uses.h"
#include "model/ptx_module.h"

namespace frx::derive::ptx {

class CheapValues {
 public:
  CheapValues(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function, const RegisterUses& uses);

  bool is_written_once(std::uint32_t value) const { return definitions_[value] == 1; }
  bool is_free(std::uint32_t value) const { return free_[value]; }
  // The value itself, unless it is computed from another one.
  std::uint32_t root(std::uint32_t value) const { return root_[value]; }
  // Is it computed from its root or from free values, so that it exists only while it is used?
  bool is_made_again(std::uint32_t value) const { return steps_[value] > 0; }

 private:
  void count_definitions(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function);
  void find_root(std::span<const RegisterUse> uses);

  const RegisterUses& uses_;
  std::vector<std::uint8_t> definitions_;  // 2 for more
  std::vector<bool> free_;
  std::vector<std::uint32_t> root_;
  std::vector<std::uint8_t> steps_;  // instructions from its root, or from free values
};

}  // namespace frx::derive::ptx
