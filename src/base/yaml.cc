// YAML text -> Document, through yaml-cpp's event interface: it gives lines, needs no tree of its own
// and lets us refuse aliases, which could otherwise grow a small file without bound.

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>

#include "base/document.h"

namespace frx {
namespace {

constexpr std::size_t max_depth = 64;

struct Refused {
  int line;
  const char* reason;
};

// Collects nodes depth first; a collection's children are buffered until it ends, so that they can
// be laid out side by side.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(Document& document) : document_(document) { open_.emplace_back(); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw Refused{mark.line, "a second document in one file"};
  }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { throw Refused{mark.line, "an anchor"}; }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { throw Refused{mark.line, "an alias"}; }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse(mark, anchor);
    add({DocumentNode::nothing, line(mark), 0, 0});
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& value) override {
    refuse(mark, anchor);
    const auto begin = static_cast<std::uint32_t>(document_.pool.size());
    document_.pool += value;
    add({DocumentNode::text, line(mark), begin, static_cast<std::uint32_t>(value.size())});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    refuse(mark, anchor);
    start(DocumentNode::list, mark);
  }
  void OnSequenceEnd() override { finish(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    refuse(mark, anchor);
    start(DocumentNode::map, mark);
  }
  void OnMapEnd() override { finish(); }

  void close() {
    document_.nodes.push_back(open_[0].children.empty() ? DocumentNode{} : open_[0].children[0]);
    document_.root = static_cast<std::uint32_t>(document_.nodes.size() - 1);
  }

 private:
  struct Open {
    DocumentNode node;
    std::vector<DocumentNode> children;
  };

  static std::uint32_t line(const YAML::Mark& mark) { return static_cast<std::uint32_t>(mark.line + 1); }
  static void refuse(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) throw Refused{mark.line, "an anchor"};
  }
  void start(DocumentNode::Kind kind, const YAML::Mark& mark) {
    if (open_.size() > max_depth) throw Refused{mark.line, "more than 64 levels"};
    open_.push_back({{kind, line(mark), 0, 0}, {}});
  }
  void add(DocumentNode node) { open_.back().children.push_back(node); }
  void finish() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.node.kind == DocumentNode::map) {
      for (std::size_t i = 0; i < done.children.size(); i += 2) {
        if (done.children[i].kind == DocumentNode::list || done.children[i].kind == DocumentNode::map) {
          throw Refused{static_cast<int>(done.children[i].line) - 1, "a key that is not a text"};
        }
      }
    }
    done.node.begin = static_cast<std::uint32_t>(document_.nodes.size());
    done.node.size = static_cast<std::uint32_t>(done.children.size() / (done.node.kind == DocumentNode::map ? 2 : 1));
    document_.nodes.insert(document_.nodes.end(), done.children.begin(), done.children.end());
    add(done.node);
  }

  Document& document_;
  std::vector<Open> open_;
  int documents_ = 0;
};

}  // namespace

Result<Document> parse_yaml(std::string file, const std::string& text) {
  Document document;
  document.file = std::move(file);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Builder builder(document);
    while (parser.HandleNextDocument(builder)) {
    }
    builder.close();
  } catch (const Refused& refused) {
    return fail(ErrorKind::malformed, "expected plain YAML, found {}", refused.reason)
        .at(fmt::format("{}:{}", document.file, refused.line + 1));
  } catch (const YAML::Exception& error) {
    return fail(ErrorKind::malformed, "not valid YAML: {}", error.msg).at(fmt::format("{}:{}", document.file, error.mark.line + 1));
  }
  return document;
}

}  // namespace frx
