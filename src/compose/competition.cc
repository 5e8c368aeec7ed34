// What frx kernel compete says, and the result compete_v1.

#include "base/text.h"
#include "base/units.h"
#include "compose/recording_tables.h"
#include "compose/recordings.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using report::Competition;
using report::Competitor;

std::string milliseconds_text(std::optional<double> ms) { return ms ? fmt::format("{:.2f}", *ms) : "n/a"; }

// "1.35x (1.30 to 1.41)": how much longer it takes than the fastest.
std::string ratio_text(const Competitor& one) {
  if (!one.against_fastest || !one.against_fastest->ratio) return "";
  std::string text = fmt::format("{:.2f}x", *one.against_fastest->ratio);
  if (one.against_fastest->low) text += fmt::format(" ({:.2f} to {:.2f})", *one.against_fastest->low, *one.against_fastest->high);
  return text;
}

Document page_of(const Competition& competition) {
  Document page;
  page.headline = competition.verdict;
  add_recording_heading(page, "CGP Compete:", competition.workload);
  Table table{{{"Command", 24},
               number_column("Median (ms)", 12),
               number_column("MAD (ms)", 10),
               number_column("Runs", 6),
               words_column("Time against the fastest")}};
  for (std::size_t i = 0; i < competition.competitors.size(); ++i) {
    const Competitor& one = competition.competitors[i];
    const std::string against = !one.command.failure.empty() ? "failed" : i == competition.fastest ? "fastest" : ratio_text(one);
    table.add({clip(printable(one.command.label), 24), milliseconds_text(one.median_ms), milliseconds_text(one.mad_ms),
               fmt::to_string(one.command.runs_ms.size()), against});
  }
  page.add(std::move(table));
  page.blank();
  page.paragraph(competition.verdict, 2, competition.winner ? Tone::green : Tone::yellow);
  if (competition.runs > 0)
    page.paragraph(fmt::format("Wall time of whole processes, {} of each in turn after {} that {} not count; intervals at 99 %.",
                               count_text(competition.runs, "run"), count_text(competition.warmup, "run"),
                               competition.warmup == 1 ? "does" : "do"));
  std::vector<std::string> failures;
  for (const Competitor& one : competition.competitors) {
    if (!one.command.failure.empty()) failures.push_back(fmt::format("{}: {}", printable(one.command.label), one.command.failure));
  }
  add_list(page, "Failed", failures);
  page.blank();
  return page;
}

void put_competitor(JsonObject& out, const Competitor& one) {
  out.add("label", one.command.label, "command", one.command.text, "argv", one.command.argv, "ran", one.median_ms.has_value(), "exit_code",
          one.command.exit_code, "failure", answer::unless_empty(one.command.failure));
  out.add("median_ms", one.median_ms, "mad_ms", one.mad_ms, "min_ms", one.shortest_ms, "max_ms", one.longest_ms, "samples_ms",
          one.command.runs_ms);
  out.object("against_fastest", one.against_fastest, [](JsonObject& inner, const derive::compare::Judgement& judgement) {
    inner.add("answer", derive::compare::name_of(judgement.answer), "time_ratio", judgement.ratio, "time_ratio_low", judgement.low,
              "time_ratio_high", judgement.high, "confidence_level", 0.99);
  });
}

void put_competition(JsonObject& out, const Competition& competition) {
  const auto label = [&](const std::optional<std::size_t>& index) {
    return index ? std::optional(competition.competitors[*index].command.label) : std::nullopt;
  };
  out.add("schema", "compete_v1", "workload", competition.workload, "runs", competition.runs, "warmup", competition.warmup, "noise_floor",
          competition.noise_floor, "fastest", label(competition.fastest), "winner", label(competition.winner), "verdict",
          competition.verdict);
  out.list("competitors", competition.competitors, put_competitor);
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const Competition> competition) {
  answer::Answer answer{.what = "competing commands", .mode = "compete"};
  answer.document = [competition](answer::Detail) { return page_of(*competition); };
  answer.payload = [competition](JsonObject& out) { put_competition(out, *competition); };
  answer.kept = {std::move(competition)};
  return answer;
}

}  // namespace frx::compose
