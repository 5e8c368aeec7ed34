// A whole report: launches with the names of their metrics, sources and facts of the session, delivered in the order of the file and in
// bounded memory.
//
// Names of metrics are numbers into one table that is spread over the headers of all blocks, and a later
// block may name what an earlier result already uses. Such a result waits until its names are known.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/ncu_report/launch.h"
#include "ingest/ncu_report/report_file.h"

namespace frx::ingest::nsight {

// The code that ran (message SourceData): usually one cubin per kernel.
struct SourceData {
  std::uint64_t reference = 0;  // what Launch::source refers to
  std::string_view cubin;       // ELF, may be empty
  std::string_view ptx;
  int sm_major = 0, sm_minor = 0;  // 8.6 -> 8, 6; 0 when not stated
  struct Function {
    std::string_view mangled;
    std::uint64_t address = 0;  // where its code began in the memory of the GPU
  };
  std::vector<Function> functions;  // the same reference may come again with these only
  struct File {
    std::string_view path, text;  // with --import-source
  };
  std::vector<File> files;
};

struct Device {
  std::uint64_t id = 0;
  std::string name;  // "NVIDIA A100-SXM4-40GB"
};

// Facts of the session, merged over all blocks. The file also holds names of hosts and users; they are private and not kept.
struct SessionFacts {
  std::map<std::string, std::string> versions;  // "CUDA Version", "Nsight Compute Target" ... -> text
  std::vector<Device> devices;
  std::uint64_t created = 0;         // seconds since 1970, 0 when not stated
  std::string tool_version() const;  // "2024.3.2.0", "" before 2020
};

struct Totals {
  std::uint64_t blocks = 0, sources = 0, results = 0;
  std::uint64_t passed_over = 0;     // entries that are skipped because of their size
  std::uint64_t unnamed_values = 0;  // values whose name the file does not contain
  std::uint64_t unknown_fields = 0;  // unknown fields of known messages
};

class StringTable {
 public:
  void add(std::string_view text) { strings_.emplace_back(text); }
  std::size_t size() const { return strings_.size(); }
  // "" for a number beyond the table.
  std::string_view operator[](std::uint32_t id) const { return id < strings_.size() ? strings_[id] : std::string_view(); }

 private:
  std::deque<std::string> strings_;  // views into it stay valid
};

// Called from several threads; but for prepare(), by one at a time.
class ReportConsumer {
 public:
  virtual ~ReportConsumer() = default;
  // Works out what does not depend on other launches, into Launch::prepared; several threads at once.
  virtual void prepare(Launch& /*launch*/) const {}
  // All names of the launch are in `names`, but for those the file does not contain at all.
  virtual Result<> launch(const Launch& launch, std::uint64_t process, const StringTable& names) = 0;
  virtual Result<> source(const SourceData& source) = 0;
};

struct ReportSummary {
  SessionFacts session;
  Totals totals;
};

// Reads to the last byte. Errors name the byte; the part that was consumed before an error is not a whole report.
Result<ReportSummary> read_report(ByteSource& source, ReportConsumer& consumer, const std::function<void(std::uint64_t)>& progress = {});

// Grid in blocks, whatever the tool version: `grid_dim` are the metrics launch__grid_dim_x/y/z, `grid_size` is
// launch__grid_size, where the launch has them.
std::array<std::uint64_t, 3> grid_of(const Launch& launch, const std::optional<std::array<std::uint64_t, 3>>& grid_dim,
                                     std::optional<std::uint64_t> grid_size);

}  // namespace frx::ingest::nsight
