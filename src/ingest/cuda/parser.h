// Reads CUDA C++ into the tree that the grammar of tree-sitter would give, as long as the text is plain: it never guesses. A declaration
// with an unknown or ambiguous construct is read by the grammar; without one the parser gives up.
//
// Each function parses one construct, adds its node, and returns whether it could. After `false` the caller restores the position
// (attempt), or returns `false` itself.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "ingest/cuda/grammar.h"
#include "ingest/cuda/postorder.h"
#include "ingest/cuda/tokens.h"
#include "model/cuda_syntax.h"

namespace frx::ingest::cuda {

class Parser {
 public:
  explicit Parser(std::string_view text, Grammar* grammar = nullptr);

  // Adds the tree of the whole text, with bytes moved by `offset`; nothing when it gives up.
  bool read(std::uint32_t offset, model::cuda::Syntax& into);
  // Places that the grammar could not parse either.
  std::uint32_t errors() const { return errors_; }

 private:
  using NodeKind = model::cuda::NodeKind;
  using Role = model::cuda::Role;
  // The start of a node.
  struct From {
    Postorder::Mark mark;
    std::uint32_t begin;
  };
  // Bytes that may be read for one declaration, including repeated attempts: a multiple of those that it was read up to.
  struct Effort {
    std::uint32_t begin = 0, furthest = 0;
    std::uint64_t work = 0;  // before it
  };
  // The names that a declarator declares.
  enum class Names : std::uint8_t { plain, fields, types };
  class Deeper;
  class InBrackets;
  class Item;

  // parser.cc
  From here() const { return {out_.mark(), tokens_.now().begin}; }
  bool at(Tok kind) const { return tokens_.kind() == kind; }
  void next() { tokens_.next(); }
  bool take(Tok kind);  // brackets and commas leave no node
  bool token();         // the current token, whatever it is, as a node
  bool leaf(NodeKind kind);
  bool leaf_if(Tok kind, NodeKind node) { return at(kind) && leaf(node); }
  bool make(NodeKind kind, From from);
  bool role(Role role);
  bool around_token(NodeKind kind);  // a node with only this token in it
  template <typename Read>
  bool attempt(Read&& read) {
    const Tokens::Mark tokens = tokens_.mark();
    const Postorder::Mark nodes = out_.mark();
    const std::uint32_t errors = errors_;
    if (read()) return true;
    tokens_.go_back(tokens);
    out_.cut(nodes);
    errors_ = errors;
    return false;
  }
  bool is_angle_end() const;

  // parse_items.cc
  bool item(Within within);
  bool item_of(Within within);
  bool by_grammar(Within within);
  bool skip_item(Within within);
  bool skip_token();
  bool goes_on_behind_body(bool may_declare) const;

  // parse_annotations.cc
  bool at_macro_name() const;
  bool is_on_new_line() const;
  bool is_before_type(bool is_next = true);
  bool annotation_with_arguments();
  bool begins_annotated_declaration() const;
  bool macro_statement();
  bool annotation(bool before_method = false);
  bool annotation_behind_type();
  bool annotated_item(Within within);
  bool macro_call();

  // parse_literals.cc
  bool escapes_until(char quote, NodeKind content);
  bool string();
  bool character();
  bool raw_string();
  bool strings();

  // parse_names.cc
  bool name();
  bool name_parts(bool is_type, bool is_first);
  bool name_behind_scope(bool is_type, From from);
  bool dependent_name(bool is_type);
  bool ends_comparison() const;
  bool destructor_name();
  bool template_arguments();
  bool template_argument();

  // parse_assembly.cc
  bool assembly_operand();
  bool assembly_operands();
  bool assembly();

  // parse_operands.cc
  bool begins_operand() const;
  bool brackets();
  bool cast(From from, bool must_be_one);
  bool is_behind_scoped_name(From from) const;
  bool capture();
  bool lambda();
  bool new_object();
  bool delete_object();
  bool size_of();
  bool align_of();
  bool name_or_object();
  bool primary();

  // parse_postfix.cc
  bool postfix();
  bool call(From from);
  bool launch(From from);
  bool subscript(From from);
  bool field(From from);
  bool dependent_method();
  bool argument_list();
  bool initializer_list();

  // parse_expressions.cc
  bool expression_or_comma();
  bool expression();
  bool initializer();
  bool conditional();
  bool binary(int lowest);
  bool unary();

  // parse_types.cc
  bool specifiers();
  bool modifier();
  bool attribute();
  bool attribute_declaration();
  bool alignment();
  bool launch_bounds();
  bool type();
  bool sized_type();
  bool record();
  bool base_clause();
  bool enumeration();
  bool enumerator_list();
  bool type_descriptor();
  bool abstract_declarator();
  bool abstract_suffixes(From from, bool has_inner);

  // parse_declarators.cc
  bool declarator(Names names);
  bool declared_name(Names names);
  bool operator_name();
  bool declarator_suffixes(Names names, From from);
  bool array_suffix(From from, NodeKind kind);
  bool function_suffix(From from);
  bool is_behind_function() const;
  bool function_end();
  bool parameter_list();
  bool pack();
  bool parameter();
  bool init_declarator();

  // parse_declarations.cc
  bool begins_declaration() const;
  bool top_level_item();
  bool declaration();
  bool declaration_or_function(bool may_be_function);
  bool function_body(From from);
  bool constructor(bool in_class);
  bool conversion(From from);
  bool field_initializers();
  bool method_end();
  bool type_definition();
  bool alias_or_using();
  bool static_assertion();

  // parse_members.cc
  bool field_declaration_list();
  bool member();
  bool field_declaration();
  bool friend_declaration();

  // parse_scopes.cc
  bool namespace_definition();
  bool namespace_name();
  bool declaration_list();
  bool linkage();
  bool template_declaration();
  bool template_parameters();
  bool template_parameter();

  // parse_statements.cc
  bool block_item();
  bool statement();
  bool compound();
  bool expression_statement();
  bool name_statement();
  bool attributed_statement();
  bool labeled_statement();
  bool if_statement();
  bool condition_clause();
  bool for_statement();
  bool for_range();
  bool while_statement();
  bool do_statement();
  bool switch_statement();
  bool case_statement();
  bool return_statement();
  bool keyword_statement(NodeKind kind, bool takes_value);
  bool try_statement();

  Tokens tokens_;
  Postorder out_;
  bool angle_closes_ = false;  // in a list of template arguments, outside any brackets
  std::uint32_t depth_ = 0;
  Grammar* grammar_;
  std::uint32_t errors_ = 0;
  bool is_in_body_ = false;  // of a function
  bool has_annotations_ = false;
  Effort effort_;
  std::uint64_t most_work_;  // for the whole text
};

}  // namespace frx::ingest::cuda
