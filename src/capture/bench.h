// Builds two CUDA programs and runs them in turn, for frx bench.
//
// Each process is timed from its start to its end; its output of kernel times and of its result (include/frx/frx_bench.cuh) is stored
// beside that. The sides take turns, and the side that begins alternates between rounds, so that a GPU that heats up or a machine that gets
// busy affects both alike. A side that does not build, crashes or hangs does not end the other.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/temporary_directory.h"
#include "capture/host.h"
#include "model/bench.h"

namespace frx::capture {

struct BenchRequest {
  std::string before, after;                      // CUDA source files
  std::string architecture;                       // "sm_90", "" for nvcc's own choice
  std::vector<std::string> build_flags;           // for nvcc
  std::string keep_in;                            // folder for the programs; "": they are removed
  std::size_t runs = 5, warmup = 2;               // of each side; those of `warmup` do not count
  std::chrono::milliseconds time_limit{120'000};  // of each run
};

// The text of the header as this program was built with it.
std::string_view bench_header();

struct BenchPrograms {
  model::Bench bench;         // nothing has run yet
  TemporaryDirectory folder;  // in which the programs are, unless they are kept
};

// Fails without nvcc, or when the folder cannot be made; a compile error is stored with its side.
Result<BenchPrograms> build_bench(const BenchRequest& request, const Host& host);

// Runs the programs that were built. `progress` receives the number of finished runs and the total. Fails only when the user stops it.
using BenchProgress = std::function<void(std::size_t done, std::size_t all)>;
Result<> run_bench(const BenchRequest& request, const Host& host, model::Bench& bench, const BenchProgress& progress = {});

// The values that one process printed on standard output.
void read_bench_output(std::string_view output, model::BenchRun& run);

}  // namespace frx::capture
