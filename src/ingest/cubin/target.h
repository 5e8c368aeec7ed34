// Which GPUs a cubin is for, from the header of the ELF file.
#pragma once

#include <string>

#include "base/result.h"
#include "ingest/cubin/elf_file.h"
#include "model/session.h"

namespace frx::ingest::cubin {

struct Target {
  int sm = 0;       // 90
  char suffix = 0;  // 'a': for this architecture only, 'f': for its family, 0: for all of the same major version from it on

  model::ComputeCapability cc() const { return {sm / 10, sm % 10}; }
  std::string architecture() const;  // "sm_90a"
};

// Malformed: the header names no architecture.
Result<Target> target_of(const ElfFile& elf);

}  // namespace frx::ingest::cubin
