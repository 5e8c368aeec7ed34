#include "layout/layout_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_directory.h"
#include "cli/test_io.h"

namespace frx::testing::layout {
namespace {

constexpr std::size_t shown_traces = 6;

// A member that is text, or a list of texts.
std::string text_of(const nlohmann::json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end()) return "";
  if (member->is_string()) return member->get<std::string>();
  std::string result;
  if (!member->is_array()) return result;
  for (const auto& one : *member) {
    if (one.is_string()) result += (result.empty() ? "" : " > ") + one.get<std::string>();
  }
  return result;
}

double number_of(const nlohmann::json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_number() ? member->get<double>() : 0;
}

bool is_of_names(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':'; }

// Names in a path, whatever stands between them.
std::vector<std::string> names_in(std::string_view path) {
  std::vector<std::string> names;
  std::string name;
  for (const char c : path) {
    if (is_of_names(c)) {
      name += c;
    } else if (!name.empty()) {
      names.push_back(std::move(name));
      name.clear();
    }
  }
  if (!name.empty()) names.push_back(name);
  return names;
}

// "Stage_0" and "Stage", which names all modules of the class.
bool may_be_same_module(std::string_view one, std::string_view other) {
  const auto class_of = [](std::string_view name) { return name.substr(0, name.rfind('_')); };
  return one == other || one == class_of(other) || class_of(one) == other;
}

// Of two paths of modules one leads to the other: "Network_0.Stage_0" and "Stage_0/Conv2d_3".
bool are_of_one_branch(std::string_view one, std::string_view other) {
  const std::vector<std::string> first = names_in(one), second = names_in(other);
  if (first.empty() || second.empty()) return true;
  const auto holds = [](const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::any_of(names, [&](std::string_view each) { return may_be_same_module(each, name); });
  };
  return holds(second, first.back()) || holds(first, second.back());
}

bool is_at(const LayoutFinding& finding, const Site& site) {
  if (!are_of_one_branch(finding.module, site.module)) return false;
  if (finding.file.empty()) return true;
  // One change for a whole network may be said of the network.
  if (finding.detector == channels_last && !finding.module.empty()) return true;
  const bool is_line =
      finding.is_line_of_call ? finding.line > site.line && finding.line <= site.line + lines_of_a_function : finding.line == site.line;
  return finding.file.ends_with(site.file) && is_line;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

void add_numbers(std::vector<std::uint64_t>& numbers, std::uint64_t number) {
  if (numbers.size() < shown_traces && (numbers.empty() || numbers.back() != number)) numbers.push_back(number);
}

}  // namespace

std::optional<std::string> layout_json(const std::string& trace_text) {
  const TemporaryDirectory folder = TemporaryDirectory::make(std::filesystem::temp_directory_path().string()).value();
  const std::string path = folder.file("trace.json");
  std::ofstream(path, std::ios::binary) << trace_text;
  cli::TestIo io;
  const int code = io.run({"layout", "analyze", "--trace", path, "--json"});
  if (code == 2 && io.err().find("unknown command") != std::string::npos) return std::nullopt;
  return io.out();
}

std::optional<std::vector<LayoutFinding>> layout_findings(const std::string& json) {
  const nlohmann::json answer = nlohmann::json::parse(json, nullptr, false);
  if (!answer.is_object()) return std::nullopt;
  const nlohmann::json& report = answer.contains("result") && answer["result"].is_object() ? answer["result"] : answer;
  const auto list = report.find("findings");
  if (list == report.end() || !list->is_array()) return std::nullopt;
  std::vector<LayoutFinding> result;
  for (const nlohmann::json& one : *list) {
    LayoutFinding finding;
    finding.detector = text_of(one, "detector");
    finding.per_step = number_of(one, "freq_per_step");
    finding.bytes_per_step = number_of(one, "bytes_per_step");
    const auto site = one.find("site");
    if (site != one.end() && site->is_object()) {
      finding.module = text_of(*site, "module");
      finding.file = text_of(*site, "file");
      finding.op_path = text_of(*site, "op_path");
      finding.line = static_cast<int>(number_of(*site, "line"));
      finding.is_backward = site->value("backward", false);
      finding.is_line_of_call = text_of(*site, "line_of") == "call";
    }
    result.push_back(std::move(finding));
  }
  return result;
}

bool is_about(const LayoutFinding& finding, const Expectation& expectation, const Recording& recording) {
  if (finding.detector != expectation.detector) return false;
  // A network is converted as a whole: its forward and its backward pass are one finding.
  const bool is_one_answer = finding.detector == channels_last && expectation.is_required;
  if (finding.is_backward != expectation.is_backward && !is_one_answer) return false;
  if (recording.has_stacks && std::ranges::none_of(expectation.sites, [&](const Site& site) { return is_at(finding, site); })) return false;
  if (expectation.operators.empty() || finding.op_path.empty() || finding.is_backward != expectation.is_backward) return true;
  return std::ranges::any_of(names_in(finding.op_path), [&](const std::string& name) { return expectation.operators.contains(name); });
}

void DetectorScore::add(const DetectorScore& other) {
  truths += other.truths, found += other.found, right += other.right, wrong += other.wrong, neutral += other.neutral;
  unassessed += other.unassessed, counts += other.counts, right_counts += other.right_counts, sizes += other.sizes;
  right_sizes += other.right_sizes;
  for (const std::uint64_t number : other.missed_in) add_numbers(missed_in, number);
  for (const std::uint64_t number : other.wrong_in) add_numbers(wrong_in, number);
}

// What one trace adds for one detector.
DetectorScore score_of_trace(std::uint64_t number, const FaultyTrace& trace, std::string_view detector,
                             const std::vector<LayoutFinding>& findings) {
  DetectorScore score;
  double said_per_step = 0, said_bytes = 0, true_per_step = 0, true_bytes = 0;
  bool is_comparable = !trace.recording.is_truncated;  // of a step that was cut off there are fewer
  for (const LayoutFinding& finding : findings) {
    if (finding.detector != detector) continue;
    const auto is_of_it = [&](const Expectation& one) { return is_about(finding, one, trace.recording); };
    const bool is_true = std::ranges::any_of(trace.expectations, [&](const Expectation& one) { return one.is_required && is_of_it(one); });
    const bool is_allowed =
        std::ranges::any_of(trace.expectations, [&](const Expectation& one) { return !one.is_required && is_of_it(one); });
    ++(is_true ? score.right : is_allowed ? score.neutral : score.wrong);
    if (!is_true && !is_allowed) add_numbers(score.wrong_in, number);
    is_comparable &= !is_allowed;  // of what is allowed no numbers are known
    said_per_step += finding.per_step;
    said_bytes += finding.bytes_per_step;
  }
  for (const Expectation& one : trace.expectations) {
    if (!one.is_required || one.detector != detector) continue;
    ++score.truths;
    const bool is_found =
        std::ranges::any_of(findings, [&](const LayoutFinding& finding) { return is_about(finding, one, trace.recording); });
    score.found += is_found;
    if (!is_found) add_numbers(score.missed_in, number);
    true_per_step += one.per_step;
    true_bytes += static_cast<double>(one.bytes_per_step);
  }
  if (!is_comparable || score.wrong > 0 || score.found < score.truths) return score;
  const auto is_near = [](double value, double wanted) { return std::abs(value - wanted) <= 0.01 * wanted; };
  score.counts = true_per_step > 0;
  score.right_counts = true_per_step > 0 && is_near(said_per_step, true_per_step);
  score.sizes = true_bytes > 0;
  score.right_sizes = true_bytes > 0 && is_near(said_bytes, true_bytes);
  return score;
}

void LayoutScore::add(std::uint64_t number, const FaultyTrace& trace, const std::optional<std::vector<LayoutFinding>>& findings) {
  ++traces;
  if (!findings) ++unread;
  const std::vector<LayoutFinding> reported = findings.value_or(std::vector<LayoutFinding>());
  for (const std::string_view detector : detectors()) {
    DetectorScore& score = scores[{trace.recording.name, detector}];
    if (trace.assessable.contains(detector)) {
      score.add(score_of_trace(number, trace, detector, reported));
    } else {
      score.unassessed += static_cast<int>(std::ranges::count(reported, detector, &LayoutFinding::detector));
    }
  }
}

DetectorScore LayoutScore::of_detector(std::string_view detector) const {
  DetectorScore result;
  for (const auto& [key, score] : scores) {
    if (key.second == detector) result.add(score);
  }
  return result;
}

DetectorScore LayoutScore::of_recording(std::string_view recording) const {
  DetectorScore result;
  for (const auto& [key, score] : scores) {
    if (key.first == recording) result.add(score);
  }
  return result;
}

DetectorScore LayoutScore::all() const {
  DetectorScore result;
  for (const auto& [key, score] : scores) result.add(score);
  return result;
}

std::optional<LayoutScore> score_layout_faults(std::uint64_t first, std::uint64_t count) {
  LayoutScore score;
  for (std::uint64_t number = first; number < first + count; ++number) {
    const FaultyTrace trace = faulty_trace(number);
    const std::optional<std::string> json = layout_json(trace.json);
    if (!json) return std::nullopt;
    score.add(number, trace, layout_findings(*json));
  }
  return score;
}

std::string layout_faults_page(const LayoutScore& score) {
  const auto row = [](std::string_view name, const DetectorScore& one) {
    const auto of = [](int right, int all) { return all == 0 ? std::string("–") : fmt::format("{} of {}", right, all); };
    const auto numbers = [](const std::vector<std::uint64_t>& list) {
      return list.empty() ? std::string("–") : fmt::format("{}", fmt::join(list, ", "));
    };
    return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, one.truths, one.found,
                       percent(one.recall()), one.right, one.wrong, percent(one.precision()), one.neutral, of(one.right_counts, one.counts),
                       of(one.right_sizes, one.sizes), numbers(one.missed_in), numbers(one.wrong_in));
  };
  const std::string_view columns =
      "| | truths | found | recall | right | wrong | precision | neutral | calls per step | bytes per step | missed in | wrong in |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|---|\n";
  const DetectorScore all = score.all();
  std::string page = fmt::format(
      "## Made-up recordings with known faults\n\n"
      "{} recordings of `tests/layout/faulty_trace.cc`, {} of them not read: simulated PyTorch programs of clean blocks, blocks that look "
      "like "
      "faults, and faulty\nones. What has to be found follows from what the simulated PyTorch did, not from the recording. Recall **{}**, "
      "precision "
      "**{}**.\n`neutral`: findings that are another view of a fault, or on the edge of a threshold. `missed in`, `wrong in`: numbers of "
      "traces.\n\n"
      "### By detector\n\n{}",
      score.traces, score.unread, percent(all.recall()), percent(all.precision()), columns);
  for (const std::string_view detector : detectors()) page += row(fmt::format("`{}`", detector), score.of_detector(detector));
  page += fmt::format("\n### By recording\n\n{}", columns);
  for (const Recording& recording : recordings()) page += row(recording.name, score.of_recording(recording.name));
  page +=
      fmt::format("\n### By detector and recording\n\nRecall / precision of so many truths; – where the recording shows too little.\n\n|");
  for (const std::string_view detector : detectors()) page += fmt::format(" | `{}`", detector);
  page += " |\n|---|--:|--:|--:|--:|--:|--:|\n";
  for (const Recording& recording : recordings()) {
    page += fmt::format("| {}", recording.name);
    for (const std::string_view detector : detectors()) {
      const auto at = score.scores.find({recording.name, detector});
      if (at == score.scores.end() || at->second.truths + at->second.right + at->second.wrong == 0) {
        page += " | –";
      } else {
        page += fmt::format(" | {:.3f} / {:.3f} of {}", at->second.recall(), at->second.precision(), at->second.truths);
      }
    }
    page += " |\n";
  }
  return page;
}

}  // namespace frx::testing::layout
