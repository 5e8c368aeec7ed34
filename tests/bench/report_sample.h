// A synthetic but realistic Nsight Compute report (.ncu-rep) of any size, piece by piece; the same bytes
// on every machine.
//
// As `ncu --set full` writes it: a block per launch with 600 metrics, some of them with a value per code
// address, the texts of sections and rules, and now and then the code of a kernel.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "support/ncu_report_writer.h"

namespace frx::bench {

class ReportSample {
 public:
  static constexpr int kernels = 240;
  static constexpr int shapes = 4;  // of each kernel
  static constexpr int metrics = 600;

  ReportSample();

  // The head of the file first, then a launch each time, with its code every 50 launches.
  std::string next();

 private:
  std::string head();
  void add_source();
  void add_launch();
  testing::ReportLaunch make_launch(int kernel);
  void change_values(testing::ReportLaunch& launch);
  std::vector<testing::ReportInstance> make_instances(int count);

  std::uint64_t pick(std::uint64_t below) { return random_() % below; }
  double decimal() { return static_cast<double>(1 + random_() % 100'000'000) / 1000.0; }

  std::mt19937_64 random_{20240607};
  std::vector<std::string> names_;
  testing::NcuReportWriter writer_;
  std::vector<testing::ReportLaunch> launches_;  // one of each kernel, made once and changed
  std::uint64_t written_ = 0;
  bool begun_ = false;
};

// At least `bytes` bytes: the head and whole launches.
std::string report_sample(std::size_t bytes);

}  // namespace frx::bench
