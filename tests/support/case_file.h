// One golden case: a readable file that holds input, command, exit code and what is printed.
//
//   # Says which line of a truncated export is short.
//   # RUN: profile --ncu report.csv
//   # EXIT: 1
//   --- report.csv
//   "ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
//   "0","axpy"
//   --- stderr
//   frx: report.csv:2: row has 2 fields, its header has 5
//
// tests/README.md lists every directive and option.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace frx::testing {

struct CaseRun {
  std::vector<std::string> words;  // the arguments of frx, quoted as in a shell, $NAME not expanded
  int exit = 0;
};

struct Section {
  std::string name;                  // "report.csv", "stdout", "out:frx_summary.txt", "host:/proc/..."
  std::vector<std::string> options;  // "crlf", "base64", "utf16", "from yaml", "from sql", "from cluster", "executable", "no newline"
  std::string text;                  // as it stands in the case, each line with its '\n'

  bool has(std::string_view option) const;
};

struct Case {
  std::string path;
  std::vector<std::string> head;  // the `#` lines as they stand
  std::string summary;
  std::vector<CaseRun> runs;
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> needs;  // REQUIRES
  std::string program = "frx";
  std::string input;  // STDIN: a file of the case
  int width = 80;
  std::vector<Section> sections;

  // nullptr when there is none.
  const Section* section(std::string_view name) const;
};

// Is it something the case gives, rather than something it expects?
bool is_input(const Section& section);
// "frx_summary.txt" of "out:frx_summary.txt", else "".
std::string_view output_file(const Section& section);

Result<Case> parse_case(std::string path, std::string_view text);

// The case as a file. `parse_case` of it gives the same case.
std::string to_text(const Case& one);

// The bytes that the text of a section stands for, or what is wrong with it.
Result<std::string> bytes_of(const Section& section);
// The section text that stands for `bytes`, which have to be text. Sets or drops "no newline".
void set_bytes(Section& section, std::string_view bytes);

}  // namespace frx::testing
