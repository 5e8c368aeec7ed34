#include "ingest/run_bundle/open_bundle.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "model/bundle_paths.h"

namespace frx::ingest {
namespace {

namespace fs = std::filesystem;
namespace bundle = model::bundle;

constexpr int deepest_in_bundle = 16;
constexpr std::string_view expected_files = "derived/summary.json, raw/trace.jsonl, profiler/*.json, metadata.json or manifest.json";

bool by_path(const BundleMember& a, const BundleMember& b) { return a.path < b.path; }

Failure at(const std::string& path, Error error) {
  if (error.where.empty()) {
    error.where = path;
  } else if (error.where != path) {
    error.where = path + ": " + error.where;
  }
  return Failure{std::move(error)};
}

Failure no_run(const std::string& path) {
  return fail(ErrorKind::malformed, "expected a run bundle, found none of its files")
      .at(path)
      .hint(fmt::format("a bundle has {}", expected_files));
}

std::string without_zip(const std::string& path) {
  const std::string name = fs::path(path).filename();
  return to_lower(name).ends_with(".zip") ? name.substr(0, name.size() - 4) : name;
}

// The first components of all paths.
std::set<std::string> top_folders(const std::vector<BundleMember>& members) {
  std::set<std::string> folders;
  for (const BundleMember& member : members) {
    if (const std::size_t slash = member.path.find('/'); slash != std::string::npos) folders.insert(member.path.substr(0, slash + 1));
  }
  return folders;
}

// The members below `folder` ("run-1/"), by their paths in it.
std::vector<BundleMember> below(const std::vector<BundleMember>& members, const std::string& folder) {
  std::vector<BundleMember> found;
  for (const BundleMember& member : members) {
    if (member.path.starts_with(folder)) found.push_back({member.path.substr(folder.size()), member.bytes});
  }
  return found;
}

}  // namespace

bool looks_like_run(const std::vector<BundleMember>& members) {
  return std::any_of(members.begin(), members.end(), [](const BundleMember& member) {
    return member.path == bundle::derived_summary || member.path == bundle::raw_trace || member.path == bundle::metadata ||
           member.path == bundle::manifest || bundle::is_profiler_trace(member.path);
  });
}

Result<RunBundle> RunBundle::open(const std::string& path, const ZipLimits& limits) {
  std::error_code error;
  if (fs::is_directory(path, error)) return open_folder(path, limits.members);
  Result<std::shared_ptr<const RandomAccess>> bytes = open_random_access(path);
  if (!bytes) return at(path, std::move(bytes).error());
  return open_zip(path, std::move(*bytes), limits);
}

Result<RunBundle> RunBundle::open(Source& source, const ZipLimits& limits) {
  if (source.is_folder()) {
    TRY_ASSIGN(RunBundle run, open_folder(source.path(), limits.members));
    run.path_ = source.name();
    return run;
  }
  Result<std::shared_ptr<const RandomAccess>> bytes = source.random_access();
  if (!bytes) return at(source.name(), std::move(bytes).error());
  return open_zip(source.name(), std::move(*bytes), limits);
}

// Links to files are followed: the author of the folder put them there. Links to folders are not, so that no traversal is endless.
Result<RunBundle> RunBundle::open_folder(const std::string& path, std::uint64_t most_members) {
  RunBundle run;
  run.path_ = run.folder_ = path;
  run.name_ = fs::path(path).lexically_normal().filename().empty() ? fs::path(path).lexically_normal().parent_path().filename()
                                                                   : fs::path(path).lexically_normal().filename();
  std::error_code error;
  fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, error), end;
  if (error) return fail(ErrorKind::unreadable, "cannot list: {}", error.message()).at(path);
  for (; !error && it != end; it.increment(error)) {
    if (it.depth() >= deepest_in_bundle) it.disable_recursion_pending();
    std::error_code ignored;
    if (!it->is_regular_file(ignored)) continue;
    const std::uint64_t size = it->file_size(ignored);
    run.members_.push_back({it->path().lexically_relative(path).generic_string(), ignored ? 0 : size});
    if (run.members_.size() > most_members)
      return fail(ErrorKind::malformed, "expected at most {} files, found more", most_members).at(path);
  }
  std::sort(run.members_.begin(), run.members_.end(), by_path);
  if (!looks_like_run(run.members_)) return no_run(path);
  return run;
}

Result<RunBundle> RunBundle::open_zip(std::string name, std::shared_ptr<const RandomAccess> bytes, const ZipLimits& limits) {
  Result<ZipArchive> archive = ZipArchive::open(std::move(bytes), limits);
  if (!archive) return at(name, std::move(archive).error());
  RunBundle run;
  run.path_ = std::move(name);
  run.name_ = without_zip(run.path_);
  run.archive_ = std::move(*archive);
  for (const ZipMember& member : run.archive_->members()) run.members_.push_back({member.path, member.bytes});
  std::sort(run.members_.begin(), run.members_.end(), by_path);
  TRY(run.enter_folder_of_archive());
  return run;
}

Result<> RunBundle::enter_folder_of_archive() {
  if (looks_like_run(members_)) return {};
  std::vector<std::string> runs;
  for (const std::string& folder : top_folders(members_)) {
    if (looks_like_run(below(members_, folder))) runs.push_back(folder);
    if (runs.size() > 1) break;
  }
  if (runs.empty()) return no_run(path_);
  if (runs.size() > 1) {
    return fail(ErrorKind::malformed, "expected one run in the archive, found {} and {}", printable(runs[0]), printable(runs[1]))
        .at(path_)
        .hint("unpack it, and give one of the folders");
  }
  prefix_ = runs[0];
  name_ = prefix_.substr(0, prefix_.size() - 1);
  members_ = below(members_, prefix_);
  return {};
}

const BundleMember* RunBundle::find(std::string_view path) const {
  const auto found = std::lower_bound(members_.begin(), members_.end(), path,
                                      [](const BundleMember& member, std::string_view wanted) { return member.path < wanted; });
  return found != members_.end() && found->path == path ? &*found : nullptr;
}

Result<std::unique_ptr<ByteSource>> RunBundle::open(std::string_view path) const {
  const std::string shown = path_ + "/" + std::string(path);
  if (!has(path)) return fail(ErrorKind::unreadable, "the bundle has no such file").at(shown);
  if (!archive_) {
    Result<std::unique_ptr<ByteSource>> file = open_file(folder_ + "/" + std::string(path));
    if (file) return file;
    Error error = std::move(file).error();
    error.where = shown;
    return Failure{std::move(error)};
  }
  const std::string inside = prefix_ + std::string(path);
  const auto& all = archive_->members();
  const auto member = std::find_if(all.begin(), all.end(), [&](const ZipMember& one) { return one.path == inside; });
  Result<std::unique_ptr<ByteSource>> source = archive_->open_member(*member);
  if (!source) return at(path_, std::move(source).error());
  return source;
}

Result<std::string> RunBundle::read(std::string_view path, std::uint64_t limit) const {
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open(path));
  std::string text;
  std::vector<char> buffer(1 << 16);
  while (true) {
    Result<std::size_t> got = source->read(buffer);
    if (!got) return at(path_, std::move(got).error());
    if (*got == 0) return text;
    text.append(buffer.data(), *got);
    if (text.size() > limit)
      return fail(ErrorKind::malformed, "expected at most {} MB, found more", limit >> 20).at(path_ + "/" + std::string(path));
  }
}

}  // namespace frx::ingest
