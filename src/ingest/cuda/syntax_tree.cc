#include "ingest/cuda/syntax_tree.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>

#include "ingest/cuda/parser.h"

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
struct Grammar {
  std::vector<Meaning> symbols;
  std::vector<Role> fields;

  static const Grammar& get() {
    static const Grammar grammar;
    return grammar;
  }

 private:
  Grammar() {
    const TSLanguage* language = tree_sitter_cuda();
    for (TSSymbol symbol = 0; symbol < ts_language_symbol_count(language); ++symbol) {
      symbols.push_back(meaning(ts_language_symbol_name(language, symbol), ts_language_symbol_type(language, symbol)));
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

class Conversion {
 public:
  Conversion(const TSTree& tree, std::uint32_t offset, Syntax& into, std::uint32_t& errors)
      : cursor_(ts_tree_cursor_new(ts_tree_root_node(&tree))), offset_(offset), into_(into), errors_(errors) {}
  ~Conversion() { ts_tree_cursor_delete(&cursor_); }
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  void run() {
    do {
      const bool kept = add();
      if (kept && ts_tree_cursor_goto_first_child(&cursor_)) continue;
      if (kept) close();
      while (!ts_tree_cursor_goto_next_sibling(&cursor_)) {
        if (!ts_tree_cursor_goto_parent(&cursor_)) return finish();
        close();
      }
    } while (true);
  }

 private:
  bool add() {
    const TSNode node = ts_tree_cursor_current_node(&cursor_);
    const TSSymbol symbol = ts_node_symbol(node);
    const Grammar& grammar = Grammar::get();
    // The symbol of an error is none of the language's.
    const Meaning meaning = symbol < grammar.symbols.size() ? grammar.symbols[symbol] : Meaning{NodeKind::error, true};
    if (meaning.kind == NodeKind::error || ts_node_is_missing(node)) ++errors_;
    if (!meaning.is_kept) return false;
    Node ours;
    ours.kind = meaning.kind;
    ours.role = grammar.fields[ts_tree_cursor_current_field_id(&cursor_)];
    ours.begin = ts_node_start_byte(node) + offset_;
    ours.end = ts_node_end_byte(node) + offset_;
    ours.parent = open_.empty() ? model::cuda::none : open_.back();
    open_.push_back(into_.size());
    into_.nodes.push_back(ours);
    return true;
  }

  void close() {
    into_.nodes[open_.back()].last = into_.size();
    open_.pop_back();
  }

  // No other node closes the root.
  void finish() {
    while (!open_.empty()) close();
  }

  TSTreeCursor cursor_;
  std::uint32_t offset_;
  Syntax& into_;
  std::uint32_t& errors_;
  std::vector<std::uint32_t> open_;
};

// tree-sitter calls this from time to time to learn whether it may continue; hostile text could keep it busy for a long time.
struct StepBudget {
  std::uint64_t left;
};

bool is_over(TSParseState* state) {
  StepBudget& budget = *static_cast<StepBudget*>(state->payload);
  return budget.left == 0 || --budget.left == 0;
}

}  // namespace

Result<> add_syntax_of_grammar(std::string_view text, std::uint32_t offset, Syntax& into, std::uint32_t& errors) {
  const std::unique_ptr<TSParser, Free> parser(ts_parser_new());
  if (!ts_parser_set_language(parser.get(), tree_sitter_cuda())) {
    return fail(ErrorKind::environment, "the grammar of CUDA does not fit the core of tree-sitter");
  }
  StepBudget budget{1000 + text.size()};
  struct Text {
    std::string_view bytes;
  } whole{text};
  const TSInput input{&whole,
                      [](void* payload, std::uint32_t at, TSPoint, std::uint32_t* size) {
                        const std::string_view rest = static_cast<Text*>(payload)->bytes.substr(at);
                        *size = static_cast<std::uint32_t>(rest.size());
                        return rest.data();
                      },
                      TSInputEncodingUTF8, nullptr};
  const std::unique_ptr<TSTree, Free> tree(ts_parser_parse_with_options(parser.get(), nullptr, input, TSParseOptions{&budget, is_over}));
  if (!tree) return fail(ErrorKind::malformed, "expected CUDA source, found text that the parser cannot finish within its limit");
  Conversion(*tree, offset, into, errors).run();
  return {};
}

Result<> add_syntax(std::string_view text, std::uint32_t offset, Syntax& into, std::uint32_t& errors) {
  if (Parser(text).read(offset, into)) return {};
  return add_syntax_of_grammar(text, offset, into, errors);
}

}  // namespace frx::ingest::cuda
