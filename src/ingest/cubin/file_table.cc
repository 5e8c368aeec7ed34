#include "ingest/cubin/file_table.h"

#include <utility>

namespace frx::ingest::cubin {

Result<std::uint32_t> FileTable::number_of(std::string path) {
  // A short entry can name a long folder, so that names may take far more memory than the bytes they come from.
  constexpr std::size_t max_bytes = std::size_t{16} << 20;
  if (path.empty()) return LineTable::none;
  if (const auto known = numbers_.find(path); known != numbers_.end()) return known->second;
  bytes_ += path.size();
  if (bytes_ > max_bytes) return fail(ErrorKind::malformed, "expected less than 16 MB of file names in a cubin");
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.push_back(path);
  numbers_.emplace(std::move(path), number);
  return number;
}

Result<std::uint32_t> FilesOfProgram::number_of(std::uint64_t file) {
  if (file >= header_.files.size()) return LineTable::none;
  if (asked_.size() < header_.files.size()) asked_.resize(header_.files.size());
  std::optional<std::uint32_t>& number = asked_[file];
  if (number) return *number;
  TRY_ASSIGN(number, table_.number_of(header_.path(file)));
  return *number;
}

}  // namespace frx::ingest::cubin
