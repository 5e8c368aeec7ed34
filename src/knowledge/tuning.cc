#include "knowledge/tuning.h"

#include <algorithm>

#include "base/text.h"
#include "knowledge/tuning_reader.h"

namespace frx::knowledge {
namespace {

Result<TuningLimits> limits_in(const Value& file) {
  TuningLimits limits;
  const Value guards = file["guards"], quality = file["quality"], shapes = file["dynamic_shapes"];
  TRY_ASSIGN(limits.min_speedup, limited_number(guards, "min_speedup", 100));
  TRY_ASSIGN(limits.max_memory_ratio, limited_number(guards, "max_memory_ratio", 1));
  TRY_ASSIGN(limits.max_step_time_regression, limited_number(guards, "max_step_time_regression", 100));
  TRY_ASSIGN(limits.fewest_steps, tuning_count(guards, "fewest_steps"));
  TRY_ASSIGN(limits.max_final_loss_regression, limited_number(quality, "max_final_loss_regression", 100));
  TRY_ASSIGN(limits.max_loss_divergence, limited_number(quality, "max_loss_divergence", 100));
  TRY_ASSIGN(limits.output_abs_tolerance, limited_number(quality, "output_abs_tolerance", 1e9));
  TRY_ASSIGN(limits.memory_headroom, limited_number(file["safety"], "memory_headroom", 1));
  TRY_ASSIGN(limits.dynamic_shapes_share, limited_number(shapes, "share", 1));
  TRY_ASSIGN(limits.dynamic_shapes_changes, tuning_count(shapes, "fewest_changes"));
  return limits;
}

// "Input-Pipeline" -> "input_pipeline".
std::string normalised_label(std::string_view label) {
  std::string name = to_lower(trim(label));
  std::ranges::replace(name, '-', '_');
  std::ranges::replace(name, ' ', '_');
  return name;
}

bool has_word(const TuningFamily& family, std::string_view word) {
  return std::ranges::any_of(family.actions, [&](const TuningAction& action) {
    return std::ranges::any_of(action.dimensions, [&](const TuningDimension& dimension) {
      return std::ranges::find(dimension.values.front(), word, &TuningWords::value_type::first) != dimension.values.front().end();
    });
  });
}

}  // namespace

Result<Tuning> Tuning::load(const Library& library) {
  Tuning tuning;
  for (const Value& root : library.folder("tuning/families")) TRY(tuning.add_family(root));
  std::ranges::stable_sort(tuning.families_, {}, &TuningFamily::order);
  TRY(tuning.add_focuses(library.file("data/tuning/focus.yaml")));
  TRY_ASSIGN(tuning.limits_, limits_in(library.file("data/tuning/limits.yaml")));
  return tuning;
}

Result<> Tuning::add_family(const Value& root) {
  TRY_ASSIGN(TuningFamily read, read_tuning_family(root));
  if (family(read.id) != nullptr) return fail(ErrorKind::malformed, "there is a family '{}' already", read.id).at(root.where());
  families_.push_back(std::move(read));
  for (const std::string_view part : root["bf16_gpus"].texts()) bf16_gpus_.push_back(part);
  return {};
}

Result<> Tuning::add_focuses(const Value& root) {
  TRY_ASSIGN(const Value list, root.list("focuses"));
  for (std::size_t i = 0; i < list.size(); ++i) {
    TRY_ASSIGN(TuningFocus read, focus_in(list.item(i)));
    for (const std::string_view label : read.labels) {
      if (focus_with_label(label) != nullptr)
        return fail(ErrorKind::malformed, "the label '{}' is of two focuses", label).at(list.item(i).where());
    }
    focuses_.push_back(std::move(read));
  }
  for (const std::string_view needed : {no_focus, other_focus}) {
    if (focus(needed) == nullptr) return fail(ErrorKind::malformed, "expected a focus '{}'", needed).at(root.where());
  }
  fallback_ = root["fallback"].text();
  if (family(fallback_) == nullptr)
    return fail(ErrorKind::malformed, "'{}' is no family of actions", fallback_).at(place_in(root, "fallback"));
  TRY_ASSIGN(most_combinations_, tuning_count(root, "most_combinations"));
  cases_ = root["cases"];
  return {};
}

Result<TuningFocus> Tuning::focus_in(const Value& entry) const {
  TuningFocus read;
  read.id = entry["id"].text();
  read.says = entry["says"].text();
  if (read.id.empty() || read.says.empty()) return fail(ErrorKind::malformed, "expected a focus with id and says").at(entry.where());
  read.labels = entry["labels"].texts();
  read.labels.push_back(read.id);
  TRY_ASSIGN(const Value stages, entry.list("stages"));
  for (std::size_t i = 0; i < stages.size(); ++i) {
    TRY_ASSIGN(TuningStage stage, read_tuning_stage(stages.item(i)));
    const TuningFamily* const of = family(stage.family);
    if (of == nullptr) return fail(ErrorKind::malformed, "'{}' is no family of actions", stage.family).at(stages.item(i).where());
    for (const auto& [word, value] : stage.only) {
      if (!has_word(*of, word)) return fail(ErrorKind::malformed, "'{}' is no word of {}", word, of->id).at(stages.item(i).where());
    }
    read.stages.push_back(std::move(stage));
  }
  if (read.stages.empty()) return fail(ErrorKind::malformed, "expected a focus with stages").at(entry.where());
  read.combined = entry["combined"].texts();
  for (const std::string_view one : read.combined) {
    if (family(one) == nullptr) return fail(ErrorKind::malformed, "'{}' is no family of actions", one).at(entry["combined"].where());
  }
  return read;
}

const TuningFamily* Tuning::family(std::string_view id) const {
  const auto at = std::ranges::find(families_, id, &TuningFamily::id);
  return at == families_.end() ? nullptr : &*at;
}

const TuningFocus* Tuning::focus(std::string_view id) const {
  const auto at = std::ranges::find(focuses_, id, &TuningFocus::id);
  return at == focuses_.end() ? nullptr : &*at;
}

const TuningFocus* Tuning::focus_with_label(std::string_view label) const {
  const std::string name = normalised_label(label);
  const auto at =
      std::ranges::find_if(focuses_, [&](const TuningFocus& one) { return std::ranges::find(one.labels, name) != one.labels.end(); });
  return at == focuses_.end() ? nullptr : &*at;
}

bool Tuning::has_bf16(std::string_view gpu_name) const {
  // A part may end in a blank, which also stands for the end of the name.
  const std::string name = to_lower(gpu_name) + " ";
  return std::ranges::any_of(bf16_gpus_, [&](std::string_view part) { return name.find(part) != name.npos; });
}

}  // namespace frx::knowledge
