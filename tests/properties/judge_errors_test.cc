// Answers about kernels whose counters are known: right ones in many wordings are accepted, and one seeded error of each kind is found.
//
// The wordings differ in what names the counter (its label, its name, a word of prose), in what stands between the two, in rounding, in the
// scale of the unit and in what stands around the JSON. They are written by hand and do not come from the tables of the check.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "report/judge/testing.h"

namespace frx::report {
namespace {

using ::testing::UnorderedElementsAreArray;
using Reply = nlohmann::ordered_json;
using testing::Bench;

// How prose quotes a counter: {} is the number with its unit.
struct Wording {
  std::string_view key;
  std::vector<std::string_view> texts;
};
const std::vector<Wording> wordings = {
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed",
     {"DRAM throughput is only {}", "DRAM throughput at {} of peak", "dram__throughput.avg.pct_of_peak_sustained_elapsed = {}",
      "{} DRAM throughput", "the DRAM utilization reaches {}", "DRAM Throughput: {}", "HBM throughput ({})"}},
    {"l1tex__t_sector_hit_rate.pct",
     {"L1 hit rate of {}", "an L1 cache hit rate of only {}", "{} L1 hit rate", "l1tex__t_sector_hit_rate.pct is {}",
      "L1 Cache Hit Rate: {}"}},
    {"lts__t_sector_hit_rate.pct",
     {"L2 hit rate is {}", "the L2 cache hit rate ({})", "{} L2 hit rate", "`lts__t_sector_hit_rate.pct` = {}"}},
    {"sm__warps_active.avg.pct_of_peak_sustained_active",
     {"achieved occupancy is {}", "only {} warp occupancy", "warps active at {}", "occupancy of {}",
      "sm__warps_active.avg.pct_of_peak_sustained_active: {}"}},
    {"smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct",
     {"long scoreboard stalls at {}", "{} long scoreboard stalls", "long scoreboard stalls account for {}", "Long Scoreboard Stalls: {}",
      "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct ({})"}},
    {"smsp__warp_issue_stalled_barrier_per_warp_active.pct", {"barrier stalls are {}", "{} barrier stalls", "Barrier Stalls = {}"}},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
     {"memory coalescing is {}", "global load efficiency of only {}", "coalescing at {}", "{} global load efficiency"}},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed",
     {"Compute SOL is {}", "SM throughput of {}", "compute utilization is just {}", "sm__throughput.avg.pct_of_peak_sustained_elapsed={}"}},
    {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
     {"Memory SOL is {}", "Memory SOL at {}", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed = {}"}},
    {"lts__throughput.avg.pct_of_peak_sustained_active", {"L2 throughput is {}", "L2 Throughput ({})", "L2 cache throughput at {}"}},
    {"launch__registers_per_thread",
     {"{} registers per thread", "register usage is {}", "launch__registers_per_thread = {}", "Registers per Thread: {}"}},
    {"dram__bytes.sum.per_second", {"DRAM bandwidth is {}", "an achieved bandwidth of {}", "dram__bytes.sum.per_second: {}"}},
    {"dram__bytes_read.sum", {"DRAM bytes read are {}", "DRAM reads of {}", "dram__bytes_read.sum = {}"}},
};

const std::vector<std::string_view> suggestions = {
    "Stage the input tile in shared memory so that every element is loaded once.",
    "Use float4 loads and 256 threads per block.",
    "Reduce the block size to 128 threads and let each thread compute four outputs.",
    "Launch with <<<grid, 512>>> and unroll the inner loop by four.",
    "Set __launch_bounds__(256, 4) to allow more resident blocks.",
    "Allocate 48 KB of shared memory per block for double buffering.",
    "Set num_warps=8 and BLOCK_SIZE=1024 for the Triton kernel.",
    "Cap the kernel at 64 registers per thread.",
    "Use a threadblock tile of 128x128x32 with 256 threads per block.",
    "Use a block shape of 128x128 outputs per block.",
    "Use a block shape of 32x8 so that neighbouring threads read neighbouring columns.",
};
const std::vector<std::string_view> impossible = {
    "Use 2048 threads per block to cover the latency.",
    "Increase the block size to 1536 threads.",
    "Launch with <<<grid, 4096>>> for more parallelism.",
    "Set __launch_bounds__(2048) on the kernel.",
    "Use a block of 64x32 threads to widen the tile.",
    "Choose dim3(128, 16) as the block.",
    "Set num_warps=64 to hide the latency.",
    "Use thread blocks of 96 warps per block.",
    "Set blockDim.x = 1280 for this kernel.",
};
const std::vector<std::string_view> invented = {
    "sm__warp_efficiency.avg.pct",           "dram__utilization.pct_of_peak",       "l1tex__hit_ratio.avg",
    "smsp__memory_stall_cycles.sum",         "gpu__occupancy_achieved.pct",         "launch__register_pressure",
    "lts__bandwidth.sum.per_second_elapsed", "smsp__warp_issue_stalled_memory.pct", "sm__efficiency"};

class Generator {
 public:
  Generator(Bench& bench, unsigned seed) : bench_(bench), random_(seed) {}

  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }
  template <typename List>
  auto one_of(const List& list) {
    return list[below(list.size())];
  }

  // Counters of a kernel of one of four kinds, as ncu would print them.
  void next_kernel() {
    const std::size_t kind = below(4);
    const auto percent = [&](double low, double high) { return std::round(100 * between(low, high)) / 100; };
    values_.clear();
    values_["dram__throughput.avg.pct_of_peak_sustained_elapsed"] = kind == 0 ? percent(62, 94) : percent(3, 22);
    values_["lts__throughput.avg.pct_of_peak_sustained_active"] = kind == 0 ? percent(30, 80) : percent(4, 28);
    values_["l1tex__throughput.avg.pct_of_peak_sustained_active"] = kind == 0 ? percent(20, 60) : percent(5, 30);
    values_["sm__throughput.avg.pct_of_peak_sustained_elapsed"] = kind == 1 ? percent(66, 97) : percent(3, 26);
    values_["gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"] =
        std::max(values_["dram__throughput.avg.pct_of_peak_sustained_elapsed"], percent(4, 25));
    values_["sm__warps_active.avg.pct_of_peak_sustained_active"] = kind == 2 ? percent(5, 28) : percent(78, 99);
    values_["smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct"] = kind == 3 || kind == 0 ? percent(48, 80) : percent(1, 7);
    values_["smsp__warp_issue_stalled_short_scoreboard_per_warp_active.pct"] = percent(1, 6);
    values_["smsp__warp_issue_stalled_barrier_per_warp_active.pct"] = percent(1, 6);
    values_["smsp__warp_issue_stalled_branch_resolving_per_warp_active.pct"] = percent(0, 2);
    values_["l1tex__t_sector_hit_rate.pct"] = percent(2, 95);
    values_["lts__t_sector_hit_rate.pct"] = percent(2, 95);
    values_["smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"] = kind == 0 ? percent(30, 100) : percent(85, 100);
    values_["launch__registers_per_thread"] = std::floor(between(24, 255));
    values_["dram__bytes.sum.per_second"] = std::floor(between(1e11, 3e12));
    values_["dram__bytes_read.sum"] = std::floor(between(1e7, 9e9));
    std::string json = R"({"metrics": {"kernel_under_test": {)";
    for (const auto& [key, value] : values_) json += fmt::format("{}\"{}\": {}", json.back() == '{' ? "" : ", ", key, value);
    subject_ = bench_.subject(json + "}}}").value();
  }

  const JudgeSubject& subject() const { return subject_; }

  // Categories that the counters support, and those that they refute.
  std::vector<std::string> supported(double least) const {
    std::vector<std::string> found;
    for (const knowledge::JudgeCategory& category : bench_.judge().categories()) {
      if (support_of(category, subject_).value_or(0) >= least) found.emplace_back(category.id);
    }
    return found;
  }
  std::vector<std::string> refuted() const {
    std::vector<std::string> found;
    for (const knowledge::JudgeCategory& category : bench_.judge().categories()) {
      if (support_of(category, subject_).value_or(1) < 0.03) found.emplace_back(category.id);
    }
    return found;
  }

  // The value with the rounding and the scale of prose.
  std::string number(std::string_view key, double value) {
    if (key == "dram__bytes.sum.per_second") {
      if (below(2) == 0) return fmt::format("{:.2f} TB/s", value / 1e12);
      return fmt::format("{:.1f} GB/s", value / 1e9);
    }
    if (key == "dram__bytes_read.sum") return below(2) == 0 ? fmt::format("{:.2f} GB", value / 1e9) : fmt::format("{:.0f} bytes", value);
    if (key == "launch__registers_per_thread") return fmt::format("{:.0f}", value);
    const std::string_view blank = below(4) == 0 ? " " : "";
    switch (below(3)) {
      case 0: return fmt::format("{:.2f}{}%", value, blank);
      case 1: return fmt::format("{:.1f}{}%", value, blank);
      default: return value >= 5 ? fmt::format("{:.0f}{}%", value, blank) : fmt::format("{:.2f}{}%", value, blank);
    }
  }

  const Wording& wording_of(std::string_view key) const { return *std::ranges::find(wordings, key, &Wording::key); }

  std::string quote(std::string_view key, const std::string& number) {
    const std::string_view text = one_of(wording_of(key).texts);
    const std::size_t at = text.find("{}");
    return std::string(text.substr(0, at)) + number + std::string(text.substr(at + 2));
  }

  // A sentence that quotes these counters.
  std::string sentence(const std::vector<std::string>& quotes) {
    static const std::vector<std::string_view> beginnings = {"The profile shows that ", "Here ", "We see that ", ""};
    static const std::vector<std::string_view> ends = {", so the units wait for data.", ".", ", which leaves the SMs idle.",
                                                       " in this kernel."};
    std::string text(one_of(beginnings));
    for (std::size_t i = 0; i < quotes.size(); ++i) text += (i == 0 ? "" : i + 1 == quotes.size() ? " and " : ", ") + quotes[i];
    return text + std::string(one_of(ends));
  }

  std::vector<std::string> keys(std::size_t count) {
    std::vector<std::string> all;
    for (const Wording& wording : wordings) all.emplace_back(wording.key);
    std::ranges::shuffle(all, random_);
    all.resize(count);
    return all;
  }

  Reply entry(const std::string& category, const std::vector<std::string>& quoted) {
    std::vector<std::string> quotes;
    for (const std::string& key : quoted) quotes.push_back(quote(key, number(key, values_.at(key))));
    return {{"category", category},
            {"root_cause", sentence(quotes)},
            {"suggestion", one_of(suggestions)},
            {"priority_metrics", quoted},
            {"expected_improvement", "About 1.5x, by hiding the latency."}};
  }

  Reply right_pair() {
    std::vector<std::string> categories = supported(0.1);
    std::ranges::shuffle(categories, random_);
    return {{"bottleneck_1", entry(categories.at(0), keys(3 + below(2)))}, {"bottleneck_2", entry(categories.at(1), keys(3 + below(2)))}};
  }

  Reply right_list() {
    Reply evidence = Reply::array();
    for (const std::string& key : keys(3))
      evidence.push_back({{"metric", key}, {"value", values_.at(key)}, {"interpretation", quote(key, number(key, values_.at(key)))}});
    const std::string_view category = coarse_category(speed_of_light(subject_));
    const std::string prose = sentence({quote("sm__throughput.avg.pct_of_peak_sustained_elapsed",
                                              number("", values_.at("sm__throughput.avg.pct_of_peak_sustained_elapsed")))});
    const Reply cause{{"cause", "The kernel waits for memory."},
                      {"evidence", evidence},
                      {"fixes", Reply::array({{{"fix", one_of(suggestions)}, {"rationale", "It moves fewer bytes."}}})}};
    return Reply::array(
        {{{"category", category}, {"summary", "It waits for data."}, {"reasoning", prose}, {"root_causes", Reply::array({cause, cause})}}});
  }

  // What stands around the JSON of a reply.
  std::string wrapped(const Reply& reply) {
    const std::string json = reply.dump(below(2) == 0 ? 2 : -1);
    switch (below(5)) {
      case 0: return json;
      case 1: return "```json\n" + json + "\n```\n";
      case 2: return "As the guide [1] says, {memory} comes first. My answer:\n\n```json\n" + json + "\n```\nI hope this helps [2].";
      case 3: return "Thinking: [a, b] may help.\n" + json + "\nDone.";
      default: return "```\n" + json.substr(0, json.size() - 1) + ",\n" + json.back() + "\n```";  // a comma before the last bracket
    }
  }

  // --- Errors ---

  // A number that is not the value, by more than rounding allows.
  std::string wrong_number(std::string_view key) {
    const double value = values_.at(std::string(key));
    static const std::vector<double> factors = {0.5, 0.7, 0.85, 1.15, 1.3, 2, 3, 10};
    for (;;) {
      const double wrong = value * one_of(factors);
      const bool is_percent = value <= 100 && key != "launch__registers_per_thread";
      if (std::abs(wrong - value) < 1.2 || (is_percent && wrong > 100)) continue;
      if (!is_percent || std::abs(wrong - (100 - value)) > 3) return number(key, wrong);
    }
  }

  std::string wrong_unit(std::string_view key) {
    const double value = values_.at(std::string(key));
    if (key == "dram__bytes.sum.per_second")
      return fmt::format("{:.1f} {}", value / 1e9, one_of(std::vector<std::string_view>{"MB/s", "KB/s", "%", "GB"}));
    if (key == "dram__bytes_read.sum")
      return fmt::format("{:.2f} {}", value / 1e9, one_of(std::vector<std::string_view>{"MB", "TB", "%", "GB/s"}));
    return fmt::format("{:.2f} {}", value, one_of(std::vector<std::string_view>{"GB/s", "MB", "us", "TB/s"}));
  }

  Reply replace_quote(Reply reply, bool of_unit) {
    const std::string which = below(2) == 0 ? "bottleneck_1" : "bottleneck_2";
    std::vector<std::string> quoted;
    std::vector<std::string> quotes;
    for (;;) {
      quoted = keys(3);
      const std::size_t wrong = below(3);
      // Of a counter whose value is close to zero no number is far enough away to be wrong; registers are counted, whatever is behind them.
      if (std::abs(values_.at(quoted[wrong])) < 4 || (of_unit && quoted[wrong] == "launch__registers_per_thread")) continue;
      for (std::size_t i = 0; i < 3; ++i)
        quotes.push_back(quote(
            quoted[i], i == wrong ? of_unit ? wrong_unit(quoted[i]) : wrong_number(quoted[i]) : number(quoted[i], values_.at(quoted[i]))));
      break;
    }
    reply[which]["root_cause"] = sentence(quotes);
    return reply;
  }

  Bench& bench_;
  std::mt19937 random_;
  std::map<std::string, double> values_;
  JudgeSubject subject_;
};

CheckRequest list_request() {
  CheckRequest request;
  request.demands = {JudgeContract::list, 1, 2, 1};
  return request;
}

// kdiag 7, kdiag 8
TEST(JudgeErrors, AlmostNoRightAnswerIsRefused) {
  Bench bench("H100");
  Generator made(bench, 11);
  int refused = 0;
  constexpr int answers = 10'000;
  std::string first;
  for (int i = 0; i < answers; ++i) {
    if (i % 20 == 0) {
      do made.next_kernel();
      while (made.supported(0.1).size() < 2);
    }
    const bool is_pair = i % 2 == 0;
    const std::string reply = made.wrapped(is_pair ? made.right_pair() : made.right_list());
    const JudgeVerdict verdict = bench.check(made.subject(), reply, is_pair ? CheckRequest{} : list_request());
    if (verdict.is_valid()) continue;
    if (++refused <= 5) first += reply + "\n" + verdict.ask_again + "\n";
  }
  EXPECT_LE(refused, answers / 1000) << first;
  RecordProperty("refused", refused);
}

enum class Seeded { wrong_value, wrong_unit, invented_metric, impossible_block, repeated_category, against_evidence };

// The code that says it; an answer may break for another reason as well.
bool is_caught(const JudgeVerdict& verdict, Seeded kind) {
  const std::vector<std::string> found = testing::codes(verdict.errors);
  const auto has = [&](std::string_view code) { return std::ranges::find(found, code) != found.end(); };
  switch (kind) {
    case Seeded::wrong_value: return has("wrong_value");
    case Seeded::wrong_unit: return has("wrong_unit") || has("wrong_value");
    case Seeded::invented_metric: return has("metric_unknown");
    case Seeded::impossible_block: return has("impossible_launch");
    case Seeded::repeated_category: return has("category_repeated");
    case Seeded::against_evidence: return has("against_evidence");
  }
  return false;
}

Reply seeded(Generator& made, Seeded kind) {
  Reply reply = made.right_pair();
  const std::string which = made.below(2) == 0 ? "bottleneck_1" : "bottleneck_2";
  switch (kind) {
    case Seeded::wrong_value: return made.replace_quote(std::move(reply), false);
    case Seeded::wrong_unit: return made.replace_quote(std::move(reply), true);
    case Seeded::invented_metric: reply[which]["priority_metrics"][made.below(3)] = made.one_of(invented); break;
    case Seeded::impossible_block: reply[which]["suggestion"] = made.one_of(impossible); break;
    case Seeded::repeated_category: reply["bottleneck_2"]["category"] = reply["bottleneck_1"]["category"]; break;
    case Seeded::against_evidence: reply[which]["category"] = made.one_of(made.refuted()); break;
  }
  return reply;
}

// kdiag 7
TEST(JudgeErrors, SeededErrorsAreCaught) {
  Bench bench("H100");
  Generator made(bench, 12);
  constexpr int answers = 10'000;
  std::map<Seeded, std::pair<int, int>> counts;  // caught, seeded
  std::string missed;
  int shown = 0;
  for (int i = 0; i < answers; ++i) {
    if (i % 20 == 0) {
      do made.next_kernel();
      while (made.supported(0.1).size() < 2 || made.refuted().empty());
    }
    const auto kind = static_cast<Seeded>(i % 6);
    const std::string reply = made.wrapped(seeded(made, kind));
    const JudgeVerdict verdict = bench.check(made.subject(), reply);
    auto& [caught, all] = counts[kind];
    ++all;
    if (is_caught(verdict, kind))
      ++caught;
    else if (++shown <= 5)
      missed += reply + "\n";
  }
  int caught = 0;
  for (const auto& [kind, count] : counts) {
    caught += count.first;
    EXPECT_GE(count.first, 0.97 * count.second) << static_cast<int>(kind);
  }
  EXPECT_GE(caught, 0.99 * answers) << missed;
  RecordProperty("caught", caught);
}

}  // namespace
}  // namespace frx::report
