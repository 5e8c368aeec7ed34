// A read-only tree of text: what data/ holds, whether embedded in the program or read from --data.
//
// The embedded form is three constant arrays written at build time, so opening the catalogue costs
// nothing at start-up: no parsing, no allocation, no relocation. A YAML file read at run time builds
// the same arrays, and everything above this header sees no difference.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx {

// One node. Children of a list and (key, value) pairs of a map are consecutive nodes.
struct DocumentNode {
  enum Kind : std::uint32_t { nothing, text, list, map };

  std::uint32_t kind = nothing;
  std::uint32_t line = 0;   // 1-based line in its file
  std::uint32_t begin = 0;  // text: offset in the pool; list, map: index of the first child
  std::uint32_t size = 0;   // text: bytes; list: items; map: pairs (2 x size nodes)
};

// The arrays, wherever they live.
struct DocumentView {
  std::string_view file;
  std::span<const DocumentNode> nodes;
  std::string_view pool;
  std::uint32_t root = 0;
};

// A position in a document. Cheap to copy; valid while the document lives.
class Value {
 public:
  Value() = default;
  explicit Value(const DocumentView& view) : view_(&view), index_(view.root) {}
  Value(const DocumentView& view, std::uint32_t index) : view_(&view), index_(index) {}

  explicit operator bool() const { return view_ != nullptr && node().kind != DocumentNode::nothing; }
  bool is_text() const { return *this && node().kind == DocumentNode::text; }
  bool is_list() const { return *this && node().kind == DocumentNode::list; }
  bool is_map() const { return *this && node().kind == DocumentNode::map; }

  // "" when this is not a text.
  std::string_view text() const;
  std::optional<double> number() const;
  std::optional<bool> boolean() const;

  // A missing key is an empty Value, so chains read naturally: value["a"]["b"].text().
  Value operator[](std::string_view key) const;
  // The list under `key`, empty when the key is missing. Fails when the value is not a list, instead of silently ignoring it.
  Result<Value> list(std::string_view key) const;
  // Items of a list, pairs of a map; a text has none, however long it is.
  std::size_t size() const { return is_list() || is_map() ? node().size : 0; }
  // The i-th item of a list, key and value of the i-th pair of a map; empty when there is none.
  Value item(std::size_t i) const { return is_list() && i < node().size ? child(i) : Value(); }
  std::string_view key(std::size_t i) const { return is_map() && i < node().size ? child(2 * i).text() : ""; }
  Value value(std::size_t i) const { return is_map() && i < node().size ? child(2 * i + 1) : Value(); }

  // The texts of a list, or the one text when it is not a list.
  std::vector<std::string_view> texts() const;

  // "file:line", for messages.
  std::string where() const;

  // Where it stands, for tables about what stands in documents: nullptr of an empty Value, and the index of its node.
  const DocumentView* document() const { return view_; }
  std::uint32_t index() const { return index_; }

 private:
  const DocumentNode& node() const { return view_->nodes[index_]; }
  Value child(std::size_t offset) const { return {*view_, node().begin + static_cast<std::uint32_t>(offset)}; }

  const DocumentView* view_ = nullptr;
  std::uint32_t index_ = 0;
};

// A document that owns its arrays.
struct Document {
  std::string file;
  std::vector<DocumentNode> nodes;
  std::string pool;
  std::uint32_t root = 0;

  DocumentView view() const { return {file, nodes, pool, root}; }
};

// YAML 1.2 without aliases, tags and multiple documents; at most 64 levels deep. The error names
// file and line.
Result<Document> parse_yaml(std::string file, const std::string& text);

}  // namespace frx
