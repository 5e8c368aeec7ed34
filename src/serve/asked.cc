#include "serve/asked.h"

#include <algorithm>

#include "base/files.h"
#include "base/text.h"

namespace frx::serve {
namespace {

std::string_view kind_of(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_string()) return "a text";
  if (value.is_number()) return "a number";
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  return value.is_array() ? "a list" : "an object";
}

Failure expected(std::string_view where, std::string_view what, const Json& found) {
  return fail(ErrorKind::usage, "expected {}, found {}", what, kind_of(found)).at(std::string(where));
}

// Names are for messages and reports; what a path would mean is not looked at.
std::string name_of(const http::Part& part, std::string_view default_name) {
  return printable(part.filename.empty() ? default_name : std::string_view(part.filename));
}

ingest::Source source_of(http::Part& part, std::string_view default_name) {
  const std::string name = name_of(part, default_name);
  if (part.path.empty()) return ingest::Source::of(name, std::move(part.bytes));
  return ingest::Source::at(part.path).named(name);
}

bool is_file(const http::Part& part) { return part.field.empty() || !part.filename.empty(); }

}  // namespace

Result<std::optional<std::string>> text_in(const Json& object, std::string_view member) {
  const auto at = object.find(member);
  if (at == object.end() || at->is_null()) return std::optional<std::string>();
  if (!at->is_string()) return expected(member, "a text", *at);
  return std::optional(at->get<std::string>());
}

Result<std::optional<std::string>> text_in(const Json& object, std::initializer_list<std::string_view> members) {
  for (const std::string_view member : members) {
    TRY_ASSIGN(std::optional<std::string> text, text_in(object, member));
    if (text) return text;
  }
  return std::optional<std::string>();
}

Result<Asked> Asked::in(http::Request& request) {
  Asked asked(request);
  if (request.media_type() != "application/json" || request.parts.empty()) return asked;
  http::Part& body = request.parts.front();
  if (body.size > most_json) {
    return fail(ErrorKind::usage, "a JSON body may have {} bytes", most_json)
        .hint("send the file itself, as the body or in a form, and not inside of JSON");
  }
  if (!body.path.empty()) {
    TRY_ASSIGN(body.bytes, read_file(body.path, most_json));
    body.path.clear();
  }
  asked.json_ = Json::parse(body.bytes, nullptr, false);
  body.bytes = {};
  if (asked.json_->is_discarded()) return fail(ErrorKind::usage, "the body is no valid JSON");
  if (!asked.json_->is_object()) return fail(ErrorKind::usage, "expected an object, found {}", kind_of(*asked.json_));
  return asked;
}

Result<std::string> Asked::option(std::string_view name) const {
  if (const std::string_view given = request_->parameter(name); !given.empty()) return std::string(given);
  if (json_) {
    TRY_ASSIGN(const std::optional<std::string> text, text_in(*json_, name));
    return text.value_or("");
  }
  const auto at = std::ranges::find_if(request_->parts, [&](const http::Part& part) { return part.field == name && !is_file(part); });
  return at == request_->parts.end() ? std::string() : at->bytes;
}

Result<bool> Asked::flag(std::string_view name) const {
  if (json_ && request_->parameter(name).empty()) {
    const auto at = json_->find(name);
    if (at == json_->end() || at->is_null()) return false;
    if (at->is_boolean()) return at->get<bool>();
  }
  TRY_ASSIGN(const std::string word, option(name));
  if (word == "true") return true;
  if (word.empty() || word == "false") return false;
  return fail(ErrorKind::usage, "expected true or false, found {}", printable(word)).at(std::string(name));
}

Result<std::vector<ingest::Source>> Asked::files(std::string_view default_name) {
  std::vector<ingest::Source> files;
  if (!json_) {
    TRY_ASSIGN(run_, uploaded_run(request_->parts));
    if (run_) files.push_back(ingest::Source::at(run_->path).named(printable(file_name_in(run_->path))));
    for (std::size_t i = 0; i < request_->parts.size(); ++i) {
      http::Part& part = request_->parts[i];
      if (run_ && std::ranges::binary_search(run_->parts, i)) continue;
      if (is_file(part) && (part.size > 0 || !part.filename.empty())) files.push_back(source_of(part, default_name));
    }
    return files;
  }
  const auto list = json_->find("files");
  if (list == json_->end() || list->is_null()) return files;
  if (!list->is_array()) return expected("files", "a list", *list);
  for (const Json& one : *list) {
    if (!one.is_object()) return expected("files", "objects {\"filename\", \"content\"}", one);
    TRY_ASSIGN(const std::optional<std::string> name, text_in(one, "filename"));
    TRY_ASSIGN(std::optional<std::string> content, text_in(one, "content"));
    if (!content) return fail(ErrorKind::usage, "a file has no content").at("files");
    files.push_back(ingest::Source::of(printable(name.value_or(std::string(default_name))), std::move(*content)));
  }
  return files;
}

std::optional<ingest::Source> Asked::file(std::string_view field) {
  const auto at = std::ranges::find_if(request_->parts, [&](const http::Part& part) { return part.field == field && is_file(part); });
  return at == request_->parts.end() ? std::nullopt : std::optional(source_of(*at, field));
}

Result<ingest::Source> Asked::text_or_file(std::initializer_list<std::string_view> members, std::string_view default_name) {
  if (json_) {
    TRY_ASSIGN(std::optional<std::string> text, text_in(*json_, members));
    TRY_ASSIGN(const std::optional<std::string> name, text_in(*json_, "filename"));
    if (text) return ingest::Source::of(printable(name.value_or(std::string(default_name))), std::move(*text));
  }
  TRY_ASSIGN(std::vector<ingest::Source> all, files(default_name));
  if (all.size() == 1) return std::move(all.front());
  return fail(ErrorKind::usage, "expected {} as a text, or one file; found {}", *members.begin(),
              all.empty() ? "neither" : fmt::format("{} files", all.size()));
}

}  // namespace frx::serve
