#include "cli/prediction_ledger.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/text.h"
#include "cli/folder_lock.h"
#include "compose/prediction_scores.h"

namespace frx::cli {
namespace {

using advise::Outcome;
using answer::Json;

constexpr std::uint64_t largest_ledger = std::uint64_t{64} << 20;
constexpr std::size_t longest_line = std::size_t{1} << 18;  // names of kernels can be anything
constexpr std::string_view schema = "prediction_v1";
constexpr std::array outcomes = {Outcome::held, Outcome::not_held, Outcome::moved_the_other_way, Outcome::cannot_tell};

std::string text_of(const Json& entry, std::string_view key) {
  const auto at = entry.find(key);
  return at != entry.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::optional<std::size_t> outcome_of(const Json& entry) {
  const std::string word = text_of(entry, "outcome");
  const auto at = std::ranges::find(outcomes, word, [](Outcome one) { return advise::name_of(one); });
  return at == outcomes.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - outcomes.begin()));
}

// What is wrong with a line, or "".
std::string fault_of(const Json& entry) {
  if (entry.is_discarded()) return "JSON, found something else or a line cut short";
  if (!entry.is_object() || text_of(entry, "schema") != schema) return fmt::format("an object with \"schema\": \"{}\"", schema);
  for (const char* key : {"id", "card", "kernel", "reading"}) {
    if (text_of(entry, key).empty()) return fmt::format("a text as \"{}\"", key);
  }
  return outcome_of(entry) ? "" : "held, not_held, moved_the_other_way or cannot_tell as \"outcome\"";
}

void keep(Ledger& ledger, Json entry) {
  if (ledger.ids.insert(text_of(entry, "id")).second) ledger.entries.push_back(std::move(entry));
}

Result<> add_line(Ledger& ledger, std::string_view line, std::size_t number) {
  Json entry = line.size() > longest_line ? Json(nullptr) : Json::parse(line, nullptr, false);
  if (const std::string fault = fault_of(entry); !fault.empty()) {
    return fail(ErrorKind::malformed, "expected {}", fault)
        .at(fmt::format("{}:{}", ledger.path, number))
        .hint("the file is no ledger of predictions, or was damaged; remove the line, or give another --ledger");
  }
  keep(ledger, std::move(entry));
  return {};
}

struct Tally {
  std::array<std::size_t, outcomes.size()> count{};

  // Of which it is known.
  std::size_t scored() const { return count[0] + count[1] + count[2]; }
  std::string held() const { return scored() > 0 ? fmt::format("{} of {}", count[0], scored()) : "-"; }
};

// Any change that helps makes the kernel faster; its counters are what a card is known by.
struct CardTally {
  Tally all, time;
  Tally counters() const {
    Tally result = all;
    for (std::size_t i = 0; i < outcomes.size(); ++i) result.count[i] -= time.count[i];
    return result;
  }
};

std::map<std::string, CardTally> tally_by_card(const Ledger& ledger) {
  std::map<std::string, CardTally> cards;
  for (const Json& entry : ledger.entries) {
    CardTally& card = cards[text_of(entry, "card")];
    const std::size_t outcome = *outcome_of(entry);
    ++card.all.count[outcome];
    if (text_of(entry, "reading") == "kernel_duration") ++card.time.count[outcome];
  }
  return cards;
}

}  // namespace

bool add_entry(Ledger& ledger, Json entry) {
  if (!fault_of(entry).empty()) return false;
  keep(ledger, std::move(entry));
  return true;
}

Result<Ledger> read_ledger(const std::string& path) {
  Ledger ledger;
  ledger.path = path;
  TRY_ASSIGN(ledger.bytes, read_file(path, largest_ledger));
  std::size_t number = 0;
  for (const std::string_view line : split(ledger.bytes, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    TRY(add_line(ledger, line, number));
  }
  return ledger;
}

Result<Appended> append_to_ledger(const std::string& path, const report::PredictionScores& scores) {
  const capture::Fd lock = lock_folder_of(path);
  Ledger ledger;
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    TRY_ASSIGN(ledger, read_ledger(path));
  }
  Appended appended;
  std::string& bytes = ledger.bytes;
  if (!bytes.empty() && bytes.back() != '\n') bytes += '\n';
  for (const report::ScoredPrediction& one : scores.scored) {
    const std::string line = answer::compact_json([&](answer::JsonObject& out) { compose::put_scored_prediction(out, one); });
    if (!ledger.ids.insert(text_of(Json::parse(line), "id")).second) {
      ++appended.known;
      continue;
    }
    if (line.size() > longest_line) continue;  // it could not be read again
    bytes += line + "\n";
    ++appended.added;
  }
  if (bytes.size() > largest_ledger) {
    return fail(ErrorKind::negative, "the ledger is full: {} MiB are the most it may hold", largest_ledger >> 20)
        .at(path)
        .hint("give another --ledger; the file is left as it is");
  }
  if (appended.added > 0) {
    TRY(write_file(path, bytes));
  }
  return appended;
}

std::string ledger_text(const Ledger& ledger) {
  const std::map<std::string, CardTally> cards = tally_by_card(ledger);
  std::string text = fmt::format("PREDICTION LEDGER: {} ({} of {})\n", printable(ledger.path),
                                 count_text(ledger.entries.size(), "prediction"), count_text(cards.size(), "card"));
  if (cards.empty()) return text;
  text += fmt::format("\n{:<40}{:>13}{:>11}\n", "HELD, WHERE ONE CAN TELL", "ITS COUNTERS", "TIME");
  for (const auto& [card, tally] : cards)
    text += fmt::format("{:<40}{:>13}{:>11}\n", printable(card), tally.counters().held(), tally.time.held());
  return text +
         "\nNobody knows whether the advice was followed each time, and the time of a\nkernel falls with any change that helps: its "
         "counters are what a card is known\n"
         "by. Few predictions of one card say little about it.\n";
}

answer::Json ledger_json(const Ledger& ledger) {
  const auto counts = [](const Tally& tally) {
    Json json = {{"scored", tally.scored()}};
    for (std::size_t i = 0; i < outcomes.size(); ++i) json[std::string(advise::name_of(outcomes[i]))] = tally.count[i];
    return json;
  };
  Json json = {
      {"schema", "prediction_ledger_v1"}, {"predictions", ledger.entries.size()}, {"cards", Json::array()}, {"entries", ledger.entries}};
  for (const auto& [card, tally] : tally_by_card(ledger))
    json["cards"].push_back({{"card", card}, {"counters", counts(tally.counters())}, {"kernel_time", counts(tally.time)}});
  return json;
}

}  // namespace frx::cli
