#include "analyse/why_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "advise/catalogue.h"
#include "base/text.h"
#include "base/units.h"

namespace frx::analyse {
namespace {

constexpr std::size_t story_width = 66, story_word = 9;

std::string speedup_words(const advise::Recommendation& card) {
  if (!card.estimated_speedup_pct_min || !card.estimated_speedup_pct_max) return {};
  return fmt::format("{} to {} %, what such changes usually give{}", format_number(*card.estimated_speedup_pct_min),
                     format_number(*card.estimated_speedup_pct_max), card.speedup_bound_pct ? ", capped by the time at stake" : "");
}

void add_recommendation(std::string& story, std::string_view of, const advise::Recommendation& card, std::size_t place,
                        const advise::Catalogue* catalogue) {
  story += fmt::format("{}: {} is recommended, place {} with score {:.2f}: {}\n", of, card.id, place, card.score, card.title);
  add_story_lines(story, "for",
                  card.kernel.empty() ? std::string(card.label) : fmt::format("{} of {}", card.label, printable(card.kernel)));
  if (catalogue) {
    for (const advise::Rule& rule : catalogue->rules()) {
      if (rule.id != card.triggered_by) continue;
      add_story_lines(story, "rule", fmt::format("{} ({})", rule.id, rule.where));
      if (rule.when) add_story_lines(story, "", rule.when.text());
      if (rule.min_score > 0) add_story_lines(story, "", fmt::format("and a score of {} at least", rule.min_score));
      break;
    }
  }
  add_story_lines(story, "because", card.because);
  if (card.time_at_stake_ns) add_story_lines(story, "at stake", "at most " + format_quantity(*card.time_at_stake_ns, "ns"));
  add_story_lines(story, "gain", speedup_words(card));
  add_story_lines(story, "ranked", fmt::format("{}", fmt::join(card.why_ranked, "; ")));
}

// A card that was not given.
std::string absent_card_story(const advise::Card& card, const advise::Catalogue& catalogue, const advise::Advice& advice,
                              VerdictOf verdict_of, const void* report) {
  std::string story = fmt::format("{} is not recommended here: {}\n", card.id, card.title);
  add_story_lines(story, "card", card.where);
  for (const advise::Withheld& withheld : advice.withheld) {
    if (withheld.card == &card || withheld.card->id == card.id) add_story_lines(story, "withheld", withheld.reason);
  }
  for (const advise::Rule& rule : catalogue.rules()) {
    const bool has_card = std::ranges::any_of(rule.cards, [&](const advise::Card* one) { return one->id == card.id; });
    const std::string verdict = has_card ? verdict_of(report, rule.bottleneck) : std::string();
    if (verdict.empty()) continue;
    add_story_lines(story, "for", fmt::format("{}, which {}", rule.bottleneck, verdict));
    if (rule.when) add_story_lines(story, "when", rule.when.text());
    if (rule.suppressed_if) add_story_lines(story, "unless", rule.suppressed_if.text());
  }
  if (card.never_when) add_story_lines(story, "never", "when " + std::string(card.never_when.text()));
  return story;
}

}  // namespace

void add_story_lines(std::string& story, std::string_view word, std::string_view text) {
  if (text.empty()) return;
  for (const std::string& line : wrap(std::string(text), story_width)) {
    story += fmt::format("  {:<{}}{}\n", word, story_word, line);
    word = {};
  }
}

std::string recommendation_story(const advise::Advice& advice, std::string_view of, std::string_view field,
                                 const knowledge::Knowledge& knowledge, VerdictOf verdict_of, const void* report) {
  const auto catalogue = advise::Catalogue::load_unchecked(knowledge);
  const bool all = field == "recommendations";
  std::string story;
  for (std::size_t i = 0; i < advice.recommendations.size(); ++i) {
    if (all || advice.recommendations[i].id == field)
      add_recommendation(story, of, advice.recommendations[i], i + 1, catalogue ? &*catalogue : nullptr);
  }
  if (all && story.empty()) return fmt::format("{}: nothing is recommended\n", of);
  if (!story.empty() || !catalogue) return story;
  const advise::Card* card = catalogue->card(field);
  return card ? absent_card_story(*card, *catalogue, advice, verdict_of, report) : std::string();
}

std::string verdict_words(std::span<const model::Finding> holds, std::span<const model::Finding> others, std::string_view label) {
  if (model::find_finding(holds, label)) return "holds";
  const model::Finding* other = model::find_finding(others, label);
  if (!other) return {};
  return other->is_clear() ? "does not hold: what was measured rules it out" : "is inconclusive";
}

Failure unknown_field(std::string_view field, std::string_view nearest) {
  Failure failure = fail(ErrorKind::usage, "--why: no field, metric, label or card is called '{}'", printable(field));
  if (nearest.empty()) return failure;
  return std::move(failure).hint(fmt::format("the nearest name is '{}'", nearest));
}

}  // namespace frx::analyse
