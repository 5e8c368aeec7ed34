#include "ingest/cuda/grammar.h"

#include <tree_sitter/api.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "base/memory_budget.h"
#include "ingest/cuda/grammar_work.h"

extern "C" const TSLanguage* tree_sitter_cuda(void);

namespace frx::ingest::cuda {
namespace {

using model::cuda::Node;
using model::cuda::NodeKind;
using model::cuda::Role;
using model::cuda::Syntax;

struct Free {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};

NodeKind kind_named(std::string_view name) {
  static const std::unordered_map<std::string_view, NodeKind> names = {
#define FRX_CUDA_NODE(kind, grammar) {grammar, NodeKind::kind},
#include "model/cuda_nodes.def"
#undef FRX_CUDA_NODE
  };
  const auto at = names.find(name);
  return at == names.end() ? NodeKind::other : at->second;
}

Role role_named(std::string_view name) {
  static const std::unordered_map<std::string_view, Role> names = {{"alternative", Role::alternative},
                                                                   {"argument", Role::argument},
                                                                   {"arguments", Role::arguments},
                                                                   {"body", Role::body},
                                                                   {"condition", Role::condition},
                                                                   {"consequence", Role::consequence},
                                                                   {"declarator", Role::declarator},
                                                                   {"default_value", Role::default_value},
                                                                   {"field", Role::field},
                                                                   {"function", Role::function},
                                                                   {"indices", Role::indices},
                                                                   {"initializer", Role::initializer},
                                                                   {"left", Role::left},
                                                                   {"name", Role::name},
                                                                   {"operator", Role::op},
                                                                   {"parameters", Role::parameters},
                                                                   {"right", Role::right},
                                                                   {"scope", Role::scope},
                                                                   {"size", Role::size},
                                                                   {"type", Role::type},
                                                                   {"update", Role::update},
                                                                   {"value", Role::value}};
  const auto at = names.find(name);
  return at == names.end() ? Role::plain : at->second;
}

// The meaning of a symbol of the grammar here.
struct Meaning {
  NodeKind kind = NodeKind::other;
  bool is_kept = true;
};

// By symbol and by field, computed once.
struct Symbols {
  std::vector<Meaning> meanings;
  std::vector<Role> fields;

  static const Symbols& get() {
    static const Symbols symbols;
    return symbols;
  }

 private:
  Symbols() {
    const TSLanguage* language = tree_sitter_cuda();
    for (TSSymbol symbol = 0; symbol < ts_language_symbol_count(language); ++symbol) {
      meanings.push_back(meaning(ts_language_symbol_name(language, symbol), ts_language_symbol_type(language, symbol)));
    }
    fields.push_back(Role::plain);  // fields count from 1
    for (TSFieldId field = 1; field <= ts_language_field_count(language); ++field) {
      fields.push_back(role_named(ts_language_field_name_for_id(language, field)));
    }
  }

  static Meaning meaning(std::string_view name, TSSymbolType type) {
    if (name == "comment") return {NodeKind::other, false};
    if (type == TSSymbolTypeRegular) return {kind_named(name), true};
    const bool is_bracket = name.find_first_not_of("()[]{};,\"'") == name.npos;
    return {NodeKind::token, !is_bracket};
  }
};

// The symbol of an error is none of the language's.
Meaning meaning_of(TSNode node) {
  const std::vector<Meaning>& meanings = Symbols::get().meanings;
  const TSSymbol symbol = ts_node_symbol(node);
  return symbol < meanings.size() ? meanings[symbol] : Meaning{NodeKind::error, true};
}

// Adds what is below a node. `moved` is added to all bytes, modulo 2^32.
class Conversion {
 public:
  Conversion(TSNode above, std::uint32_t moved, Postorder& out, std::uint32_t& errors)
      : cursor_(ts_tree_cursor_new(above)), moved_(moved), out_(out), errors_(errors) {}
  ~Conversion() { ts_tree_cursor_delete(&cursor_); }
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  // Calls `then` after each child, which may move what was added away.
  template <typename Then>
  void run(Then&& then) {
    if (!ts_tree_cursor_goto_first_child(&cursor_)) return;
    while (true) {
      const bool kept = open();
      if (kept && ts_tree_cursor_goto_first_child(&cursor_)) continue;
      if (kept) close();
      while (!ts_tree_cursor_goto_next_sibling(&cursor_)) {
        if (open_.empty()) return then();
        ts_tree_cursor_goto_parent(&cursor_);
        close();
      }
      if (open_.empty()) then();
    }
  }

 private:
  // False for a node without one of ours.
  bool open() {
    const TSNode node = ts_tree_cursor_current_node(&cursor_);
    const Meaning meaning = meaning_of(node);
    if (meaning.kind == NodeKind::error || ts_node_is_missing(node)) ++errors_;
    if (meaning.is_kept) open_.push_back(out_.mark());
    return meaning.is_kept;
  }

  void close() {
    const TSNode node = ts_tree_cursor_current_node(&cursor_);
    out_.add(meaning_of(node).kind, ts_node_start_byte(node) + moved_, ts_node_end_byte(node) + moved_, open_.back());
    out_.is(Symbols::get().fields[ts_tree_cursor_current_field_id(&cursor_)]);
    open_.pop_back();
  }

  TSTreeCursor cursor_;
  std::uint32_t moved_;
  Postorder& out_;
  std::uint32_t& errors_;
  std::vector<Postorder::Mark> open_;  // nodes above the current one
};

// What surrounds a part, so that the grammar reads it as what it is.
struct Frame {
  std::string_view before, after;
};

constexpr Frame frame_of(Within within) {
  switch (within) {
    case Within::scope: return {"namespace{", "}"};
    case Within::record: return {"struct{", "};"};
    case Within::file: break;
  }
  return {};
}

constexpr std::size_t parts_of_frame = 2;  // the opening and the closing bracket

// The list of declarations in a frame; null where the text does not keep to it.
TSNode inside_frame(TSNode root, Frame frame, std::size_t size) {
  const TSNode none{};
  if (frame.before.empty()) return root;
  const TSNode framed = ts_node_child(root, 0);
  if (ts_node_is_null(framed) || ts_node_start_byte(framed) != 0) return none;
  const TSNode list = ts_node_child_by_field_name(framed, "body", 4);
  if (ts_node_is_null(list) || ts_node_start_byte(list) + 1 != frame.before.size()) return none;
  return ts_node_end_byte(list) == frame.before.size() + size + 1 && ts_node_child_count(list) >= parts_of_frame ? list : none;
}

}  // namespace

struct Grammar::State {
  explicit State(std::string_view all) : text(all), work(all.size()) {}

  bool has_parser() {
    if (parser) return fits;
    parser.reset(ts_parser_new());
    fits = ts_parser_set_language(parser.get(), tree_sitter_cuda());
    return fits;
  }

  std::unique_ptr<TSTree, Free> parse(std::string_view part, Frame frame) {
    work.begin(frame.before, part, frame.after);
    const TSInput input{&work, GrammarWork::read, TSInputEncodingUTF8, nullptr};
    std::unique_ptr<TSTree, Free> tree(
        ts_parser_parse_with_options(parser.get(), nullptr, input, TSParseOptions{&work, GrammarWork::is_over}));
    if (work.is_too_large()) throw OverBudget();
    if (work.is_done()) tree.reset();
    return tree;
  }

  std::string_view text;
  GrammarWork work;
  std::unique_ptr<TSParser, Free> parser;
  bool fits = false;
};

Grammar::Grammar(std::string_view text) : state_(std::make_unique<State>(text)) {}
Grammar::~Grammar() = default;

Result<> Grammar::read(std::uint32_t offset, Syntax& into, std::uint32_t& errors) {
  if (!state_->has_parser()) return fail(ErrorKind::environment, "the grammar of CUDA does not fit the core of tree-sitter");
  const std::unique_ptr<TSTree, Free> tree = state_->parse(state_->text, {});
  if (!tree) return fail(ErrorKind::malformed, "expected CUDA source, found text that the parser cannot finish within its limit");
  const TSNode root = ts_tree_root_node(tree.get());
  const std::uint32_t at = into.size();
  Node whole;
  whole.kind = meaning_of(root).kind;
  whole.begin = ts_node_start_byte(root) + offset;
  whole.end = ts_node_end_byte(root) + offset;
  into.nodes.push_back(whole);
  if (whole.kind == NodeKind::error) ++errors;
  Postorder out;
  Conversion(root, 0, out, errors).run([&] { out.move_to(into, at, offset); });
  into.nodes[at].last = into.size();
  return {};
}

bool Grammar::read_part(std::uint32_t begin, std::uint32_t end, Within within, Postorder& out, std::uint32_t& errors) {
  if (!state_->has_parser()) return false;
  const std::string_view part = state_->text.substr(begin, end - begin);
  const Frame frame = frame_of(within);
  std::unique_ptr<TSTree, Free> tree = state_->parse(part, frame);
  if (!tree) return false;
  TSNode list = inside_frame(ts_tree_root_node(tree.get()), frame, part.size());
  auto moved = begin - static_cast<std::uint32_t>(frame.before.size());
  if (ts_node_is_null(list)) {
    tree = state_->parse(part, {});
    if (!tree) return false;
    list = ts_tree_root_node(tree.get());
    moved = begin;
  }
  Conversion(list, moved, out, errors).run([] {});
  return true;
}

}  // namespace frx::ingest::cuda
