#include "corpus/judge_labels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "base/text.h"
#include "corpus/ncu_labels.h"

namespace frx::corpus {
namespace {

namespace fs = std::filesystem;
using Categories = std::set<std::string>;

Categories categories_of(const std::string& label, const knowledge::JudgeKnowledge& judge) {
  Categories found;
  if (const knowledge::JudgeCategory* const one = judge.category_of_label(label)) found.emplace(one->id);
  if (label == "warp_stall_memory") found.emplace("memory-bound");
  return found;
}

// The one that data/judge has; "" of a statement about the whole.
std::string category_of(const std::string& label, const knowledge::JudgeKnowledge& judge) {
  const knowledge::JudgeCategory* const one = judge.category_of_label(label);
  return one ? std::string(one->id) : std::string();
}

// Two different labels, one for each of the two.
bool fits_two(const std::vector<std::string>& answer, const std::vector<std::string>& labels, const knowledge::JudgeKnowledge& judge) {
  for (std::size_t a = 0; a < labels.size(); ++a) {
    for (std::size_t b = 0; b < labels.size(); ++b) {
      if (a != b && labels[a] != labels[b] && categories_of(labels[a], judge).contains(answer[0]) &&
          categories_of(labels[b], judge).contains(answer[1]))
        return true;
    }
  }
  return false;
}

bool says(const std::vector<std::string>& labels, std::string_view word) { return std::ranges::find(labels, word) != labels.end(); }

Result<report::JudgeSubject> subject_in(report::testing::Bench& bench, const fs::path& path, const std::string& kernel) {
  TRY_ASSIGN(const std::string bytes, read_file(path.string()));
  report::KernelChoice choice;
  if (kernel != "*") choice.name = kernel;
  return bench.subject(bytes, choice);
}

std::vector<std::string> categories_of(const report::Judgement& judgement) {
  std::vector<std::string> categories;
  for (const report::JudgedBottleneck& one : judgement.bottlenecks) categories.push_back(one.category);
  return categories;
}

// Read from the counters: what limits first, what may stand second, and the coarse category of the first.
struct HandLabel {
  std::string_view folder;
  int first_round, last_round;
  Categories first, second;
  std::string_view coarse;
};
const std::vector<HandLabel>& hand_labels() {
  static const std::vector<HandLabel> labels = {
      // 254 registers leave 6 % of the warps, DRAM at 18 to 41 %, and from the second round on long waits for loads.
      {"04_Matrix_vector_multiplication", 1, 1, {"occupancy-limited"}, {"latency-bound"}, "underutilized"},
      {"04_Matrix_vector_multiplication",
       2,
       2,
       {"latency-bound", "occupancy-limited"},
       {"latency-bound", "occupancy-limited"},
       "underutilized"},
      {"04_Matrix_vector_multiplication",
       3,
       8,
       {"occupancy-limited", "latency-bound"},
       {"occupancy-limited", "latency-bound"},
       "underutilized"},
      // SM at 91 % with half of each sector wasted; then L1 at 99 % with a quarter of each sector used.
      {"43_Max_Pooling_3D", 1, 1, {"compute-bound"}, {"memory-bound"}, "compute"},
      {"43_Max_Pooling_3D", 2, 8, {"memory-bound"}, {"latency-bound", "compute-bound"}, "memory"},
      {"82_conv_depthwise_2D_square_input_square", 1, 1, {"compute-bound"}, {"memory-bound"}, "compute"},
      {"82_conv_depthwise_2D_square_input_square", 2, 8, {"memory-bound"}, {"latency-bound", "compute-bound"}, "memory"}};
  return labels;
}

const HandLabel* hand_label(const std::string& folder, int round) {
  const auto fits = [&](const HandLabel& one) { return one.folder == folder && round >= one.first_round && round <= one.last_round; };
  const auto at = std::ranges::find_if(hand_labels(), fits);
  return at == hand_labels().end() ? nullptr : &*at;
}

}  // namespace

std::vector<JudgedRow> judge_labels(const fs::path& corpus) {
  report::testing::Bench bench;
  std::vector<JudgedRow> rows;
  for (const LabelRow& label : read_labels(corpus)) {
    if (says(label.accepted, "insufficient_ncu_data") || says(label.accepted, "inconclusive")) continue;
    JudgedRow row{label.file, label.kernel, label.accepted, {}, label.sure, false, false, false};
    for (const std::string& found : label.must_find) {
      if (!says(row.labels, found)) row.labels.push_back(found);
    }
    Categories named;
    for (const std::string& one : row.labels) named.insert(category_of(one, bench.judge()));
    named.erase("");
    row.names_two = named.size() >= 2;
    const auto subject = subject_in(bench, corpus / label.file, label.kernel);
    if (subject) row.categories = categories_of(bench.rules(*subject));
    for (const std::string& one : label.accepted) {
      const bool at_limit = one == "at_hardware_limit" && !row.categories.empty() &&
                            (row.categories[0] == "memory-bound" || row.categories[0] == "compute-bound");
      row.first_fits =
          row.first_fits || at_limit || (!row.categories.empty() && categories_of(one, bench.judge()).contains(row.categories[0]));
    }
    row.both_fit = row.names_two && row.categories.size() == 2 && fits_two(row.categories, row.labels, bench.judge());
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<JudgedReply> judge_replies(const fs::path& corpus) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::recursive_directory_iterator(corpus / "artifacts/kernelagent")) {
    if (entry.path().filename() == "bottleneck_response.txt") folders.push_back(entry.path().parent_path());
  }
  std::ranges::sort(folders);
  report::testing::Bench bench("H100");
  std::vector<JudgedReply> replies;
  for (const fs::path& folder : folders) {
    JudgedReply one;
    const std::string kernel = folder.parent_path().filename().string();
    one.file = kernel + "/" + folder.filename().string();
    const auto subject = subject_in(bench, folder / "input_ncu_metrics.json", "*");
    const auto text = read_file((folder / "bottleneck_response.txt").string());
    const HandLabel* const label = hand_label(kernel, std::atoi(folder.filename().string().substr(6).c_str()));
    if (!subject || !text || !label) continue;
    report::CheckRequest request;
    request.demands = {report::JudgeContract::list, 1, 2, 1};
    const report::JudgeVerdict verdict = bench.check(*subject, *text, request);
    one.expected = label->coarse;
    one.said = verdict.bottlenecks.empty() ? "" : verdict.bottlenecks[0].category;
    one.category_fits = one.said == one.expected;
    one.citations = verdict.citations;
    for (const report::JudgeProblem& error : verdict.errors) {
      one.wrong += error.code == "wrong_value" || error.code == "wrong_unit" ? 1 : 0;
      one.errors.push_back(fmt::format("{}: {}", error.where, error.message));
    }
    one.is_valid = verdict.is_valid();
    one.ours = categories_of(bench.rules(*subject));
    one.ours_fit = one.ours.size() == 2 && label->first.contains(one.ours[0]) && label->second.contains(one.ours[1]);
    replies.push_back(std::move(one));
  }
  return replies;
}

ChangedNumbers change_numbers_of_replies(const fs::path& corpus) {
  using Reply = nlohmann::ordered_json;
  ChangedNumbers changed;
  report::testing::Bench bench("H100");
  report::CheckRequest request;
  request.demands = {report::JudgeContract::list, 1, 2, 1};
  for (const auto& entry : fs::recursive_directory_iterator(corpus / "artifacts/kernelagent")) {
    if (entry.path().filename() != "bottleneck_response.txt") continue;
    const auto subject = subject_in(bench, entry.path().parent_path() / "input_ncu_metrics.json", "*");
    Reply reply = Reply::parse(read_file(entry.path().string()).value(), nullptr, false);
    if (!subject || !reply.is_array()) continue;
    const auto wrong_values = [&] {
      const report::JudgeVerdict verdict = report::check_reply(reply, *subject, bench.knowledge(), bench.judge(), request);
      return std::ranges::count_if(verdict.errors,
                                   [](const report::JudgeProblem& one) { return one.code == "wrong_value" || one.code == "wrong_unit"; });
    };
    const auto before = wrong_values();
    const auto is_of_profile = [&](double value) {
      return std::ranges::any_of(subject->facts, [&](const report::JudgedFact& fact) {
        return fact.value && std::abs(value - *fact.value) <= std::max(0.02 * *fact.value, 0.005);
      });
    };
    const auto change_prose = [&](Reply& text) {
      static const std::regex number(R"((^|[^\w.])(\d+(?:\.\d+)?)(?=\s*%| registers| blocks))");
      const std::string original = text.get<std::string>();
      for (std::sregex_iterator at(original.begin(), original.end(), number), end; at != end; ++at) {
        const double value = std::atof((*at)[2].str().c_str());
        if (value < 3 || !is_of_profile(value)) continue;
        const double other = 1.3 * value + 1 <= 100 ? 1.3 * value + 1 : 0.7 * value - 1;
        const auto place = static_cast<std::size_t>(at->position(2));
        text = original.substr(0, place) + fmt::format("{:.2f}", other) + original.substr(place + at->length(2));
        ++changed.in_prose;
        changed.found_in_prose += wrong_values() > before ? 1 : 0;
      }
      text = original;
    };
    for (Reply& bottleneck : reply) {
      change_prose(bottleneck["summary"]);
      change_prose(bottleneck["reasoning"]);
      for (Reply& cause : bottleneck["root_causes"]) {
        change_prose(cause["cause"]);
        for (Reply& evidence : cause["evidence"]) {
          const Reply value = evidence["value"];
          if (!value.is_number() || value.get<double>() == 0 || !is_of_profile(value.get<double>())) continue;
          evidence["value"] = 1.3 * value.get<double>() + 1;
          ++changed.in_evidence;
          changed.found_in_evidence += wrong_values() > before ? 1 : 0;
          evidence["value"] = value;
        }
      }
    }
  }
  return changed;
}

}  // namespace frx::corpus
