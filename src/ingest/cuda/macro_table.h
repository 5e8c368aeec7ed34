// Which definition of a macro holds where, within one text.
//
//   #define N 16        N is 16 from here on
//   #ifdef WIDE         it is unknown whether this side is taken:
//   #undef N
//   #define N 32        N is not known from here on
//   #endif
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/name_filter.h"
#include "model/cuda_source.h"

namespace frx::ingest::cuda {

// What to do where the name of a macro is used. A constant or a type keeps its name, which a reader knows.
enum class MacroUse : std::uint8_t { keep, expand, alias };

struct MacroDefinition {
  model::cuda::Macro macro;
  MacroUse use = MacroUse::keep;
};

class MacroTable {
 public:
  // `is_certain`: whatever is defined elsewhere, this line is read.
  void define(model::cuda::Macro macro, std::size_t place, bool is_certain);
  void undefine(std::string_view name, std::size_t place, bool is_certain);
  // What was written there is on a side that is not taken after all.
  void forget(std::size_t begin, std::size_t end);

  // The definition that holds at a byte; null where there is none, or where more than one may hold.
  const MacroDefinition* at(std::string_view name, std::size_t place) const;
  std::optional<bool> is_defined(std::string_view name, std::size_t place) const;
  bool is_known(std::string_view name) const { return may_know(name) && by_name_.contains(name); }
  // False for most names that are not in the table.
  bool may_know(std::string_view name) const { return filter_.may_have(name); }

  template <typename Take>
  void for_each_name(Take&& take) const {
    for (const auto& [name, events] : by_name_) {
      if (!events.empty()) take(name);
    }
  }
  // By first definition; those with several meanings are ambiguous.
  std::vector<model::cuda::Macro> all() const;

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  struct Event {
    std::size_t place = 0;
    std::uint32_t definition = none;  // none: #undef
    bool is_certain = false;
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Events = std::vector<Event>;

  void add(std::string_view name, Event event);

  std::vector<MacroDefinition> definitions_;
  std::unordered_map<std::string, Events, Hash, std::equal_to<>> by_name_;
  std::vector<std::pair<std::size_t, Events*>> log_;  // in order of places
  NameFilter<> filter_;
  std::size_t forgetting_ = 0;  // steps that were spent
};

bool means_the_same(const model::cuda::Macro& a, const model::cuda::Macro& b);

// Not a word of the language, nor a name whose meaning the analysis knows.
bool is_replaceable(const model::cuda::Macro& macro);

// By its body alone.
MacroUse use_of(const model::cuda::Macro& macro);

}  // namespace frx::ingest::cuda
