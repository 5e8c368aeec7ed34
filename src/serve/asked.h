// What a request asks: its files as sources, and its options, whatever form they came in.
//
// A body may be a file as it is (?filename=report.csv), a form with any number of files, or a JSON object. Options stand in the query, in
// fields of the form or in the object, by the same names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer/json.h"
#include "http/message.h"
#include "ingest/source.h"
#include "serve/uploaded_run.h"

namespace frx::serve {

using answer::Json;

// The most bytes of a JSON body: text inside of it is held in memory. Larger inputs are sent as files.
constexpr std::uint64_t most_json = std::uint64_t{64} << 20;

class Asked {
 public:
  // Errors: JSON that is damaged or no object.
  static Result<Asked> in(http::Request& request);

  bool has_json() const { return json_.has_value(); }
  const Json& json() const { return *json_; }
  // An option: "" where it was not given. Errors: it is no text.
  Result<std::string> option(std::string_view name) const;
  // An option that is on or off: true or false of JSON, elsewhere these words. false where it was not given. Errors: anything else.
  Result<bool> flag(std::string_view name) const;

  // The files of the request: those of a form, the body itself, or those of "files": [{"filename", "content"}]. Each once; the loose
  // members of a run bundle are one. Errors: an entry of "files" is no such object.
  Result<std::vector<ingest::Source>> files(std::string_view default_name);
  // The file of this field, if there is one.
  std::optional<ingest::Source> file(std::string_view field);
  // The text of one of these members of the object, or else the only file. Errors: none of them is given; it is no text.
  Result<ingest::Source> text_or_file(std::initializer_list<std::string_view> members, std::string_view default_name);

 private:
  explicit Asked(http::Request& request) : request_(&request) {}

  http::Request* request_;
  std::optional<Json> json_;
  std::optional<UploadedRun> run_;  // among the files
};

// Of an object: absent where it has no such member or null. Errors name the member: it is no text.
Result<std::optional<std::string>> text_in(const Json& object, std::string_view member);
// The first of these members that is there.
Result<std::optional<std::string>> text_in(const Json& object, std::initializer_list<std::string_view> members);

}  // namespace frx::serve
