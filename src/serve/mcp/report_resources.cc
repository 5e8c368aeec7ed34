#include "serve/mcp/report_resources.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "analyse/answer.h"
#include "base/folders.h"
#include "base/text.h"
#include "http/message.h"
#include "ingest/recordings.h"
#include "render/render.h"
#include "serve/mcp/analysed.h"

namespace frx::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_listed = 200;

// What a URI has to escape; '/' stays.
std::string encoded(std::string_view path) {
  std::string text;
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          std::string_view("/-._~").find(c) != std::string_view::npos;
    text += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

Json resource_of(const std::string& path, const std::string& root) {
  const std::string name = fs::path(path).lexically_relative(root).string();
  return {{"uri", std::string(report_scheme) + encoded(path.substr(1))},
          {"name", printable(name)},
          {"title", "Report about " + printable(name)},
          {"mimeType", "text/markdown"}};
}

}  // namespace

bool is_report_resource(std::string_view uri) { return uri.starts_with(report_scheme); }

Json report_resources(const Roots& roots) {
  Json list = Json::array();
  const std::vector<std::string> folders = roots.folders();
  for (const std::string& root : folders) {
    for (const std::string& path : ingest::recordings_below(root, most_listed - list.size())) {
      if (lies_in(path, folders)) list.push_back(resource_of(path, root));
    }
  }
  return list;
}

Result<Json> report_at(const std::string& uri, const ToolCall& call) {
  TRY_ASSIGN(const std::string decoded, http::percent_decoded(std::string_view(uri).substr(report_scheme.size())));
  // An absolute path has lost its first stroke; a relative one is below the first root.
  Result<std::string> path = call.roots.resolved("/" + decoded);
  if (!path) path = call.roots.resolved(decoded);
  if (!path) return Failure{std::move(path).error()};
  TRY_ASSIGN(const std::unique_ptr<Analysed> done, analysed(call, {*path}));
  std::string text;
  TRY(render::render(analyse::answer_of(done->analysis), "markdown", {80, false, answer::Detail::full},
                     [&text](std::string_view part) { text += part; }));
  return Json{{"contents", Json::array({{{"uri", uri}, {"mimeType", "text/markdown"}, {"text", std::move(text)}}})}};
}

}  // namespace frx::serve
