// The source files of a cubin, each once, whatever number each line program gives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ingest/cubin/line_header.h"
#include "ingest/cubin/line_table.h"

namespace frx::ingest::cubin {

class FileTable {
 public:
  // LineTable::none for "". Malformed: more names than a cubin could need.
  Result<std::uint32_t> number_of(std::string path);

  std::vector<std::string> take() && { return std::move(names_); }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::size_t bytes_ = 0;
};

// Maps the numbers of one line program to those of the table. A file enters the table when it is first looked up: programs list every
// header they include and have code of few.
class FilesOfProgram {
 public:
  FilesOfProgram(LineHeader header, FileTable& table) : header_(std::move(header)), table_(table) {}

  Result<std::uint32_t> number_of(std::uint64_t file);
  void add(LineHeader::File file) { header_.files.push_back(file); }

 private:
  LineHeader header_;
  FileTable& table_;
  std::vector<std::optional<std::uint32_t>> asked_;
};

}  // namespace frx::ingest::cubin
