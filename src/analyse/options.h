// What a person may say about an analysis besides its inputs.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "capture/host.h"
#include "report/analyse.h"
#include "report/ranks_analyst.h"

namespace frx::analyse {

// Whether CUDA source is compiled to PTX, which confirms or withdraws what was found.
enum class PtxUse : std::uint8_t {
  no,
  automatic,  // where a compiler is found, for a few files that are named one by one, while they compile in time
  yes,
};

// Which compilers are asked about code.
struct CompilerOptions {
  PtxUse with_ptx = PtxUse::no;
  std::vector<std::string> build_flags;  // for that compiler
  bool with_ptxas = false;               // let ptxas compile PTX
  std::string ptxas_log;                 // what it once printed: a path, or ""
};

// How CUDA source is built, as far as its macros and headers go.
struct BuildOptions {
  std::vector<std::string> include_folders;  // of -I
  std::vector<std::string> definitions;      // of -D: "N=4", "FAST"
  std::string compile_commands;              // a compile_commands.json; "": the one in a folder of the source or above it
  std::vector<std::string> roots;            // folders outside of which no header and no compile_commands.json is opened; empty: none such
};

struct Options {
  report::AnalysisOptions knowledge = {};
  std::string scope = "auto";  // of a run: run, steady_state, auto
  CompilerOptions compilers = {};
  BuildOptions build = {};
  const capture::Host* host = &capture::this_machine();
  // Told of every large input that is opened; gives the callback for its progress, or nothing.
  report::OpenEach progress = {};
  // Told how many of the files of a program have been analysed.
  std::function<void(std::size_t done, std::size_t all)> files_done = {};
  // Ends the analysis at the next input or the next buffer that is read.
  std::stop_token stop = {};
};

}  // namespace frx::analyse
