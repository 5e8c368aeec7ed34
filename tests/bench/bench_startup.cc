// What does a short run of frx spend its milliseconds on?
#include <benchmark/benchmark.h>

#include "advise/catalogue.h"
#include "bench/samples.h"
#include "compose/payloads.h"
#include "knowledge/knowledge.h"
#include "report/analyse.h"

namespace frx::bench {
namespace {

using namespace knowledge;

void load_metrics(benchmark::State& state) {
  const Library library = Library::builtin();
  for (auto _ : state) benchmark::DoNotOptimize(MetricCatalogue::load(library).value());
}
BENCHMARK(load_metrics);

void load_labels(benchmark::State& state) {
  const Knowledge known = Knowledge::load("").value();
  for (auto _ : state) benchmark::DoNotOptimize(LabelCatalogue::load(known.library, known.metrics, known.classes).value());
}
BENCHMARK(load_labels);

void load_gpus(benchmark::State& state) {
  const Library library = Library::builtin();
  for (auto _ : state) benchmark::DoNotOptimize(GpuCatalogue::load(library).value());
}
BENCHMARK(load_gpus);

void load_advice(benchmark::State& state) {
  const Knowledge known = Knowledge::load("").value();
  for (auto _ : state) benchmark::DoNotOptimize(advise::Catalogue::load(known).value());
}
BENCHMARK(load_advice);

// Catalogues, six rows, diagnosis, advice, report, JSON.
void whole_pipeline(benchmark::State& state) {
  const std::string text = first_lines(tall_sample(1), 7);
  for (auto _ : state) {
    const auto analyst = report::Analyst::create({}).value();
    const std::unique_ptr<ByteSource> source = open_bytes(text);
    const report::NcuReport* report = analyst->analyse("six.csv", *source).value();
    benchmark::DoNotOptimize(answer::json_text_of([&](answer::JsonObject& out) { compose::put_profile(out, *report); }));
  }
}
BENCHMARK(whole_pipeline)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace frx::bench
