#include "corpus/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"
#include "knowledge/counter_units.h"
#include "report/analyse.h"
#include "report/ncu_comparison.h"
#include "report/ncu_times.h"

namespace frx::corpus {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const report::Kernel* only_kernel(const report::NcuReport& report) {
  return report.kernels.size() == 1 ? &report.kernels.front() : nullptr;
}

bool holds(const report::NcuReport& report, std::string_view label) {
  const report::Kernel* kernel = only_kernel(report);
  return kernel && std::ranges::any_of(kernel->findings, [&](const model::Finding& one) { return one.id() == label; });
}

class Outcomes {
 public:
  explicit Outcomes(fs::path corpus) : corpus_(std::move(corpus)), analyst_(report::Analyst::create({}).value()) {
    units_ = knowledge::CounterUnits::load(library_).value();
  }

  void add_pairs() {
    const std::string text = read_file((corpus_ / "pairs.tsv").string()).value();
    for (const std::string_view line : split(text, '\n')) {
      const std::vector<std::string_view> cells = split(line, '\t');
      if (cells.size() < 8 || cells[0] == "file_a") continue;
      const auto first = kernel_of(std::string(cells[0]), cells[1]), second = kernel_of(std::string(cells[2]), cells[3]);
      if (!first || !second) continue;
      const auto name = [](std::string_view file, std::string_view kernel) {
        return fmt::format("{}, {}", fs::path(file).filename().string(), kernel.substr(0, kernel.find_first_of("<(")));
      };
      add(result_.pairs, *first, *second, name(cells[0], cells[1]), name(cells[2], cells[3]), std::string(cells[7]));
    }
  }

  void add_rounds() {
    std::vector<fs::path> rounds;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(corpus_ / "artifacts" / "kernelagent")) {
      if (entry.path().filename() == "input_ncu_metrics.json") rounds.push_back(entry.path().parent_path());
    }
    std::ranges::sort(rounds);
    for (const fs::path& round : rounds) {
      const auto first = metrics_of(round / "input_ncu_metrics.json"), second = metrics_of(round / "optimized_ncu_metrics.json");
      if (!first || !second) continue;
      const std::string name = round.parent_path().filename().string();
      add(result_.rounds, *first, *second, name, first->kernels.front().name + " -> " + second->kernels.front().name,
          round.filename().string());
    }
  }

  PairOutcomes result() { return std::move(result_); }

 private:
  std::optional<report::NcuReport> kernel_of(const std::string& file, std::string_view kernel) {
    const report::NcuReport*& profile = profiles_[file];
    if (!profile) {
      const auto read = analyst_->analyse_file((corpus_ / file).string());
      if (!read) return failed(file);
      profile = *read;
    }
    Result<report::NcuReport> alone = report::profile_of_kernel(*profile, kernel);
    if (!alone) return failed(fmt::format("{}, {}", file, kernel));
    return std::move(*alone);
  }

  std::optional<report::NcuReport> failed(std::string what) {
    result_.failures.push_back(std::move(what));
    return std::nullopt;
  }

  // A round's metrics as the CSV that the tool would have written.
  std::optional<report::NcuReport> metrics_of(const fs::path& file) {
    const json metrics = json::parse(read_file(file.string()).value()).at("metrics");
    std::string csv = "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
    for (const auto& [kernel, values] : metrics.items()) {
      const auto row = [&](std::string_view name, double value) {
        const std::optional<std::string> unit = units_->of(name);
        if (unit) fmt::format_to(std::back_inserter(csv), "\"0\",\"{}\",\"{}\",\"{}\",\"{}\"\n", kernel, name, *unit, value);
      };
      for (const auto& [name, value] : values.items()) {
        if (value.is_number()) row(name, value.get<double>());
      }
      const double bytes = values.value("dram__bytes_read.sum", 0.0) + values.value("dram__bytes_write.sum", 0.0);
      const double rate = values.value("dram__bytes.sum.per_second", 0.0);
      if (bytes > 0 && rate > 0) row("gpu__time_duration.sum", 1e9 * bytes / rate);
    }
    const std::unique_ptr<ByteSource> source = open_bytes(csv);
    const auto report = analyst_->analyse(file.filename().string(), *source);
    if (!report || (*report)->kernels.size() != 1) return failed(file.string());
    return **report;
  }

  void add(std::vector<PairOutcome>& list, const report::NcuReport& first, const report::NcuReport& second, std::string before,
           std::string after, std::string change) {
    const auto first_time = report::profiled_time(first), second_time = report::profiled_time(second);
    const report::Kernel* kernel = only_kernel(first);
    if (!first_time || !second_time || !kernel || !kernel->duration_us || *kernel->duration_us <= 0) {
      result_.failures.push_back(before + ": no time");
      return;
    }
    PairOutcome pair{std::move(before), std::move(after), std::move(change), std::string(kernel->primary), 0, {}, {}};
    pair.gain_pct = 100 * (1 - second_time->us / first_time->us);
    for (const model::Finding& finding : kernel->findings) {
      if (!finding.time_at_stake) continue;
      const bool of_roof = !finding.type->stake_note.empty();
      pair.stakes.push_back({std::string(finding.id()), 100 * *finding.time_at_stake / (*kernel->duration_us * 1000),
                             finding.id() == kernel->primary, !holds(second, finding.id()), of_roof});
    }
    if (const report::Kernel* then = only_kernel(second)) {
      for (const model::Finding& finding : then->findings) {
        if (!holds(first, finding.id())) pair.appeared.emplace_back(finding.id());
      }
    }
    for (const report::ScoredPrediction& one : report::compare(first, second, "a", "b").predictions.scored)
      ++result_.predictions[one.card][one.score.outcome];
    list.push_back(std::move(pair));
  }

  fs::path corpus_;
  std::unique_ptr<report::Analyst> analyst_;
  const knowledge::Library library_ = knowledge::Library::builtin();
  std::optional<knowledge::CounterUnits> units_;  // its rules point into the library
  std::map<std::string, const report::NcuReport*> profiles_;
  PairOutcomes result_;
};

// Measured times have noise, and a bound that is missed by less is kept.
bool is_kept(const PairOutcome& pair, const StakeOfLabel& stake) {
  return pair.gain_pct <= stake.bound_pct + 100 * report::profile_noise_floor;
}

std::string labels_text(const PairOutcome& pair, bool gone) {
  std::string text;
  for (const StakeOfLabel& stake : pair.stakes) {
    if (stake.is_gone == gone) text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", stake.label, stake.bound_pct);
  }
  return text.empty() ? "-" : text;
}

void add_table(std::string& page, const std::vector<PairOutcome>& pairs) {
  page +=
      "| kernel | change | measured gain | leading | its bound | gone after it | still there | new |\n|---|---|--:|---|--:|---|---|---|\n";
  for (const PairOutcome& pair : pairs) {
    const auto leading = std::ranges::find_if(pair.stakes, &StakeOfLabel::is_leading);
    const std::string bound = leading == pair.stakes.end() ? "none"
                              : leading->is_of_roof        ? fmt::format("({:.0f} %)", leading->bound_pct)
                                                           : fmt::format("{:.0f} %", leading->bound_pct);
    fmt::format_to(std::back_inserter(page), "| {} | {} | {:.1f} % | {} | {} | {} | {} | {} |\n", pair.before, pair.change, pair.gain_pct,
                   pair.leading, bound, labels_text(pair, true), labels_text(pair, false),
                   pair.appeared.empty() ? "-" : fmt::format("{}", fmt::join(pair.appeared, ", ")));
  }
}

// Of stakes that `counts`: by size of the bound, how many were kept.
void add_calibration(std::string& page, std::string_view title, const std::vector<const std::vector<PairOutcome>*>& lists,
                     bool (*counts)(const StakeOfLabel&)) {
  constexpr double ends[] = {10, 25, 50, 75, 90, 100.5};
  struct Bin {
    std::uint64_t all = 0, kept = 0, faster = 0, faster_kept = 0;
  };
  std::array<Bin, std::size(ends)> bins;
  Bin sum;
  for (const auto* pairs : lists) {
    for (const PairOutcome& pair : *pairs) {
      for (const StakeOfLabel& stake : pair.stakes) {
        if (!counts(stake)) continue;
        const std::size_t at =
            static_cast<std::size_t>(std::ranges::find_if(ends, [&](double end) { return stake.bound_pct < end; }) - ends);
        const bool kept = is_kept(pair, stake), faster = pair.gain_pct > 0;
        for (Bin* bin : {&bins[std::min(at, bins.size() - 1)], &sum}) {
          ++bin->all;
          bin->kept += kept;
          bin->faster += faster;
          bin->faster_kept += faster && kept;
        }
      }
    }
  }
  fmt::format_to(std::back_inserter(page),
                 "\n## {}\n\n| predicted: at most | predictions | true | of those that became faster | true |\n|---|--:|--:|--:|--:|\n",
                 title);
  double from = 0;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const double to = std::min(ends[i], 100.0);
    if (bins[i].all > 0)
      fmt::format_to(std::back_inserter(page), "| {:.0f} to {:.0f} % | {} | {} | {} | {} |\n", from, to, bins[i].all, bins[i].kept,
                     bins[i].faster, bins[i].faster_kept);
    from = to;
  }
  fmt::format_to(std::back_inserter(page), "| all | {} | {} | {} | {} |\n", sum.all, sum.kept, sum.faster, sum.faster_kept);
}

void add_broken(std::string& page, const std::vector<const std::vector<PairOutcome>*>& lists) {
  page +=
      "\n## Bounds that were exceeded\n\n"
      "A label that is still there afterwards was not what the change removed; the others need a reason.\n\n"
      "| kernel | change | label | at most | gained | |\n|---|---|---|--:|--:|---|\n";
  for (const auto* pairs : lists) {
    for (const PairOutcome& pair : *pairs) {
      for (const StakeOfLabel& stake : pair.stakes) {
        if (is_kept(pair, stake)) continue;
        fmt::format_to(std::back_inserter(page), "| {} | {} | {} | {:.0f} % | {:.0f} % | {} |\n", pair.before, pair.change, stake.label,
                       stake.bound_pct, pair.gain_pct,
                       stake.is_of_roof ? "a roof"
                       : stake.is_gone  ? "gone"
                                        : "still there");
      }
    }
  }
}

}  // namespace

PairOutcomes pair_outcomes(const fs::path& corpus) {
  Outcomes outcomes(corpus);
  outcomes.add_pairs();
  outcomes.add_rounds();
  return outcomes.result();
}

std::string before_after_page(const PairOutcomes& outcomes) {
  std::string page = fmt::format(
      "# Before and after: what was predicted, what was measured\n\n"
      "Written by `./dev corpus --write`. {} pairs of a kernel and its rewriting in real profiles, and {} rounds of a program that "
      "rewrites\n"
      "kernels. The gain is that of the kernel's time. A bound is the time at stake of the leading label of the first kernel, as a share "
      "of its\n"
      "time; one in brackets is the distance to a roof at the same work, which a rewriting that moves fewer bytes need not keep to. A "
      "rewriting\n"
      "mostly changes more than one thing, so that a bound of a label that stays says nothing about it. Numbers behind labels are their "
      "bounds\n"
      "in percent.\n\n"
      "## Pairs of the corpus\n\n",
      outcomes.pairs.size(), outcomes.rounds.size());
  add_table(page, outcomes.pairs);
  page +=
      "\n## Rounds of KernelAgent\n\n"
      "Each round is one attempt; many make the kernel slower. The files hold neither durations nor units: times are DRAM bytes over DRAM "
      "bytes\n"
      "per second.\n\n";
  add_table(page, outcomes.rounds);
  return page;
}

std::string calibration_page(const PairOutcomes& outcomes) {
  std::string page =
      "# Calibration of \"at most\"\n\n"
      "Written by `./dev corpus --write`, from the pairs and rounds of [before-after.md](before-after.md). A time at stake says what "
      "removing its\n"
      "cause can save at most. It is true when the measured gain is not above it (by more than the 3 % that count as noise). A change that "
      "makes\n"
      "the kernel slower keeps every bound, so that those that became faster are counted by themselves.\n";
  const std::vector<const std::vector<PairOutcome>*> both = {&outcomes.pairs, &outcomes.rounds};
  add_calibration(page, "Labels that the change removed", both, [](const StakeOfLabel& one) { return one.is_gone && !one.is_of_roof; });
  add_calibration(page, "Leading labels, distances to a roof apart", both,
                  [](const StakeOfLabel& one) { return one.is_leading && !one.is_of_roof; });
  add_calibration(page, "Leading labels that are distances to a roof", both,
                  [](const StakeOfLabel& one) { return one.is_leading && one.is_of_roof; });
  add_calibration(page, "All labels, removed or not, distances to a roof apart", both,
                  [](const StakeOfLabel& one) { return !one.is_of_roof; });
  add_broken(page, both);
  page +=
      "\n## Predictions about counters\n\n"
      "What the cards of the first kernel predict, whether or not the change is what the card advises.\n\n"
      "| card | held | not held | moved the other way | cannot tell |\n|---|--:|--:|--:|--:|\n";
  for (const auto& [card, counts] : outcomes.predictions) {
    const auto of = [&](advise::Outcome outcome) {
      const auto at = counts.find(outcome);
      return at == counts.end() ? 0 : at->second;
    };
    fmt::format_to(std::back_inserter(page), "| {} | {} | {} | {} | {} |\n", card, of(advise::Outcome::held), of(advise::Outcome::not_held),
                   of(advise::Outcome::moved_the_other_way), of(advise::Outcome::cannot_tell));
  }
  return page;
}

}  // namespace frx::corpus
