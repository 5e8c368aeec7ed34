// The members of a static library: object files one after the other, as `ar` and `nvcc -lib` store them.
//
//   !<arch>\n                                                        8 bytes
//   kernels.cu.o/   0           0     0     644     9176      `\n    60 bytes: name, date, owner, group, mode, size
//   7f 45 4c 46 ...                                                  the member, and a line feed when its size is odd
//
// A name ends with '/'. One of more than 15 characters is stored in the member called "//" and is "/12" for the one at its byte 12;
// archives of BSD and macOS write "#1/12", and the member begins with 12 bytes of name. "/" and "/SYM64/" are indexes of symbols. A thin
// archive begins with "!<thin>\n" and holds names only.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::ingest::fatbin {

struct ArchiveMember {
  std::string_view name, bytes;
  std::uint64_t position = 0;  // of its bytes in the archive
};

// Also true for a thin one.
bool begins_archive(std::string_view head);

// The members in the order of the file, without indexes. Views into `file`. Malformed: a thin archive, or one that is damaged.
Result<std::vector<ArchiveMember>> members_of_archive(std::string_view file);

}  // namespace frx::ingest::fatbin
