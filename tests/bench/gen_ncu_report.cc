// gen_ncu_report MEGABYTES OUT: writes a synthetic Nsight Compute report (report_sample.h) of at least this size.
#include <cstdio>
#include <cstdlib>

#include "bench/report_sample.h"

int main(int argc, char** argv) {
  const double size = argc == 3 ? std::atof(argv[1]) * 1e6 : 0;
  std::FILE* const out = size > 0 ? std::fopen(argv[2], "wb") : nullptr;
  if (out == nullptr) return std::fprintf(stderr, "usage: gen_ncu_report MEGABYTES OUT\n"), 2;
  frx::bench::ReportSample sample;
  bool well = true;
  for (double done = 0; well && done < size;) {
    const std::string piece = sample.next();
    well = std::fwrite(piece.data(), 1, piece.size(), out) == piece.size();
    done += static_cast<double>(piece.size());
  }
  return std::fclose(out) == 0 && well ? 0 : 1;
}
