// The upkeep of a history: baselines, what was exported, imported and removed, and whether it is whole.

#include "base/moment.h"
#include "base/text.h"
#include "base/units.h"
#include "compose/answer_with.h"
#include "compose/history.h"
#include "compose/parts.h"
#include "history/clickhouse/place.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using answer::unless_empty;
using history::Baselines;
using history::Health;
using history::Moved;

std::string headline_of(const Baselines& shown) {
  if (!shown.changed.empty()) return fmt::format("baseline {} is set", printable(shown.changed));
  if (!shown.removed.empty()) return fmt::format("baseline {} is removed; its record stays", printable(shown.removed));
  return shown.all.empty() ? "no baseline is set" : count_text(shown.all.size(), "baseline");
}

Document upkeep_page(const Baselines& shown) {
  Document page;
  page.headline = headline_of(shown);
  page.title("FRX history baselines", shown.store);
  page.paragraph(page.headline);
  if (shown.all.empty()) return page;
  page.blank();
  Table table{.columns = {{"NAME", 16, false, 2, true, Fit::cut}, {"ID", 12}, {"SET (UTC)", 16}, names_column("SERIES")}};
  for (const auto& one : shown.all) table.add({one.name, short_id(one.id), minute_text(one.set_ms), one.series});
  page.add(std::move(table));
  return page;
}

void put_baselines(JsonObject& out, const Baselines& shown) {
  out.add("schema", "history_baselines_v1", "store", shown.store, "set", unless_empty(shown.changed), "removed",
          unless_empty(shown.removed));
  out.list("baselines", shown.all, [](JsonObject& one, const history::Baseline& baseline) {
    one.add("name", baseline.name, "id", baseline.id, "series", baseline.series, "verdict", unless_empty(baseline.verdict), "set_at",
            moment_text(baseline.set_ms));
  });
}

std::string headline_of(const Moved& moved, std::string_view mode) {
  const std::string records = count_text(moved.records, "record");
  if (mode == "history_pruned") return records + " removed; records that a baseline names stay";
  const std::string others = fmt::format("{}, {}", count_text(moved.baselines, "baseline"), count_text(moved.predictions, "prediction"));
  if (mode == "history_export") return fmt::format("{}, {} written to {}", records, others, printable(moved.file));
  return fmt::format("{}, {} taken from {}; {} known before", records, others, printable(moved.file), count_text(moved.known, "record"));
}

void put_moved(JsonObject& out, const Moved& moved, std::string_view mode) {
  const bool is_file = mode != "history_pruned";
  out.add("schema", "history_moved_v1", "action", is_file ? mode.substr(mode.find('_') + 1) : "prune", "store", moved.store, "file",
          unless_empty(moved.file), "records", moved.records, "known", moved.known, "baselines", moved.baselines, "predictions",
          moved.predictions);
}

Document upkeep_page(const Health& shown) {
  const auto& checked = shown.checked;
  Document page;
  page.headline = checked.faults.empty() ? fmt::format("{} read, all whole ({})", count_text(checked.records, "record"),
                                                       format_quantity(static_cast<double>(checked.bytes), "byte"))
                                         : fmt::format("the history is damaged: {}", count_text(checked.faults.size(), "fault"));
  page.title("FRX history check", shown.store);
  page.paragraph(page.headline, 2, checked.faults.empty() ? Tone::green : Tone::red);
  add_list(page, "Faults", checked.faults);
  if (checked.faults.empty()) return page;
  page.paragraph(history::clickhouse::is_place(shown.store)
                     ? "Import what was exported, or restore a copy. What a replica has not got yet is missing until it has caught up."
                     : "Move the file away, and import what was exported, or restore a copy.");
  return page;
}

void put_health(JsonObject& out, const Health& shown) {
  out.add("schema", "history_check_v1", "store", shown.store, "ok", shown.checked.faults.empty(), "records", shown.checked.records, "bytes",
          shown.checked.bytes, "faults", shown.checked.faults);
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const Baselines> baselines) {
  return answer_with("baselines", "history_baselines", std::move(baselines), upkeep_page, put_baselines);
}

answer::Answer answer_of(std::shared_ptr<const Moved> moved, std::string mode) {
  answer::Answer answer{.what = "what was moved", .mode = mode};
  answer.document = [&shown = *moved, mode](answer::Detail) {
    Document page;
    page.headline = headline_of(shown, mode);
    page.title("FRX history", shown.store);
    page.paragraph(page.headline);
    return page;
  };
  answer.payload = [&shown = *moved, mode](JsonObject& out) { put_moved(out, shown, mode); };
  answer.kept.push_back(std::move(moved));
  return answer;
}

answer::Answer answer_of(std::shared_ptr<const Health> health) {
  return answer_with("the state of a history", "history_check", std::move(health), upkeep_page, put_health);
}

}  // namespace frx::compose
