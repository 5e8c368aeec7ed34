#include "ingest/cuda/syntax_tree.h"

#include <malloc.h>
#include <tree_sitter/api.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/memory_budget.h"
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

// What tree-sitter asked for in this thread. Its recovery from errors copies what was read so far, for each error again, and only its
// requests for memory tell how much that is.
struct Blocks {
  std::uint64_t cost = 0;  // an abstract unit, about a nanosecond
  std::int64_t held = 0;   // bytes
};
thread_local constinit Blocks blocks;

constexpr std::uint64_t cost_of_block = 1000;    // and one for each byte
constexpr std::uint64_t cost_of_error = 10'000;  // whatever follows it is searched for in the table of all symbols
constexpr std::size_t error_size = 16;           // of the block that begins the record of an error

void* counted(void* block) {
  if (block == nullptr) return nullptr;  // tree-sitter ends the process
  const std::size_t size = ::malloc_usable_size(block);
  blocks.cost += cost_of_block + size;
  blocks.held += static_cast<std::int64_t>(size);
  return block;
}

void discount(void* block) { blocks.held -= static_cast<std::int64_t>(::malloc_usable_size(block)); }

void* new_block(std::size_t size) {
  if (size == error_size) blocks.cost += cost_of_error;
  return counted(std::malloc(size));
}

void* new_zeros(std::size_t count, std::size_t size) { return counted(std::calloc(count, size)); }

void* resized_block(void* block, std::size_t size) {
  discount(block);
  return counted(std::realloc(block, size));
}

void free_block(void* block) {
  discount(block);
  std::free(block);
}

void count_blocks() {
  static const bool once = (ts_set_allocator(new_block, new_zeros, resized_block, free_block), true);
  static_cast<void>(once);
}

// The work that tree-sitter may do for a text, which hostile text could extend to hours: at most twice of what any real source takes. After
// every hundred steps it asks whether it may continue; it asks for text in pieces, for those that it reads repeatedly each time. Beyond the
// limit the text ends. What it holds is charged to the memory budget.
class Work {
 public:
  explicit Work(std::string_view text)
      : text_(text),
        pieces_(1000 + text.size() / 64),
        most_cost_(blocks.cost + 100'000'000 + 1400 * text.size()),
        held_before_(blocks.held) {}
  ~Work() { MemoryBudget::release(charged_); }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  static bool is_over(TSParseState* state) {
    Work& work = *static_cast<Work*>(state->payload);
    work.charge();
    return work.is_done();
  }

  static const char* read(void* payload, std::uint32_t at, TSPoint, std::uint32_t* size) {
    Work& work = *static_cast<Work*>(payload);
    if (work.pieces_ > 0) --work.pieces_;
    const std::string_view piece = work.is_done() ? std::string_view() : work.text_.substr(at, piece_size);
    *size = static_cast<std::uint32_t>(piece.size());
    return piece.data();
  }

  bool is_done() const { return pieces_ == 0 || blocks.cost > most_cost_ || is_too_large_; }
  bool is_too_large() const { return is_too_large_; }

 private:
  static constexpr std::size_t piece_size = 4096;
  static constexpr std::size_t charged_at_once = 1 << 20;

  // An exception must not pass through the code of tree-sitter.
  void charge() {
    const std::int64_t held = blocks.held - held_before_;
    if (held < static_cast<std::int64_t>(charged_ + charged_at_once)) return;
    try {
      MemoryBudget::charge(static_cast<std::size_t>(held) - charged_);
      charged_ = static_cast<std::size_t>(held);
    } catch (const OverBudget&) {
      is_too_large_ = true;
    }
  }

  std::string_view text_;
  std::uint64_t pieces_, most_cost_;
  std::int64_t held_before_;
  std::size_t charged_ = 0;
  bool is_too_large_ = false;
};

}  // namespace

Result<> add_syntax_of_grammar(std::string_view text, std::uint32_t offset, Syntax& into, std::uint32_t& errors) {
  count_blocks();
  const std::unique_ptr<TSParser, Free> parser(ts_parser_new());
  if (!ts_parser_set_language(parser.get(), tree_sitter_cuda())) {
    return fail(ErrorKind::environment, "the grammar of CUDA does not fit the core of tree-sitter");
  }
  Work work(text);
  const TSInput input{&work, Work::read, TSInputEncodingUTF8, nullptr};
  const std::unique_ptr<TSTree, Free> tree(
      ts_parser_parse_with_options(parser.get(), nullptr, input, TSParseOptions{&work, Work::is_over}));
  if (work.is_too_large()) throw OverBudget();
  if (!tree || work.is_done()) {
    return fail(ErrorKind::malformed, "expected CUDA source, found text that the parser cannot finish within its limit");
  }
  Conversion(*tree, offset, into, errors).run();
  return {};
}

Result<> add_syntax(std::string_view text, std::uint32_t offset, Syntax& into, std::uint32_t& errors) {
  if (Parser(text).read(offset, into)) return {};
  return add_syntax_of_grammar(text, offset, into, errors);
}

}  // namespace frx::ingest::cuda
