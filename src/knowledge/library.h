// All of data/ as documents: the embedded ones, with those of --data DIR merged over them (a file of the same name replaces the embedded
// file, a new name is added).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "base/result.h"

namespace frx::knowledge {

class Library {
 public:
  // The documents embedded at build time.
  static Library builtin();
  // The same with the files of `directory` merged over it. Errors name file and line.
  static Result<Library> with_overrides(const std::string& directory);

  // True without overrides, also if there were none in the directory.
  bool is_embedded() const { return owned_views_.empty(); }

  // Documents whose name starts with "data/<folder>/", in order of their names.
  std::vector<Value> folder(std::string_view folder) const;
  // One document, empty when there is none: file("data/recommendations/rules.yaml").
  Value file(std::string_view name) const;
  // Text of a schema, "" when there is none.
  std::string_view schema(std::string_view name) const;

 private:
  const DocumentView* called(std::string_view name) const;

  std::vector<const DocumentView*> views_;  // by name
  std::vector<std::shared_ptr<const Document>> owned_;
  std::vector<std::shared_ptr<const DocumentView>> owned_views_;
};

}  // namespace frx::knowledge
