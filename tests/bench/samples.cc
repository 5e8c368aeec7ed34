#include "bench/samples.h"

#include <fmt/format.h>

#include <random>

namespace frx::bench {
namespace {

struct Metric {
  const char *name, *unit;
};

constexpr Metric metrics[] = {
    {"dram__bytes_read.sum", "Mbyte"},
    {"dram__bytes_write.sum", "Mbyte"},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "%"},
    {"gpu__time_duration.sum", "us"},
    {"l1tex__t_sector_hit_rate.pct", "%"},
    {"launch__block_size", ""},
    {"launch__registers_per_thread", "register/thread"},
    {"lts__t_sector_hit_rate.pct", "%"},
    {"sm__issue_active.avg.pct_of_peak_sustained_active", "%"},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "%"},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "%"},
    {"smsp__inst_executed.sum", "inst"},
    {"smsp__warps_eligible.avg.per_cycle_active", "warp"},
};
// A raw page has many columns that are not read.
constexpr int other_columns = 120;
constexpr int kernels = 40;

class Writer {
 public:
  std::string launch() {
    const int kernel = pick(kernels);
    return fmt::format(
        R"row("{}","4711","app","127.0.0.1","void reduce_kernel<{}, Sum<float, {}> >(Sum<float, {}>, int, float *)","1","7",)row"
        R"row("({}, 1, 1)","({}, 1, 1)","0","9.0")row",
        launches_++, 64 << kernel % 4, kernel, kernel, 64 << kernel % 4, 1 + pick(8));
  }
  std::string value(const Metric& metric) {
    if (metric.unit[0] == '%') return fmt::format("{}.{:02}", pick(100), pick(100));
    return fmt::format("{},{:03}.{:02}", 1 + pick(900), pick(1000), pick(100));
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  std::mt19937 random_{20240607};
  int launches_ = 0;
};

constexpr const char* identity =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC")";

}  // namespace

std::string tall_sample(std::size_t bytes) {
  Writer writer;
  std::string text = fmt::format("{},\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n", identity);
  do {
    const std::string launch = writer.launch();
    for (const Metric& metric : metrics) {
      text += fmt::format(R"({},"Command line profiler metrics","{}","{}","{}")", launch, metric.name, metric.unit, writer.value(metric)) +
              "\n";
    }
  } while (text.size() < bytes);
  return text;
}

std::string wide_sample(std::size_t bytes) {
  Writer writer;
  std::string text = identity;
  std::string units = R"("","","","","","","","","","","")";
  for (const Metric& metric : metrics) {
    text += fmt::format(",\"{}\"", metric.name);
    units += fmt::format(",\"{}\"", metric.unit);
  }
  for (int i = 0; i < other_columns; ++i) {
    text += fmt::format(",\"sm__something_{}.sum\"", i);
    units += ",\"inst\"";
  }
  text += "\n" + units + "\n";
  do {
    text += writer.launch();
    for (const Metric& metric : metrics) text += fmt::format(",\"{}\"", writer.value(metric));
    for (int i = 0; i < other_columns; ++i) text += fmt::format(",\"{}\"", writer.value(metrics[11]));
    text += "\n";
  } while (text.size() < bytes);
  return text;
}

std::string first_lines(const std::string& text, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0; --count) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

}  // namespace frx::bench
