#include "ingest/cubin/resources.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/demangle.h"
#include "ingest/cubin/attributes.h"
#include "ingest/cubin/elf_file.h"
#include "ingest/cubin/machine_code.h"
#include "ingest/cubin/spills.h"
#include "ingest/cubin/target.h"

namespace frx::ingest::cubin {
namespace {

constexpr std::string_view code_prefix = ".text.";
constexpr std::uint16_t relocatable_file = 1;
constexpr std::uint8_t function_symbol = 2;
constexpr std::uint8_t entry_of_kernel = 0x10;
constexpr std::uint32_t unknown_size = 0xFFFFFFFF;
constexpr int first_sm_with_reserved_shared = 90;
constexpr std::uint64_t reserved_shared = 1024;

// Numbers of .nv.info that belong to one symbol.
struct OfSymbol {
  std::optional<std::uint32_t> registers, frame, stack;
};

// The sections that belong to one function, by the prefix before its name.
struct SectionsOf {
  const ElfSection* info = nullptr;
  const ElfSection* shared = nullptr;
  const ElfSection* constant = nullptr;
};

model::Dim3 three(const AttributeRecord& record) { return {record.number(0), record.number(1), record.number(2)}; }

class Reader {
 public:
  Reader(const ElfFile& elf, Target target) : elf_(elf), target_(target), relocatable_(elf.header().type == relocatable_file) {}

  Result<std::vector<model::KernelResources>> read(std::size_t file_bytes) {
    unread_ = file_bytes;
    TRY_ASSIGN(symbols_, elf_.symbols());
    TRY(read_numbers_of_symbols());
    find_sections();
    find_frames_of_callees();
    std::vector<model::KernelResources> kernels;
    std::unordered_set<const ElfSection*> seen;  // a kernel that has several symbols is one
    for (const ElfSymbol& symbol : symbols_) {
      const ElfSection* const code = code_of_kernel(symbol);
      if (!code || !seen.insert(code).second) continue;
      TRY_ASSIGN(model::KernelResources kernel, kernel_of(symbol, *code));
      kernels.push_back(std::move(kernel));
    }
    return kernels;
  }

 private:
  Result<> read_numbers_of_symbols() {
    TRY_ASSIGN(const std::string_view bytes, elf_.section(".nv.info"));
    TRY_ASSIGN(const std::vector<AttributeRecord> records, read_attributes(bytes));
    for (const AttributeRecord& record : records) {
      if (record.numbers() < 2) continue;
      OfSymbol& numbers = numbers_[record.number(0)];
      if (record.attribute == Attribute::register_count) numbers.registers = record.number(1);
      if (record.attribute == Attribute::frame_size) numbers.frame = record.number(1);
      if (record.attribute == Attribute::min_stack_size) numbers.stack = record.number(1);
    }
    return {};
  }

  void find_sections() {
    constexpr std::string_view info = ".nv.info.", shared = ".nv.shared.", constant = ".nv.constant0.";
    for (const ElfSection& one : elf_.sections()) {
      if (one.name.starts_with(info)) sections_[one.name.substr(info.size())].info = &one;
      if (one.name.starts_with(shared)) sections_[one.name.substr(shared.size())].shared = &one;
      if (one.name.starts_with(constant)) sections_[one.name.substr(constant.size())].constant = &one;
    }
  }

  // A function that was not inlined follows its kernel in the same section.
  void find_frames_of_callees() {
    for (const ElfSymbol& symbol : symbols_) {
      if (symbol.type != function_symbol || (symbol.other & entry_of_kernel) != 0) continue;
      std::uint64_t& largest = callee_frames_[symbol.section];
      largest = std::max<std::uint64_t>(largest, numbers_of(symbol).frame.value_or(0));
    }
  }

  const ElfSection* code_of_kernel(const ElfSymbol& symbol) const {
    if (symbol.type != function_symbol || (symbol.other & entry_of_kernel) == 0 || symbol.name.empty()) return nullptr;
    if (symbol.section == 0 || symbol.section >= elf_.sections().size()) return nullptr;
    const ElfSection& section = elf_.sections()[symbol.section];
    return section.name.starts_with(code_prefix) && section.name.substr(code_prefix.size()) == symbol.name ? &section : nullptr;
  }

  OfSymbol numbers_of(const ElfSymbol& symbol) const {
    const auto found = numbers_.find(symbol.number);
    return found == numbers_.end() ? OfSymbol() : found->second;
  }

  Result<model::KernelResources> kernel_of(const ElfSymbol& symbol, const ElfSection& section) {
    model::KernelResources kernel;
    kernel.name = symbol.name;
    kernel.demangled = demangled(symbol.name, budget_);
    kernel.architecture = target_.architecture();
    kernel.cc = target_.cc();
    kernel.relocatable = relocatable_;
    const auto found = sections_.find(symbol.name);
    const SectionsOf sections = found == sections_.end() ? SectionsOf() : found->second;
    TRY_ASSIGN(const std::string_view code, bytes_of(section));
    kernel.code_bytes = code.size();  // a section may claim a size and have no bytes
    std::vector<AttributeRecord> attributes;
    if (sections.info) {
      TRY_ASSIGN(const std::string_view bytes, bytes_of(*sections.info));
      TRY_ASSIGN(attributes, read_attributes(bytes));
    }
    add_attributes(attributes, kernel);
    add_header_numbers(section, kernel);
    add_code(code, attributes, kernel);
    add_symbol_numbers(symbol, kernel);
    add_memory(sections, kernel);
    return kernel;
  }

  // The sections and names of all kernels are together no larger than the file: otherwise hostile sections that all cover the same bytes
  // would take time and memory in proportion to their number.
  Result<std::string_view> bytes_of(const ElfSection& section) {
    TRY_ASSIGN(const std::string_view bytes, elf_.bytes_of(section));
    const std::size_t taken = bytes.size() + section.name.size();
    if (taken > unread_) return fail(ErrorKind::malformed, "the sections of the kernels overlap");
    unread_ -= taken;
    return bytes;
  }

  void add_attributes(const std::vector<AttributeRecord>& attributes, model::KernelResources& kernel) const {
    if (elf_.header().abi_version < 8 && elf_.header().version > 1) kernel.cuda_version = elf_.header().version;
    kernel.driver_functions = 0;
    for (const AttributeRecord& record : attributes) {
      switch (record.attribute) {
        case Attribute::parameter_bytes: kernel.parameter_bytes = record.value; break;
        case Attribute::externs: kernel.driver_functions = static_cast<std::uint32_t>(record.numbers()); break;
        case Attribute::barriers: kernel.barriers = record.value & 0xFF; break;
        case Attribute::register_limit:
          if (record.value < 255) kernel.register_limit = record.value;
          break;
        case Attribute::cuda_version: kernel.cuda_version = record.number(0); break;
        case Attribute::max_cluster_size: kernel.max_cluster_size = record.number(0); break;
        case Attribute::max_threads: kernel.max_threads = three(record); break;
        case Attribute::required_threads: kernel.required_threads = three(record); break;
        case Attribute::cluster: kernel.cluster = three(record); break;
        default: break;
      }
    }
  }

  // Where the compilers before CUDA 12.9 (ABI version 7) keep registers and barriers.
  void add_header_numbers(const ElfSection& section, model::KernelResources& kernel) const {
    if (elf_.header().abi_version < 8) kernel.barriers = static_cast<std::uint32_t>(section.flags >> 20 & 0x7F);
    if (section.info >> 24 != 0) kernel.registers_per_thread = section.info >> 24;
    if (!kernel.barriers) kernel.barriers = 0;
  }

  void add_code(std::string_view code, const std::vector<AttributeRecord>& attributes, model::KernelResources& kernel) const {
    if (target_.sm < first_sm_of_wide_instructions) return;
    const CodeFacts facts = facts_of(code);
    kernel.local = facts.local;
    kernel.indirect_calls = facts.indirect_calls;
    kernel.spills = spills_of(code, facts.local, attributes, kernel.cuda_version.value_or(0));
  }

  void add_symbol_numbers(const ElfSymbol& symbol, model::KernelResources& kernel) const {
    const OfSymbol numbers = numbers_of(symbol);
    if (numbers.registers) kernel.registers_per_thread = numbers.registers;
    if (numbers.frame) kernel.frame_bytes = *numbers.frame;
    if (!numbers.stack || *numbers.stack == unknown_size) return;
    // ptxas writes 0 for a kernel that calls a recursive function.
    const auto callee = callee_frames_.find(symbol.section);
    const bool too_small = callee != callee_frames_.end() && callee->second > *numbers.stack;
    const bool impossible = *numbers.stack == 0 && kernel.local && *kernel.local != model::LocalAccesses();
    if (!too_small && !impossible) kernel.stack_bytes = *numbers.stack;
  }

  // A missing section means a size of 0.
  void add_memory(const SectionsOf& sections, model::KernelResources& kernel) const {
    if (sections.constant) kernel.constant_bytes = sections.constant->size;
    const std::uint64_t size = sections.shared ? sections.shared->size : 0;
    const bool reserved = !relocatable_ && target_.sm >= first_sm_with_reserved_shared && size >= reserved_shared;
    kernel.reserved_shared_bytes = reserved ? reserved_shared : 0;
    kernel.static_shared_bytes = size - *kernel.reserved_shared_bytes;
  }

  const ElfFile& elf_;
  const Target target_;
  const bool relocatable_;
  std::vector<ElfSymbol> symbols_;
  std::unordered_map<std::uint32_t, OfSymbol> numbers_;             // by number of the symbol
  std::unordered_map<std::string_view, SectionsOf> sections_;       // by name of the function
  std::unordered_map<std::uint16_t, std::uint64_t> callee_frames_;  // by section: of the functions after the kernel
  DemanglingBudget budget_;
  std::size_t unread_ = 0;  // bytes of the file that no kernel has used yet
};

// Damage of the section table would hide kernels, and a file without kernels looks healthy: all code has to be code of a function.
Result<> find_damage(const ElfFile& elf) {
  if (elf.sections().size() <= 1) return fail(ErrorKind::malformed, "the cubin has no section table");
  TRY_ASSIGN(const std::vector<ElfSymbol> symbols, elf.symbols());
  std::vector<bool> has_function(elf.sections().size());
  for (const ElfSymbol& symbol : symbols) {
    if (symbol.type != function_symbol || symbol.section >= has_function.size()) continue;
    const std::string_view section = elf.sections()[symbol.section].name;
    if (section.starts_with(code_prefix) && section.substr(code_prefix.size()) == symbol.name) has_function[symbol.section] = true;
  }
  bool has_code = false;
  for (std::size_t i = 1; i < elf.sections().size(); ++i) {
    const ElfSection& one = elf.sections()[i];
    if (!one.is_code()) continue;
    has_code = true;
    if (!one.name.starts_with(code_prefix))
      return fail(ErrorKind::malformed, "the cubin is damaged: section {} is code without a name that can be read", i);
    if (!has_function[i]) return fail(ErrorKind::malformed, "the cubin is damaged: {} is code of no function", one.name);
  }
  if (!has_code && elf.loads_code()) return fail(ErrorKind::malformed, "the cubin is damaged: it loads code that is in no section");
  return {};
}

}  // namespace

Result<std::vector<model::KernelResources>> read_kernel_resources(std::string_view cubin) {
  TRY_ASSIGN(const ElfFile elf, ElfFile::open(cubin));
  TRY_ASSIGN(const Target target, target_of(elf));
  TRY(find_damage(elf));
  return Reader(elf, target).read(cubin.size());
}

}  // namespace frx::ingest::cubin
