// The source files and lines of the measured instructions, from the cubins in a report.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/cubin/line_table.h"
#include "ingest/ncu_report/code_counters.h"
#include "ingest/ncu_report/report.h"

namespace frx::ingest::nsight {

class CodePlaces {
 public:
  // Reads the source while its bytes are valid. A repeated reference adds functions only.
  void take(const SourceData& source);

  // Names functions and sets the places of instructions, as far as they are known.
  void resolve(CodeCounters::Code& code) const;

  // Cubins with lines that could not be read, and why the first could not.
  std::uint64_t damaged() const { return damaged_; }
  const std::string& why_damaged() const { return why_damaged_; }
  // Cubins with lines that were skipped because those before take enough memory.
  std::uint64_t passed_over() const { return passed_over_; }

 private:
  struct Text {
    std::string text;
    std::vector<std::uint32_t> lines;                   // where each begins
    std::string_view line(std::uint32_t number) const;  // from 1; "" beyond the end
  };
  struct Binary {
    bool has_cubin = false;
    std::size_t fingerprint = 0;  // of the cubin
    bool ambiguous = false;       // several programs use the reference for different code
    cubin::LineTable lines;
    std::map<std::uint64_t, std::string> functions;  // by address
    std::map<std::string, Text, std::less<>> texts;  // by path
  };

  void read_lines(std::string_view cubin, Binary& into);
  void keep_texts(const std::vector<SourceData::File>& files, Binary& into);

  std::map<std::uint64_t, Binary> binaries_;  // by reference
  std::size_t rows_ = 0, text_bytes_ = 0, functions_ = 0;
  std::uint64_t damaged_ = 0, passed_over_ = 0;
  std::string why_damaged_;
};

}  // namespace frx::ingest::nsight
