#include "ingest/cubin/target.h"

#include <algorithm>

#include "ingest/cubin/attributes.h"

namespace frx::ingest::cubin {
namespace {

// Since CUDA 12.9 a section of its own says that the code is for one architecture.
Result<bool> is_for_one_architecture(const ElfFile& elf) {
  constexpr Attribute one_architecture{0x09};
  TRY_ASSIGN(const std::string_view bytes, elf.section(".nv.compat"));
  TRY_ASSIGN(const std::vector<AttributeRecord> records, read_attributes(bytes));
  return std::any_of(records.begin(), records.end(),
                     [&](const AttributeRecord& record) { return record.attribute == one_architecture && (record.value & 0xFF) == 1; });
}

// Code for a family is marked only in the recorded options of ptxas: "... -arch sm_100f -m 64".
Result<bool> is_for_family(const ElfFile& elf, int sm) {
  TRY_ASSIGN(const std::string_view note, elf.section(".note.nv.tkinfo"));
  return note.find(fmt::format("-arch sm_{}f", sm)) != note.npos;
}

}  // namespace

std::string Target::architecture() const {
  std::string name = "sm_" + std::to_string(sm);
  if (suffix != 0) name += suffix;
  return name;
}

// ABI version 8 moved the number of the architecture one byte up.
Result<Target> target_of(const ElfFile& elf) {
  const ElfHeader& header = elf.header();
  const bool old = header.abi_version < 8;
  Target target{static_cast<int>((old ? header.flags : header.flags >> 8) & 0xFF), 0};
  if (target.sm < 10) {
    return fail(ErrorKind::malformed, "expected the architecture in the flags of the cubin, found {:#x}", header.flags);
  }
  constexpr std::uint32_t old_one_architecture = 0x800;
  if (old && (header.flags & old_one_architecture) != 0) target.suffix = 'a';
  if (!old) {
    TRY_ASSIGN(const bool one, is_for_one_architecture(elf));
    TRY_ASSIGN(const bool family, is_for_family(elf, target.sm));
    target.suffix = one ? 'a' : family ? 'f' : char{0};
  }
  return target;
}

}  // namespace frx::ingest::cubin
