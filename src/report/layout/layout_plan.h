// The plan of a layout change: which modules get which memory format, and where tensors are made contiguous. A file of
// data/schemas/layout_plan.v1.json, which python/fournex/layout applies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::report {

struct LayoutChange {
  enum class Kind : std::uint8_t { memory_format, contiguous };
  enum class Place : std::uint8_t { input, output };

  Kind kind = Kind::memory_format;
  std::vector<std::string> modules;  // patterns over the names of modules, as fnmatch has them; "*" is the whole model
  std::string format;                // of memory_format: "channels_last", "channels_last_3d", "contiguous_format"
  bool inputs = false;               // of memory_format: whether the inputs of the modules are converted, too
  Place at = Place::input;           // of contiguous
};
// As in the file: "memory_format".
std::string_view name_of(LayoutChange::Kind kind);

struct LayoutPlan {
  std::string model;                  // "" when not said
  std::string trace_sha256, finding;  // what it was made from; "" when not said
  std::vector<LayoutChange> changes;  // one or more
};

// Malformed, with the name of the file and the member: no JSON, another schema, a member that a change has not, a value it cannot have.
Result<LayoutPlan> read_layout_plan(std::string_view name, const std::string& text);
// The text of such a file, which read_layout_plan() reads back as the same plan.
std::string layout_plan_text(const LayoutPlan& plan);
// "memory_format channels_last of *, inputs converted"
std::string words_of(const LayoutChange& change);

}  // namespace frx::report
