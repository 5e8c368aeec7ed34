#include "derive/cuda/program.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/text.h"
#include "derive/cuda/declarations.h"
#include "derive/cuda/types.h"

namespace frx::derive::cuda {
namespace {

constexpr std::size_t longest_name_of_type = 1000;  // of a longer one nothing is known

// By which a constant of a class is kept.
std::string constant_name(std::string_view record, std::string_view name) { return fmt::format("{}::{}", record, name); }

std::uint32_t aligned(std::uint32_t offset, std::uint32_t to) { return to == 0 ? offset : (offset + to - 1) / to * to; }

}  // namespace

struct Program::Declarations {
  std::vector<Declaration> all;
  std::uint32_t nodes = 0;  // of the file
};

// Files are scanned on all cores, a few at a time so that few are unpacked; their declarations are added in the order of files.
Program::Program(const Sources& sources) : sources_(sources) {
  constexpr std::uint32_t at_once = 128;
  std::vector<Record> records;
  for (std::uint32_t begin = 0; begin < sources.size(); begin += at_once) {
    std::vector<Declarations> found(std::min(at_once, sources.size() - begin));
    for_each_in_parallel(found.size(), [&](std::size_t i) {
      const auto source = begin + static_cast<std::uint32_t>(i);
      found[i].all = declarations_in(sources[source], source);
      found[i].nodes = sources[source].syntax.size();
      sources.pack(source);
    });
    for (std::uint32_t i = 0; i < found.size(); ++i) analysed_files_ += !sources.without_syntax(begin + i).is_included;
    for (std::uint32_t i = 0; i < found.size(); ++i) add(begin + i, std::move(found[i]), records);
    sources.pack_all();
  }
  add_known_records();
  lay_out(records);
  for (Function& function : functions_) {
    if (function.is_outside && !structs_.contains(function.record)) function.record = {};  // a namespace
  }
  shapes_ = {};
  first_functions_.push_back(static_cast<std::uint32_t>(functions_.size()));
}

std::string_view Program::define(std::string_view name, std::uint32_t source) {
  known_.add(name);
  const std::uint32_t number = names_.add(name);
  if (number >= defined_.size()) defined_.resize(number + 1);
  Defined& defined = defined_[number];
  if (defined.file == none) {
    defined.file = source;
  } else if (defined.is_in_several ? several_files_[number].back() != source : defined.file != source) {
    if (!defined.is_in_several) several_files_[number] = {defined.file};
    defined.is_in_several = true;
    several_files_[number].push_back(source);
  }
  return names_[number];
}

std::span<const std::uint32_t> Program::files_defining(std::uint32_t number) const {
  const Defined& defined = defined_[number];
  return defined.is_in_several ? std::span<const std::uint32_t>(several_files_.at(number)) : std::span(&defined.file, 1);
}

std::uint32_t Program::number_named(std::string_view name) const {
  std::uint32_t source = 0;
  if (const model::cuda::Macro* found = macro(name, source)) {
    std::string_view body = trim(found->body);
    if (body.size() > 2 && body.starts_with('(') && body.ends_with(')')) body = trim(body.substr(1, body.size() - 2));
    return found->is_function ? 0 : extent_in(body);
  }
  const auto at = numbers_.find(name);
  return at == numbers_.end() ? 0 : at->second;
}

Struct Program::layout_of(const Record& record) const {
  Struct result;
  result.holds_shared = record.holds_shared;
  result.is_aggregate = record.is_aggregate && !several_shapes_.contains(record.name);
  result.alignment = std::max(record.alignment, 1u);
  lay_out_members(record.members, record.is_union, !record.has_unknown_parts, result);
  return result;
}

// Of `float t[4][8][16]`: 128 and 16.
std::array<std::uint32_t, 3> Program::rows_of(const RecordMember& member) const {
  std::array<std::uint32_t, 3> rows{};
  if (member.inner.empty() || member.inner.size() > rows.size()) return rows;
  std::uint32_t elements = 1;
  for (std::size_t i = 0; i < member.inner.size(); ++i) {
    const std::uint32_t number = extent_in(member.inner[i]);
    elements = product_of_extents(elements, number != 0 ? number : number_named(member.inner[i]));
    rows[member.inner.size() - 1 - i] = elements;
  }
  return rows;
}

// Places the members from `into.bytes` on, which is 0; sets it to the bytes of all, or to 0 where they are unknown. Records within each
// other have a limited depth (declarations.cc).
void Program::lay_out_members(std::span<const RecordMember> members, bool is_union, bool known, Struct& into) const {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
  std::uint32_t offset = 0, all = 0;
  for (const RecordMember& member : members) {
    std::uint32_t elements = member.elements;
    for (const std::string_view extent : member.extents) elements = product_of_extents(elements, number_named(extent));
    const PointerType named = pointer(member.type);
    const bool is_pointer = member.is_pointer || member.is_reference || named.levels > 0;
    Struct parts;
    if (!member.parts.empty()) lay_out_members(member.parts, member.is_union, true, parts);
    const std::uint32_t bytes = is_pointer ? 8 : !member.parts.empty() ? parts.bytes : type(member.type).bytes;
    known = known && bytes != 0;
    const Struct* const inner = is_pointer ? nullptr : !member.parts.empty() ? &parts : struct_named(member.type);
    const std::uint32_t alignment = inner ? inner->alignment : std::clamp(bytes & (0u - bytes), 1u, 16u);
    offset = is_union ? 0 : aligned(offset, alignment);
    into.alignment = std::max(into.alignment, alignment);
    if (member.is_reference) {
      // What it names lies elsewhere.
    } else if (member.name.empty()) {
      into.holds_array = into.holds_array || parts.holds_array;
      into.types.merge(parts.types);
      for (const auto& [name, field] : parts.fields) {
        if (known) into.fields[name] = {offset + field.offset, field.bytes, field.is_array};
      }
    } else {
      if (known) into.fields[member.name] = {offset, bytes, member.is_array};
      into.types[member.name] = {named.type, named.levels + member.levels, member.is_array, elements, member.pointers, rows_of(member)};
      into.holds_array = into.holds_array || member.is_array;
    }
    const std::uint64_t end = offset + std::uint64_t{bytes} * elements;
    known = known && elements != 0 && end <= most_bytes;  // the place of `float data[];` is known, and not what lies behind it
    if (known) offset = static_cast<std::uint32_t>(end);
    all = std::max(all, offset);
  }
  into.bytes = known ? aligned(all, into.alignment) : 0;
}

Record Program::kept(const Record& record) {
  Record result = record;
  result.name = keep(record.name);
  keep_members(result.members);
  return result;
}

// As deep as their records are within each other, which is limited (declarations.cc).
void Program::keep_members(std::span<RecordMember> members) {
  for (RecordMember& member : members) {
    member.name = keep(member.name);
    member.type = member.type.size() > longest_name_of_type ? std::string_view() : keep(member.type);
    for (std::string_view& extent : member.extents) extent = keep(extent);
    for (std::string_view& extent : member.inner) extent = keep(extent);
    keep_members(member.parts);
  }
}

// States of cuRAND, which no file of a program declares.
void Program::add_known_records() {
  struct Known {
    std::string_view name;
    std::uint32_t bytes, alignment;
  };
  constexpr std::array<Known, 6> known{{{"curandState", 48, 8},
                                        {"curandState_t", 48, 8},
                                        {"curandStateXORWOW", 48, 8},
                                        {"curandStateXORWOW_t", 48, 8},
                                        {"curandStatePhilox4_32_10", 64, 16},
                                        {"curandStatePhilox4_32_10_t", 64, 16}}};
  for (const Known& one : known) {
    const auto [entry, is_new] = structs_.try_emplace(keep(one.name));
    if (is_new) entry->second = {.bytes = one.bytes, .alignment = one.alignment, .is_of_library = true};
  }
}

void Program::lay_out(std::span<const Record> records) {
  constexpr int deepest = 8;  // records in records
  std::vector<const Record*> open;
  for (const Record& record : records) open.push_back(&record);
  for (int round = 0; round < deepest && !open.empty(); ++round) {
    const auto settled = std::erase_if(open, [&](const Record* record) {
      Struct& laid_out = structs_[record->name];
      laid_out = layout_of(*record);
      return laid_out.bytes != 0;
    });
    if (settled == 0) break;
  }
}

namespace {

// Equal for records of equal members.
std::size_t shape_of(const Record& record) {
  std::size_t shape = record.members.size() * 2 + (record.is_aggregate ? 1 : 0);
  for (const RecordMember& member : record.members) {
    shape = shape * 31 + std::hash<std::string_view>()(member.name);
    shape = shape * 31 + std::hash<std::string_view>()(member.type);
  }
  return shape;
}

}  // namespace

void Program::add(std::uint32_t index, Declarations&& declarations, std::vector<Record>& records) {
  nodes_ += declarations.nodes;
  first_functions_.push_back(static_cast<std::uint32_t>(functions_.size()));
  const Source& source = sources_.without_syntax(index);
  for (std::uint32_t i = 0; i < source.macros.size(); ++i) macros_.try_emplace(define(source.macros[i].name, index), index, i);
  for (Declaration& declaration : declarations.all) {
    if (auto* function = std::get_if<Function>(&declaration)) {
      add_function(std::move(*function));
    } else if (const auto* global = std::get_if<NamedGlobal>(&declaration)) {
      add_global(*global, index);
    } else if (const auto* enumerator = std::get_if<Enumerator>(&declaration)) {
      enumerators_.try_emplace(define(enumerator->name, index), enumerator->value);
    } else if (const auto* alias = std::get_if<Alias>(&declaration)) {
      if (alias->type.size() > longest_name_of_type) continue;  // one type may have many names
      if (alias->pointers == 0)
        aliases_.try_emplace(keep(alias->name), keep(alias->type));
      else
        pointers_.try_emplace(keep(alias->name), PointerType{keep(alias->type), alias->pointers});
    } else if (const auto* named = std::get_if<NamedMember>(&declaration)) {
      named_members_[keep(named->type)].insert(keep(named->member));
    } else if (const auto* number = std::get_if<NamedNumber>(&declaration)) {
      const auto [entry, is_new] = numbers_.try_emplace(keep(number->name), number->number);
      if (!is_new && entry->second != number->number) entry->second = 0;
    } else {
      Record record = kept(std::get<Record>(declaration));
      const std::size_t shape = shape_of(record);
      const auto [known, is_first] = shapes_.try_emplace(record.name, shape);
      if (!is_first && known->second != shape) several_shapes_.insert(record.name);
      if (structs_.try_emplace(record.name).second) records.push_back(std::move(record));
    }
  }
}

void Program::add_global(const NamedGlobal& named, std::uint32_t source) {
  if (named.record.size() > longest_name_of_type) return;
  std::string_view name = define(named.name, source);
  if (!named.record.empty()) name = keep(constant_name(keep(named.record), name));
  const auto [first, is_new] = globals_.try_emplace(name, named.global);
  if (is_new) return;
  std::vector<Global>& later = later_globals_[first->first];
  Global& last = later.empty() ? first->second : later.back();
  if (last.declaration.source == source) {
    last.is_ambiguous = true;
    return;
  }
  first->second.is_in_several = true;
  later.push_back(named.global);
}

void Program::add_function(Function&& function) {
  if (!function.record.empty()) function.record = keep(function.record);
  function.name = define(function.name, function.at.source);
  Defined& defined = defined_[names_.find(function.name)];
  // A constexpr or a macro-qualified function may run on the device as well; a kernel may not be called.
  if (function.is_kernel) {
    defined.is_kernel = true;
  } else {
    const auto number = static_cast<std::uint32_t>(functions_.size());
    (defined.first_function == none ? defined.first_function : functions_[defined.last_function].next) = number;
    defined.last_function = number;
    if (function.may_only_wait) may_only_wait_.insert(function.name);
  }
  functions_.push_back(std::move(function));
}

std::span<const Function> Program::functions_in(std::uint32_t source) const {
  return std::span(functions_).subspan(first_functions_[source], first_functions_[source + 1] - first_functions_[source]);
}

std::uint32_t Program::defined(std::string_view name) const {
  if (!known_.may_have(name)) return none;
  const std::uint32_t number = names_.find(name);
  return number < defined_.size() && defined_[number].file != none ? number : none;
}

const Global* Program::global(std::string_view name, std::uint32_t source) const {
  const auto at = known_.may_have(name) ? globals_.find(name) : globals_.end();
  if (at == globals_.end()) return nullptr;
  const Global* global = &at->second;
  if (global->is_in_several && global->declaration.source != source) {
    const auto later = later_globals_.find(at->first);
    const auto own = std::ranges::lower_bound(later->second, source, {}, [](const Global& one) { return one.declaration.source; });
    if (own != later->second.end() && own->declaration.source == source) global = &*own;
  }
  return sources_.is_released(global->declaration.source) ? nullptr : global;
}

const Global* Program::constant_of_class(std::string_view record, std::string_view name, std::uint32_t source) const {
  if (record.empty() || record.size() > longest_name_of_type || !known_.may_have(name) || !known_.may_have(record)) return nullptr;
  return global(constant_name(record, name), source);
}

std::optional<EnumeratorValue> Program::enumerator(std::string_view name) const {
  const auto at = known_.may_have(name) ? enumerators_.find(name) : enumerators_.end();
  return at == enumerators_.end() || sources_.is_released(at->second.base.source) ? std::nullopt : std::optional(at->second);
}

const model::cuda::Macro* Program::macro(std::string_view name, std::uint32_t& source) const {
  const auto at = known_.may_have(name) ? macros_.find(name) : macros_.end();
  if (at == macros_.end()) return nullptr;
  source = at->second.first;
  const model::cuda::Macro& macro = sources_.without_syntax(source).macros[at->second.second];
  return macro.is_ambiguous || sources_.is_released(source) ? nullptr : &macro;
}

std::size_t Program::named_members(std::string_view name) const {
  const auto found = named_members_.find(name);
  if (found == named_members_.end() || type(name).bytes != 0) return 0;
  const auto is_part = [](std::string_view member) { return member.size() == 1; };
  return std::ranges::all_of(found->second, is_part) ? 0 : found->second.size();
}

const Struct* Program::struct_named(std::string_view name) const {
  if (name.size() > longest_name_of_type) return nullptr;
  name = without_qualifiers(name);
  for (int steps = 0; steps < 8; ++steps) {
    if (const std::size_t arguments = name.find('<'); arguments != name.npos) name = trim(name.substr(0, arguments));
    if (const std::size_t scope = name.rfind("::"); scope != name.npos) name.remove_prefix(scope + 2);
    if (!known_.may_have(name)) return nullptr;
    if (const auto at = structs_.find(name); at != structs_.end()) return &at->second;
    const auto alias = aliases_.find(name);
    if (alias == aliases_.end()) return nullptr;
    name = alias->second;
  }
  return nullptr;
}

TypeInfo Program::type(std::string_view name) const {
  if (name.size() > longest_name_of_type) return {};
  for (int steps = 0; steps < 8; ++steps) {
    const TypeInfo known = type_named(name);
    if (known.bytes != 0 && !is_type_by_convention(name)) return known;
    if (const std::string_view other = alias(name); !other.empty() && other != name) {
      name = other;
      continue;
    }
    if (known.bytes != 0) return known;
    std::uint32_t source = 0;
    if (const model::cuda::Macro* m = macro(name, source); m && m->body != name && m->body.size() <= longest_name_of_type) {
      name = m->body;
      continue;
    }
    break;
  }
  const Struct* found = struct_named(name);
  return found ? TypeInfo{found->bytes} : TypeInfo{};
}

}  // namespace frx::derive::cuda
