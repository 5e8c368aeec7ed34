// What frx bench saw when it built two CUDA programs and ran them in turn.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace frx::model {

// One process, from its start to its end.
struct BenchRun {
  double wall_ms = 0;
  // What the program said of itself on standard output, with frx_bench.cuh or by its own code. Several lines of a
  // time add up: a program may measure several kernels.
  std::optional<double> kernel_us;       // FRX_KERNEL_US: a launch, its input in the L2 cache as far as it fits
  std::optional<double> kernel_cold_us;  // FRX_KERNEL_COLD_US: a launch behind an emptied L2 cache
  std::vector<std::string> checksum;     // words behind FRX_CHECKSUM, of all such lines
};

struct BenchSide {
  std::string source;                // file
  std::string executable;            // "" when it was not built
  std::optional<double> compile_ms;  // none: not built
  std::string compile_error;         // "" when it was built
  std::string run_error;             // why its runs ended early, with the remedy; "" when they did not
  std::vector<BenchRun> runs;        // that count, in the order in which they ran
};

// The GPU that the driver lists first among those that the programs may use, before and after all runs.
struct BenchGpu {
  std::string name, driver;
  std::optional<double> sm_clock_before_mhz, sm_clock_after_mhz;
  std::optional<double> temperature_before_c, temperature_after_c;
  bool was_throttled = false;  // for heat or power, at one of the two moments
};

struct Bench {
  BenchSide before, after;
  std::string compiler;         // "nvcc 13.0"
  std::string architecture;     // "sm_90", "" for the compiler's own choice
  std::size_t warmup = 0;       // runs of each side that do not count
  std::optional<BenchGpu> gpu;  // none: no driver was there to ask
};

}  // namespace frx::model
