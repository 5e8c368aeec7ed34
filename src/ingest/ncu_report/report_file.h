// The container of an Nsight Compute report (.ncu-rep, earlier .nsight-cuprof-report): blocks of a
// header, sources (the code that ran) and results (one per profiled launch), read front to back.
//
//   "NVR\0"  u32 size, FileHeader
//   then, until the end of the file:
//     u32 size, BlockHeader {1 sources, 2 results, 3 session, 4 strings, 5 payload bytes, 6 process, 7 ranges}
//     payload: u32 size, SourceData   (sources times)
//              u32 size, ProfileResult (results + ranges times)
//
// All integers are little endian. There is no checksum and no index.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"

namespace frx::ingest::nsight {

// The bytes of a message, and their position in the file.
struct Message {
  std::string_view bytes;
  std::uint64_t offset = 0;
};

// Receives the content of the file, in its order. Views are valid until the next call.
class BlockVisitor {
 public:
  virtual ~BlockVisitor() = default;
  virtual Result<> block(const Message& header) = 0;
  virtual Result<> source(const Message& source) = 0;
  virtual Result<> result(const Message& result) = 0;
  // A source or a result was skipped because of its size.
  virtual void passed_over(std::uint64_t bytes) = 0;
};

bool begins_report(std::string_view head);

// Reads the file to its last byte. The error names the byte at which the file becomes invalid.
Result<> read_report_file(ByteSource& source, BlockVisitor& visitor, const std::function<void(std::uint64_t)>& progress);

// Runs `read`, which decodes messages; an exception of protozero becomes an error at `offset`.
Result<> decoding(std::string_view what, std::uint64_t offset, const std::function<Result<>()>& read);

}  // namespace frx::ingest::nsight
