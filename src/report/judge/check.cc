#include "report/judge/check.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "base/units.h"
#include "report/judge/claims.h"
#include "report/judge/launch_proposals.h"
#include "report/operators/json_members.h"

namespace frx::report {
namespace {

using ReplyValue = nlohmann::ordered_json;
using knowledge::JudgeCategory;

constexpr std::size_t shortest_text = 5, fewest_metrics = 3, most_metrics = 4, most_entries = 64;
constexpr double least_support = 0.05;  // below it the counters say nothing for a category
constexpr double busy_from = 65;        // percent: a unit that busy is not underutilised, with a margin over the documented 60

std::size_t words_in(std::string_view text) {
  std::size_t count = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t';
    count += !is_blank && !in_word ? 1 : 0;
    in_word = !is_blank;
  }
  return count;
}

// Lower case, words alone: how fixes are compared.
std::string plain_words(std::string_view text) {
  std::string plain;
  for (const char c : to_lower(text)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      plain += c;
    else if (!plain.empty() && plain.back() != ' ')
      plain += ' ';
  }
  return std::string(trim(plain));
}

std::string words_to_ask_again(const std::vector<JudgeProblem>& errors);

class Check {
 public:
  Check(const JudgeSubject& subject, const knowledge::Knowledge& knowledge, const knowledge::JudgeKnowledge& judge,
        const CheckRequest& request)
      : subject_(subject), knowledge_(knowledge), judge_(judge), request_(request), claims_(subject), light_(speed_of_light(subject)) {
    for (const std::string& fix : request.failed_fixes) failed_fixes_.insert(plain_words(fix));
  }

  JudgeVerdict run(const ReplyValue& reply) {
    const std::optional<JudgeContract> contract = contract_of(reply);
    verdict_.contract = contract.value_or(request_.demands.contract);
    if (!contract || *contract != request_.demands.contract) {
      error("schema", "the answer",
            fmt::format("expected the {} contract", request_.demands.contract == JudgeContract::dual ? "dual" : "list"));
    }
    if (reply.is_object() && reply.contains("bottlenecks")) {
      take_list(reply["bottlenecks"], "bottlenecks");
    } else if (verdict_.contract == JudgeContract::dual && reply.is_object()) {
      take_pair(reply);
    } else {
      take_list(reply.is_array() ? reply : ReplyValue::array({reply}), "");
    }
    check_distinct();
    verdict_.ask_again = words_to_ask_again(verdict_.errors);
    return std::move(verdict_);
  }

 private:
  void error(std::string_view code, std::string where, std::string message, std::string said = {}, std::string actual = {}) {
    ++verdict_.checks;
    verdict_.errors.push_back({code, std::move(where), std::move(message), printable(shorten(said, 200)), std::move(actual)});
  }
  void warn(std::string_view code, std::string where, std::string message, std::string said = {}, std::string actual = {}) {
    verdict_.warnings.push_back({code, std::move(where), std::move(message), printable(shorten(said, 200)), std::move(actual)});
  }
  void holds() { ++verdict_.checks, ++verdict_.held; }

  bool is_dual() const { return verdict_.contract == JudgeContract::dual; }

  void take_pair(const ReplyValue& reply) {
    std::size_t found = 0;
    for (const char* key : {"bottleneck_1", "bottleneck_2"}) {
      const auto at = reply.find(key);
      if (at == reply.end()) continue;
      if (!at->is_object()) {
        error("wrong_type", key, "expected an object");
        continue;
      }
      ++found;
      take_entry(*at, key);
    }
    count_entries(found, 2);
  }

  void take_list(const ReplyValue& list, const std::string& name) {
    if (!list.is_array()) return error("wrong_type", name.empty() ? "the answer" : name, "expected a list of bottlenecks");
    std::size_t found = 0;
    for (const ReplyValue& one : list) {
      const std::string where = fmt::format("{}[{}]", name, found++);
      if (found > most_entries) break;
      if (one.is_object())
        take_entry(one, where);
      else
        error("wrong_type", where, "expected an object");
    }
    if (is_dual() || request_.counts_bottlenecks) count_entries(found, is_dual() ? 2 : request_.demands.bottlenecks);
  }

  void count_entries(std::size_t found, std::size_t wanted) {
    if (found == wanted) return holds();
    const std::string message = fmt::format("expected {}, found {}", count_text(wanted, "bottleneck"), found);
    request_.allow_partial&& found > 0 && found < wanted ? warn("missing", "the answer", message) : error("missing", "the answer", message);
  }

  void take_entry(const ReplyValue& entry, const std::string& where) {
    JudgedBottleneck one;
    one.origin = "llm";
    one.category = text_of(entry, "category");
    check_category(one, where);
    one.summary = text_of(entry, "summary");
    // The schema of ours has the members of both contracts.
    const bool is_pair_shape = is_dual();
    one.root_cause = text_of(entry, is_pair_shape ? "root_cause" : "reasoning");
    one.suggestion = text_of(entry, "suggestion");
    one.expected_improvement = text_of(entry, "expected_improvement");
    if (is_pair_shape)
      check_pair_members(entry, one, where);
    else
      check_list_members(entry, one, where);
    check_prose(one.summary, where + ".summary");
    check_prose(one.root_cause, where + (is_pair_shape ? ".root_cause" : ".reasoning"));
    verdict_.bottlenecks.push_back(std::move(one));
  }

  // --- Members ---

  void check_text(const std::string& text, const std::string& where, std::size_t most_words) {
    if (trim(text).size() < shortest_text)
      return error("too_short", where, fmt::format("expected a text of at least {} characters", shortest_text), text);
    holds();
    if (const std::size_t words = words_in(text); words > most_words)
      warn("too_long", where, fmt::format("{} words, expected at most {}", words, most_words));
  }

  void check_pair_members(const ReplyValue& entry, JudgedBottleneck& one, const std::string& where) {
    constexpr std::size_t words_of_cause = 50, words_of_suggestion = 50, words_of_improvement = 40;
    check_text(one.root_cause, where + ".root_cause", words_of_cause);
    check_text(one.suggestion, where + ".suggestion", words_of_suggestion);
    check_text(one.expected_improvement, where + ".expected_improvement", words_of_improvement);
    check_proposal(one.suggestion, where + ".suggestion");
    const auto metrics = entry.find("priority_metrics");
    if (metrics == entry.end() || !metrics->is_array())
      return error("missing", where + ".priority_metrics", "expected a list of names of counters");
    std::size_t number = 0;
    for (const ReplyValue& name : *metrics) {
      const std::string place = fmt::format("{}.priority_metrics[{}]", where, number++);
      if (number > most_entries) break;
      if (!name.is_string()) {
        error("wrong_type", place, "expected the name of a counter");
        continue;
      }
      one.priority_metrics.push_back(name.get<std::string>());
      check_metric(one.priority_metrics.back(), place);
    }
    if (number < fewest_metrics || number > most_metrics) {
      warn("count", where + ".priority_metrics",
           fmt::format("{}, expected {} or {}", count_text(number, "counter"), fewest_metrics, most_metrics));
    }
  }

  void check_list_members(const ReplyValue& entry, JudgedBottleneck& one, const std::string& where) {
    check_text(one.summary, where + ".summary", 100);
    check_text(one.root_cause, where + ".reasoning", 200);
    const auto causes = entry.find("root_causes");
    if (causes == entry.end() || !causes->is_array()) return error("missing", where + ".root_causes", "expected a list of causes");
    std::size_t number = 0;
    for (const ReplyValue& cause : *causes) {
      const std::string place = fmt::format("{}.root_causes[{}]", where, number++);
      if (number > most_entries) break;
      if (cause.is_object())
        one.causes.push_back(read_cause(cause, place));
      else
        error("wrong_type", place, "expected an object");
    }
    if (number != request_.demands.causes)
      warn("count", where + ".root_causes", fmt::format("{}, expected {}", count_text(number, "cause"), request_.demands.causes));
    read_fixes(entry, "recommended_fixes", one, where);
    const bool has_fix = std::ranges::any_of(one.causes, [](const JudgedCause& cause) { return !cause.fixes.empty(); });
    has_fix ? holds() : error("missing", where + ".recommended_fixes", "expected a fix");
  }

  JudgedCause read_cause(const ReplyValue& entry, const std::string& where) {
    JudgedCause cause;
    cause.cause = text_of(entry, "cause");
    check_text(cause.cause, where + ".cause", 100);
    check_prose(cause.cause, where + ".cause");
    if (const auto evidence = entry.find("evidence"); evidence != entry.end() && evidence->is_array()) {
      std::size_t number = 0;
      for (const ReplyValue& one : *evidence) {
        const std::string place = fmt::format("{}.evidence[{}]", where, number++);
        if (number > most_entries) break;
        if (one.is_object()) cause.evidence.push_back(read_evidence(one, place));
      }
      if (number == 0) error("missing", where + ".evidence", "expected counters with their values");
    } else {
      error("missing", where + ".evidence", "expected counters with their values");
    }
    JudgedBottleneck holder;
    holder.causes.emplace_back();
    read_fixes(entry, "fixes", holder, where);
    cause.fixes = std::move(holder.causes.front().fixes);
    return cause;
  }

  // Fixes of a cause, and those of the whole, which stand with the first cause.
  void read_fixes(const ReplyValue& entry, const char* key, JudgedBottleneck& one, const std::string& where) {
    const auto fixes = entry.find(key);
    if (fixes == entry.end() || !fixes->is_array()) return;
    std::size_t number = 0;
    for (const ReplyValue& fix : *fixes) {
      const std::string place = fmt::format("{}.{}[{}]", where, key, number++);
      if (number > most_entries) break;
      JudgedFix read{fix.is_string()   ? fix.get<std::string>()
                     : fix.is_object() ? text_of(fix, "fix")
                                       : std::string(),
                     fix.is_object() ? text_of(fix, "rationale") : std::string()};
      check_text(read.fix, place + ".fix", 120);
      check_proposal(read.fix, place + ".fix");
      if (one.suggestion.empty()) one.suggestion = read.fix;
      if (one.causes.empty()) one.causes.emplace_back();
      const auto same = [&](const JudgedFix& other) { return other.fix == read.fix; };
      if (std::ranges::none_of(one.causes.front().fixes, same)) one.causes.front().fixes.push_back(std::move(read));
    }
  }

  JudgedEvidence read_evidence(const ReplyValue& entry, const std::string& where) {
    JudgedEvidence evidence{text_of(entry, "metric"), std::nullopt, text_of(entry, "unit"), text_of(entry, "interpretation")};
    const JudgedFact* const fact = check_metric(evidence.metric, where + ".metric");
    const auto value = entry.find("value");
    std::string said;
    if (value != entry.end() && value->is_number()) {
      evidence.value = value->get<double>();
      said = fmt::format("{}{}", *evidence.value, evidence.unit);
    } else if (value != entry.end() && value->is_string()) {
      said = value->get<std::string>();
    } else {
      error("missing", where + ".value", "expected the value of the counter");
    }
    if (fact && !said.empty()) check_quote(said, evidence, *fact, where + ".value");
    check_prose(evidence.interpretation, where + ".interpretation");
    return evidence;
  }

  // A value beside the name of its counter, as prose would have it.
  void check_quote(const std::string& said, JudgedEvidence& evidence, const JudgedFact& fact, const std::string& where) {
    const std::vector<Claim> claims = claims_.claims_in(fact.key + " = " + said);
    ++verdict_.citations;
    if (claims.empty())
      return error("wrong_value", where, fmt::format("expected a number, the profile has {}", fact_text(fact)), said, fact_text(fact));
    if (!evidence.value) evidence.value = claims.front().number.value;
    judge_claim(claims.front(), where);
  }

  // --- Facts ---

  // The fact of that name; an error where there is none.
  const JudgedFact* check_metric(const std::string& name, const std::string& where) {
    const std::string_view bare = trim(std::string_view(name));
    if (const JudgedFact* const fact = subject_.fact(bare, knowledge_.metrics)) return holds(), fact;
    for (const JudgedFact& fact : subject_.facts) {  // a label instead of a name
      if (fact.value && equals_ignoring_case(fact.label, bare)) return holds(), &fact;
    }
    const std::optional<model::Metric> known = knowledge_.metrics.called({}, bare, std::nullopt);
    if (known) {
      error("metric_not_measured", where, fmt::format("'{}' was not measured in this profile", printable(shorten(name, 120))), name);
    } else {
      const std::string near = nearest(bare);
      error("metric_unknown", where,
            fmt::format("the profile has no counter '{}'{}", printable(shorten(name, 120)),
                        near.empty() ? "" : "; the nearest name is " + near),
            name, near);
    }
    return nullptr;
  }

  // By the number of letters they share at both ends: names of counters differ in the middle.
  std::string nearest(std::string_view name) const {
    const JudgedFact* best = nullptr;
    std::size_t most = name.size() / 2;
    for (const JudgedFact& fact : subject_.facts) {
      if (!fact.value) continue;
      const auto front = static_cast<std::size_t>(std::ranges::mismatch(fact.key, name).in1 - fact.key.begin());
      std::size_t back = 0;
      while (back < std::min(fact.key.size(), name.size()) - front && fact.key[fact.key.size() - 1 - back] == name[name.size() - 1 - back])
        ++back;
      if (front + back > most) most = front + back, best = &fact;
    }
    return best ? best->key : std::string();
  }

  void check_prose(const std::string& text, const std::string& where) {
    for (const Claim& claim : claims_.claims_in(text)) {
      ++verdict_.citations;
      judge_claim(claim, where);
    }
  }

  void judge_claim(const Claim& claim, const std::string& where) {
    const std::string said = fmt::format("{} {}", claim.about, claim.text);
    switch (claim.fit) {
      case Fit::fits: return holds();
      case Fit::not_measured:
        return warn("unchecked", where, fmt::format("'{}' was not measured, so {} cannot be checked", claim.about, claim.text), said);
      case Fit::wrong_unit:
        return error("wrong_unit", where,
                     fmt::format("{} cannot be {}: the profile has {}", claim.about, claim.text, fact_words(*claim.fact)), said,
                     fact_text(*claim.fact));
      case Fit::wrong_value:
        return error("wrong_value", where,
                     fmt::format("{} is not {}: the profile has {}", claim.about, claim.text, fact_words(*claim.fact)), said,
                     fact_text(*claim.fact));
    }
  }

  void check_proposal(const std::string& text, const std::string& where) {
    for (const ProposalProblem& problem : problems_of_proposal(text, subject_.limits)) {
      if (problem.is_impossible)
        error("impossible_launch", where, fmt::format("'{}': {}", problem.said, problem.message), problem.said);
      else
        warn("unlikely_launch", where, fmt::format("'{}': {}", problem.said, problem.message), problem.said);
    }
    const std::string plain = plain_words(text);
    if (!plain.empty() && failed_fixes_.contains(plain))
      warn("fix_tried_before", where, "this was tried before, and brought nothing", text);
  }

  // --- Categories ---

  void check_category(JudgedBottleneck& one, const std::string& where) {
    const std::string said = one.category;
    const std::string place = where + ".category";
    const JudgeCategory* fine = is_dual() ? judge_.category(trim(std::string_view(said))) : nullptr;
    if (!is_dual()) {
      for (const JudgeCategory& category : judge_.categories()) {
        if (equals_ignoring_case(category.coarse, trim(std::string_view(said)))) fine = &category;
      }
    }
    if (!fine) return error("category_unknown", place, fmt::format("expected one of {}", names_of_categories()), said);
    holds();
    one.category = is_dual() ? fine->id : fine->coarse;
    if (one.category != said) warn("category_spelling", place, fmt::format("expected '{}'", one.category), said, one.category);
    is_dual() ? check_support(*fine, place) : check_coarse(one.category, place);
  }

  std::string names_of_categories() const {
    std::vector<std::string_view> names;
    for (const JudgeCategory& category : judge_.categories()) {
      const std::string_view name = is_dual() ? category.id : category.coarse;
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  void check_support(const JudgeCategory& category, const std::string& where) {
    const std::optional<double> support = support_of(category, subject_);
    if (!support) return warn("unchecked", where, fmt::format("no counter that would support {} was measured", category.id));
    if (*support >= least_support) return holds();
    error("against_evidence", where, fmt::format("the counters do not support {}: {}", category.id, evidence_text(category)),
          std::string(category.id), strongest());
  }

  void check_coarse(const std::string& category, const std::string& where) {
    if (category == "underutilized") {
      if (!light_.efficiency_pct) return warn("unchecked", where, "both speeds of light have to be known for it");
      if (*light_.efficiency_pct < busy_from) return holds();
      return error("against_evidence", where,
                   fmt::format("underutilized means that both speeds of light are below 60 %: compute is at {:.1f} %, memory at {:.1f} %",
                               *light_.compute_pct, *light_.memory_pct),
                   category, std::string(coarse_category(light_)));
    }
    check_support(*judge_.category(category + "-bound"), where);
  }

  // "DRAM Throughput 8.00%, L2 Throughput 12.00%"
  std::string evidence_text(const JudgeCategory& category) const {
    std::string text;
    for (const model::Metric metric : category.evidence) {
      const JudgedFact* const fact = subject_.fact_with_id(knowledge_.metrics[metric].id);
      if (!fact || !fact->value || text.size() > 160) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", fact->label, fact_words(*fact));
    }
    return text.empty() ? "none is near a limit" : text;
  }

  std::string strongest() const {
    const JudgeCategory* best = nullptr;
    double most = least_support;
    for (const JudgeCategory& category : judge_.categories()) {
      const double support = support_of(category, subject_).value_or(0);
      if (support > most) most = support, best = &category;
    }
    return best ? std::string(is_dual() ? best->id : best->coarse) : std::string();
  }

  void check_distinct() {
    if (!is_dual() || verdict_.bottlenecks.size() < 2) return;
    const std::string& first = verdict_.bottlenecks[0].category;
    const std::string& second = verdict_.bottlenecks[1].category;
    if (first.empty() || second.empty()) return;
    if (first == second)
      error("category_repeated", "bottleneck_2.category", fmt::format("both bottlenecks are {}: they have to differ", first), second);
    else
      holds();
    const auto& a = verdict_.bottlenecks[0];
    const auto& b = verdict_.bottlenecks[1];
    if (!a.root_cause.empty() && plain_words(a.root_cause) == plain_words(b.root_cause))
      error("category_repeated", "bottleneck_2.root_cause", "both bottlenecks have one root cause", b.root_cause);
  }

  const JudgeSubject& subject_;
  const knowledge::Knowledge& knowledge_;
  const knowledge::JudgeKnowledge& judge_;
  const CheckRequest& request_;
  ClaimReader claims_;
  SpeedOfLight light_;
  std::set<std::string> failed_fixes_;  // in plain words
  JudgeVerdict verdict_;
};

std::string words_to_ask_again(const std::vector<JudgeProblem>& errors) {
  if (errors.empty()) return {};
  std::string text = "The answer does not hold against the profile. Correct these points, and give the whole answer again:\n";
  for (const JudgeProblem& problem : errors) text += fmt::format("- {}: {}\n", problem.where, problem.message);
  return text;
}

}  // namespace

JudgeVerdict verdict_without_answer(const std::string& why, JudgeContract contract) {
  JudgeVerdict verdict;
  verdict.contract = contract;
  verdict.checks = 1;
  verdict.errors.push_back({"schema", "the answer", why, {}, {}});
  verdict.ask_again = words_to_ask_again(verdict.errors);
  return verdict;
}

JudgeVerdict check_reply(const nlohmann::ordered_json& reply, const JudgeSubject& subject, const knowledge::Knowledge& knowledge,
                         const knowledge::JudgeKnowledge& judge, const CheckRequest& request) {
  return Check(subject, knowledge, judge, request).run(reply);
}

}  // namespace frx::report
