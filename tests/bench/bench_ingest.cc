// How fast are the parts that read a profile? Bytes per second, on samples made here.
#include <benchmark/benchmark.h>

#include "base/numbers.h"
#include "bench/report_sample.h"
#include "bench/samples.h"
#include "ingest/csv.h"
#include "ingest/line_reader.h"
#include "ingest/profile.h"
#include "knowledge/knowledge.h"

namespace frx::bench {
namespace {

constexpr std::size_t sample_size = std::size_t{8} << 20;

void count_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * static_cast<std::int64_t>(state.iterations()));
}

void split_csv(benchmark::State& state) {
  const std::string rows = wide_sample(1);
  const std::string_view row = std::string_view(rows).substr(0, rows.find('\n'));
  std::vector<std::string_view> fields;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ingest::split_csv(row, fields));
    benchmark::DoNotOptimize(fields.data());
  }
  count_bytes(state, row.size());
}
BENCHMARK(split_csv);

void parse_number(benchmark::State& state, std::string_view text) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(text);
    benchmark::DoNotOptimize(frx::parse_number(text, NumberStyle::point));
  }
}
BENCHMARK_CAPTURE(parse_number, grouped, "1,234,567.89");
BENCHMARK_CAPTURE(parse_number, percentage, "87.25");
BENCHMARK_CAPTURE(parse_number, exponent, "1.25e+09");
BENCHMARK_CAPTURE(parse_number, not_a_number, "n/a");

void read_lines(benchmark::State& state) {
  const std::string text = tall_sample(sample_size);
  for (auto _ : state) {
    const std::unique_ptr<ByteSource> source = open_bytes(text);
    ingest::LineReader lines(*source);
    std::string_view line;
    while (lines.next(line).value()) benchmark::DoNotOptimize(line);
  }
  count_bytes(state, text.size());
}
BENCHMARK(read_lines);

// Any format; which one is found out from the sample.
void load(benchmark::State& state, std::string (*sample)(std::size_t)) {
  static const knowledge::Knowledge known = knowledge::Knowledge::load("").value();
  const std::string text = sample(sample_size);
  for (auto _ : state) {
    const std::unique_ptr<ByteSource> source = open_bytes(text);
    benchmark::DoNotOptimize(ingest::read_profile("sample", *source, known.metrics).value());
  }
  count_bytes(state, text.size());
}
BENCHMARK_CAPTURE(load, ncu_csv_tall, tall_sample);
BENCHMARK_CAPTURE(load, ncu_csv_wide, wide_sample);
BENCHMARK_CAPTURE(load, ncu_report, report_sample);

}  // namespace
}  // namespace frx::bench
