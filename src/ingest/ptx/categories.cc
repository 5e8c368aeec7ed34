#include "ingest/ptx/categories.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.h"

namespace frx::ingest::ptx {
namespace {

namespace model = ::frx::model::ptx;
using model::Category;
using model::Form;
using model::Space;
using model::Type;

constexpr std::array<std::pair<std::string_view, model::Flow>, 4> flows = {{{"branch", model::Flow::branch},
                                                                            {"indirect_branch", model::Flow::indirect_branch},
                                                                            {"call", model::Flow::call},
                                                                            {"leave", model::Flow::leave}}};

Failure malformed(const Value& value, std::string_view what, std::string_view found) {
  return fail(ErrorKind::malformed, "PTX instructions: expected {}, found '{}'", what, found).at(value.where());
}

// Are these modifiers adjacent in the text? "global.shared::cta" in "cp.async.bulk.global.shared::cta".
bool has_modifiers(std::string_view text, std::string_view modifiers) {
  for (std::size_t at = text.find(modifiers); at != text.npos; at = text.find(modifiers, at + 1)) {
    const std::size_t end = at + modifiers.size();
    if (at > 0 && text[at - 1] == '.' && (end == text.size() || text[end] == '.')) return true;
  }
  return false;
}

// "shared" of shared::cluster as well.
Space space_of(std::string_view modifier) { return model::space_named(modifier.substr(0, modifier.find("::"))); }

bool is_half(std::string_view type) { return type == "f16" || type == "f16x2" || type == "bf16" || type == "bf16x2"; }

Category by_type(std::string_view text) {
  bool f64 = false, f16 = false, f32 = false, integer = false;
  model::for_each_part(text, [&](std::string_view part) {
    const Type type = model::type_named(part);
    f64 |= type == Type::f64;
    f32 |= type == Type::f32 || part == "f32x2";
    f16 |= is_half(part);
    integer |= type != Type::none && type != Type::pred;
    integer |= part == "s16x2" || part == "u16x2" || part == "s32x2" || part == "u32x2";
  });
  return f64 ? Category::fp64 : f16 ? Category::fp16 : f32 ? Category::fp32 : integer ? Category::integer : Category::other;
}

Category of_access(Space space, bool store) {
  switch (space) {
    case Space::global: return store ? Category::global_store : Category::global_load;
    case Space::shared: return store ? Category::shared_store : Category::shared_load;
    case Space::local: return store ? Category::local_store : Category::local_load;
    default: return Category::other;
  }
}

Category category_of(std::string_view name, const Form& form) {
  if (name == "by_type") return by_type(form.text);
  if (name == "load" || name == "store") return of_access(form.space, name == "store");
  for (int i = 0; i <= static_cast<int>(Category::other); ++i) {
    if (model::name_of(static_cast<Category>(i)) == name) return static_cast<Category>(i);
  }
  return Category::other;
}

bool is_category(std::string_view name) {
  return name == "by_type" || name == "load" || name == "store" || name == "other" || category_of(name, {}) != Category::other;
}

// Bytes that one thread moves: 16 for `.v4.f32`; a row of eight 16-bit numbers is read by four lanes.
std::uint16_t bytes_of(const Form& form) {
  if (has_modifiers(form.text, "m8n8")) return static_cast<std::uint16_t>(4 * form.lanes);
  return form.category == Category::tensor ? 0 : static_cast<std::uint16_t>(model::bits_of(form.type) / 8 * form.lanes);
}

void read_modifiers(Form& form) {
  const Space stated = form.space;
  model::for_each_part(form.text, [&](std::string_view part) {
    if (form.type == Type::none) form.type = model::type_named(part);
    if (form.space == Space::none) form.space = space_of(part);
    if (part.size() == 2 && (part[0] == 'v' || part[0] == 'x') && part[1] >= '1' && part[1] <= '8') {
      form.lanes = static_cast<std::uint8_t>(part[1] - '0');
    }
  });
  if (stated != Space::none) form.space = stated;
}

Result<> read_flags(const Value& entry, Form& facts) {
  for (const std::string_view flag : entry["flags"].texts()) {
    if (flag == "asynchronous")
      facts.is_asynchronous = true;
    else if (flag == "barrier")
      facts.is_barrier = true;
    else if (flag == "collective")
      facts.is_collective = true;
    else if (flag == "in_place")
      facts.reads_result = true;
    else
      return malformed(entry, "a flag", flag);
  }
  return {};
}

Result<> read_memory(const Value& entry, Form& facts) {
  const std::string_view memory = entry["memory"].text(), space = entry["space"].text();
  facts.reads_memory = memory == "read" || memory == "update";
  facts.writes_memory = memory == "write" || memory == "update";
  if (!memory.empty() && !facts.reads_memory && !facts.writes_memory) return malformed(entry, "read, write or update", memory);
  facts.space = model::space_named(space);
  if (!space.empty() && facts.space == Space::none) return malformed(entry, "a state space", space);
  if (const std::optional<double> size = entry["size"].number()) facts.size_operand = static_cast<std::int8_t>(*size);
  return {};
}

}  // namespace

Result<InstructionSet::Rule> InstructionSet::rule_of(const Value& entry) {
  Rule rule{entry["of"].texts(), entry["with"].texts(), entry["category"].text(), {}};
  if (rule.of.empty()) return malformed(entry, "opcodes 'of'", "");
  if (!is_category(rule.category)) return malformed(entry, "a category", rule.category);
  TRY(read_memory(entry, rule.facts));
  TRY(read_flags(entry, rule.facts));
  rule.facts.results = static_cast<std::uint8_t>(entry["results"].number().value_or(1));
  const std::string_view flow = entry["flow"].text(), value = entry["value"].text();
  const auto found = std::find_if(flows.begin(), flows.end(), [&](const auto& one) { return one.first == flow; });
  if (found != flows.end()) rule.facts.flow = found->second;
  if (!flow.empty() && found == flows.end()) return malformed(entry, "a flow", flow);
  if (!value.empty() && value != "lane" && value != "uniform") return malformed(entry, "lane or uniform", value);
  if (!value.empty()) rule.facts.result = value == "lane" ? model::Variance::lane : model::Variance::uniform;
  rule.facts.known = true;
  return rule;
}

Result<InstructionSet> InstructionSet::load(const knowledge::Library& library) {
  const Value root = library.file("data/ptx/instructions.yaml");
  TRY_ASSIGN(const Value rules, root.list("rules"));
  InstructionSet set;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    TRY_ASSIGN(Rule rule, rule_of(rules.item(i)));
    set.add(std::move(rule));
  }
  if (set.rules_.empty()) return malformed(root, "rules", "none");
  const Value specials = root["specials"];
  set.lane_ = specials["lane"].texts();
  set.uniform_ = specials["uniform"].texts();
  set.uniform_numbered_ = specials["uniform_numbered"].texts();
  return set;
}

namespace {

std::string_view first_word(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

}  // namespace

void InstructionSet::add(Rule rule) {
  for (const std::string_view opcode : rule.of) {
    std::vector<std::size_t>& numbers = by_first_word_[first_word(opcode)];
    if (numbers.empty() || numbers.back() != rules_.size()) numbers.push_back(rules_.size());
  }
  rules_.push_back(std::move(rule));
}

const InstructionSet::Rule* InstructionSet::rule_for(std::string_view text) const {
  const auto begins = [&](std::string_view opcode) {
    return text.starts_with(opcode) && (text.size() == opcode.size() || text[opcode.size()] == '.');
  };
  const auto has = [&](std::string_view modifiers) { return has_modifiers(text, modifiers); };
  const auto candidates = by_first_word_.find(first_word(text));
  if (candidates == by_first_word_.end()) return nullptr;
  for (const std::size_t number : candidates->second) {
    const Rule& rule = rules_[number];
    const bool applies =
        std::any_of(rule.of.begin(), rule.of.end(), begins) && (rule.with.empty() || std::any_of(rule.with.begin(), rule.with.end(), has));
    if (applies) return &rule;
  }
  return nullptr;
}

Form InstructionSet::described(const Form& form) const {
  const Rule* const rule = rule_for(form.text);
  Form result = rule != nullptr ? rule->facts : Form{};
  result.text = form.text;
  result.opcode_size = form.opcode_size;
  read_modifiers(result);
  if (rule == nullptr) return result;
  result.category = category_of(rule->category, result);
  const bool accesses = result.reads_memory || result.writes_memory;
  if (accesses && result.size_operand < 0) result.access_bytes = bytes_of(result);
  return result;
}

model::Variance InstructionSet::variance_of(std::string_view special) const {
  const std::string_view name = special.substr(0, special.find('.'));
  const auto is = [&](std::string_view other) { return name == other; };
  const auto numbers = [&](std::string_view start) {
    return name.size() > start.size() && name.starts_with(start) && name.substr(start.size()).find_first_not_of("0123456789") == name.npos;
  };
  if (std::any_of(lane_.begin(), lane_.end(), is)) return model::Variance::lane;
  if (std::any_of(uniform_.begin(), uniform_.end(), is)) return model::Variance::uniform;
  const bool numbered = std::any_of(uniform_numbered_.begin(), uniform_numbered_.end(), numbers);
  return numbered ? model::Variance::uniform : model::Variance::unknown;
}

void InstructionSet::describe(model::Module& module) const {
  for (Form& form : module.forms) form = described(form);
  for (model::Special& special : module.specials) special.variance = variance_of(module.names[special.name]);
}

std::vector<std::string> unknown_names(const model::Module& module) {
  std::set<std::string> names;
  for (const Form& form : module.forms) {
    if (!form.known) names.emplace(form.text);
  }
  for (const model::Special& special : module.specials) {
    if (special.variance == model::Variance::unknown) names.emplace(module.names[special.name]);
  }
  return {names.begin(), names.end()};
}

}  // namespace frx::ingest::ptx
