// Facts about the code of one PTX kernel: how many instructions of which kind it has, what it declares, how it branches, how many
// registers it needs at once.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "derive/ptx/access_summary.h"
#include "derive/ptx/liveness.h"
#include "model/code_subject.h"
#include "model/ptx_module.h"

namespace frx::derive::ptx {

inline constexpr std::size_t category_count = static_cast<std::size_t>(::frx::model::ptx::Category::other) + 1;

// The limits on the registers of a thread: the registers of an SM, and the most threads that share them.
struct SmRegisters {
  std::uint32_t registers = 65536;  // on every architecture since Maxwell
  std::uint32_t threads = 2048;     // 1024 and 1536 on some
};

struct KernelFacts {
  const ::frx::model::ptx::Function* function = nullptr;
  std::string_view name;
  std::uint64_t instructions = 0;
  std::array<std::uint64_t, category_count> mix{};  // by Category

  // Declared registers, before allocation; 64-bit types count twice.
  std::uint64_t virtual_registers = 0;
  std::vector<std::pair<::frx::model::ptx::Type, std::uint64_t>> registers_by_type;
  Pressure pressure;  // registers that are live at once
  // The most registers per thread that .maxnreg, or .maxntid with .minnctapersm, allow; 0: no such limit.
  std::uint32_t register_budget = 0;

  std::uint64_t local_bytes = 0;   // of .local variables: the stack of a thread
  std::uint64_t shared_bytes = 0;  // of .shared variables of the function, static
  bool dynamic_shared = false;     // uses memory whose size the launch gives

  std::uint64_t branches = 0;  // all bra and brx.idx
  std::uint64_t conditional_branches = 0;
  std::uint64_t divergent_branches = 0;  // conditional ones that may diverge within a warp
  bool divergence_known = false;
  std::uint64_t loops = 0;
  std::uint32_t loop_depth = 0;
  std::uint64_t fp64_memory_operations = 0;
  std::uint64_t barriers = 0;
  std::uint64_t asynchronous_copies = 0;
  std::uint64_t calls = 0;

  AccessSummary accesses;

  // Where each category, a divergent branch and the highest register pressure occur first.
  std::array<std::uint32_t, category_count> first{};  // number of the instruction in the module, or none
  std::uint32_t first_divergent_branch = none;

  std::uint64_t of(::frx::model::ptx::Category category) const { return mix[static_cast<std::size_t>(category)]; }
  std::uint64_t global_accesses() const;
  std::uint64_t shared_accesses() const;
  std::uint64_t local_accesses() const;
  // Share of all instructions, 0 to 1; 0 without instructions.
  double global_ratio() const;
  double conditional_branch_density() const;
  double divergent_branch_density() const;
};

// `words` belongs to this module; the caller passes it so that it is built only once. Takes time nearly linear in the size of the
// function.
KernelFacts kernel_facts(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function, Vocabulary& words,
                         const SmRegisters& sm = {});
KernelFacts kernel_facts(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function, const SmRegisters& sm = {});

// Where an instruction stands in the PTX, and in its source when .loc says so.
::frx::model::TextPlace place_of(const ::frx::model::ptx::Module& module, std::uint32_t instruction);

}  // namespace frx::derive::ptx
