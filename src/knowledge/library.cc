#include "knowledge/library.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "knowledge/embedded.h"

namespace frx::knowledge {

Library Library::builtin() {
  Library library;
  for (const DocumentView& view : embedded_files()) library.views_.push_back(&view);
  return library;
}

Result<Library> Library::with_overrides(const std::string& directory) {
  namespace fs = std::filesystem;
  Library library = builtin();
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    return fail(ErrorKind::unreadable, "expected a directory of YAML files").at(directory);
  }
  std::vector<fs::path> paths;
  for (fs::recursive_directory_iterator it(directory, error), end; it != end && !error; it.increment(error)) {
    if (it->is_regular_file(error) && it->path().extension() == ".yaml") paths.push_back(it->path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    TRY_ASSIGN(const std::string text, read_file(path, std::uint64_t{16} << 20));
    TRY_ASSIGN(Document document, parse_yaml(path, text));
    const std::string name = "data/" + fs::relative(path, directory, error).generic_string();
    document.file = name;
    auto owned = std::make_shared<const Document>(std::move(document));
    auto view = std::make_shared<const DocumentView>(owned->view());
    const auto same =
        std::find_if(library.views_.begin(), library.views_.end(), [&](const DocumentView* other) { return other->file == name; });
    if (same != library.views_.end()) {
      *same = view.get();
    } else {
      library.views_.push_back(view.get());
    }
    library.owned_.push_back(std::move(owned));
    library.owned_views_.push_back(std::move(view));
  }
  if (library.is_embedded()) return library;
  std::sort(library.views_.begin(), library.views_.end(), [](const DocumentView* a, const DocumentView* b) { return a->file < b->file; });
  // None of it is a place of embedded_files(): what was compiled of those takes for granted that nothing is laid over them.
  for (const DocumentView*& view : library.views_)
    view = library.owned_views_.emplace_back(std::make_shared<const DocumentView>(*view)).get();
  return library;
}

std::vector<Value> Library::folder(std::string_view folder) const {
  const std::string prefix = "data/" + std::string(folder) + "/";
  std::vector<Value> values;
  for (auto at = std::ranges::lower_bound(views_, prefix, {}, &DocumentView::file); at != views_.end(); ++at) {
    if (!(*at)->file.starts_with(prefix)) break;
    if (!(*at)->nodes.empty()) values.emplace_back(**at);
  }
  return values;
}

const DocumentView* Library::called(std::string_view name) const {
  const auto at = std::ranges::lower_bound(views_, name, {}, &DocumentView::file);
  return at == views_.end() || (*at)->file != name ? nullptr : *at;
}

Value Library::file(std::string_view name) const {
  const DocumentView* const view = called(name);
  return view != nullptr && !view->nodes.empty() ? Value(*view) : Value();
}

std::string_view Library::schema(std::string_view name) const {
  const DocumentView* const view = called(name);
  return view != nullptr && view->nodes.empty() ? view->pool : std::string_view();
}

}  // namespace frx::knowledge
