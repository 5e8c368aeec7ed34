// The OpenAPI document: the endpoints as they are declared, and the schemas that frx ships for what it writes.

#include "answer/json.h"
#include "base/text.h"
#include "knowledge/library.h"
#include "serve/api.h"

namespace frx::serve {
namespace {

using answer::Json;

constexpr std::string_view components = R"({
  "File": {"type": "object", "required": ["content"], "properties": {"filename": {"type": ["string", "null"]}, "content": {"type": "string"}}},
  "Side": {
    "type": "object",
    "description": "one implementation; at least one of cuda_source, ptx_text and ncu_csv",
    "anyOf": [{"required": ["cuda_source"]}, {"required": ["ptx_text"]}, {"required": ["ptx"]}, {"required": ["ncu_csv"]}],
    "properties": {
      "label": {"type": ["string", "null"]}, "cuda_source": {"type": "string"}, "cuda_filename": {"type": ["string", "null"]},
      "ptx_text": {"type": "string"}, "ptx": {"type": "string", "description": "the same as ptx_text"},
      "ptx_filename": {"type": ["string", "null"]}, "ncu_csv": {"type": "string"}, "kernel": {"type": ["string", "null"]}
    }
  },
  "Problem": {
    "type": "object",
    "description": "RFC 9457; hint and where are those of the command line",
    "required": ["type", "title", "status", "detail"],
    "properties": {
      "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"}, "detail": {"type": "string"},
      "hint": {"type": "string"}, "where": {"type": "string"}
    }
  }
})";

constexpr std::pair<std::string_view, std::string_view> problems[] = {
    {"400", "the request is wrong"},
    {"401", "the token is missing"},
    {"403", "another origin asks"},
    {"408", "the body did not arrive in time"},
    {"413", "the body or what it holds is too large"},
    {"421", "the server is not called so"},
    {"422", "the input cannot be answered"},
    {"429", "the server is busy"},
    {"500", "an error of frx"},
    {"503", "the server is closing"},
    {"504", "the answer took too long"},
};

Json problem_response(std::string_view description) {
  return {{"description", description},
          {"content", {{"application/problem+json", {{"schema", {{"$ref", "#/components/schemas/Problem"}}}}}}}};
}

Json answers_of(const Json& schema, std::string_view type) {
  Json responses = {{"200", {{"description", "the answer"}, {"content", {{type, {{"schema", schema}}}}}}}};
  for (const auto& [status, description] : problems) responses[std::string(status)] = problem_response(description);
  return responses;
}

Json parameter(std::string_view name, std::string_view description) {
  return {{"name", name}, {"in", "query"}, {"description", description}, {"schema", {{"type", "string"}}}};
}

Json operation_of(const Endpoint& endpoint) {
  std::string id(trim(endpoint.path.substr(1)));
  for (char& c : id) c = c == '/' || c == '-' ? '_' : c;
  const Json file = {{"schema", {{"type", "string"}, {"format", "binary"}}}};
  Json content = {{"application/octet-stream", file}, {"multipart/form-data", {{"schema", {{"type", "object"}}}}}};
  if (!endpoint.request.empty()) content["application/json"] = {{"schema", Json::parse(endpoint.request)}};
  const Json schema =
      endpoint.response.empty() ? Json{{"type", "object"}} : Json{{"$ref", fmt::format("#/components/schemas/{}", endpoint.response)}};
  return {{"operationId", id},
          {"summary", endpoint.summary},
          {"description", endpoint.description},
          {"parameters",
           Json::array({parameter("filename", "of a body that is a file"), parameter("gpu_model", "the GPU, where no input names one"),
                        parameter("pedantic", "true: of CUDA source, style and guesses, too"), parameter("format", "of the answer")})},
          {"requestBody", {{"required", true}, {"content", content}}},
          {"responses", answers_of(schema, "application/json")}};
}

Json watching(std::string_view id, std::string_view summary, std::string_view type) {
  return {{"get",
           {{"operationId", id},
            {"summary", summary},
            {"responses", answers_of({{"type", type == "application/json" ? "object" : "string"}}, type)}}}};
}

// Definitions of a schema that is put into the document are found below it.
void move_references(Json& value, const std::string& home) {
  if (value.is_object()) {
    if (const auto at = value.find("$ref"); at != value.end() && at->is_string()) {
      const std::string target = at->get<std::string>();
      if (target.starts_with("#/")) *at = fmt::format("#/components/schemas/{}{}", home, target.substr(1));
    }
  }
  if (!value.is_structured()) return;
  for (Json& inner : value) move_references(inner, home);
}

Json schemas() {
  Json all = Json::parse(components);
  const knowledge::Library library = knowledge::Library::builtin();
  for (const Endpoint* endpoint : endpoints()) {
    const std::string name(endpoint->response);
    if (name.empty() || all.contains(name)) continue;
    Json schema = Json::parse(library.schema(fmt::format("data/schemas/{}.json", name)));
    schema.erase("$schema");
    schema.erase("$id");  // references would be looked for there
    move_references(schema, name);
    all[name] = std::move(schema);
  }
  return all;
}

}  // namespace

std::string openapi_text() {
  Json paths = Json::object();
  for (const Endpoint* endpoint : endpoints()) paths[std::string(endpoint->path)] = {{"post", operation_of(*endpoint)}};
  paths["/healthz"] = watching("healthz", "Whether the server lives", "application/json");
  paths["/readyz"] = watching("readyz", "Whether the server takes requests", "application/json");
  paths["/metrics"] = watching("metrics", "What the server has done, for Prometheus", "text/plain");
  const Json document = {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "Fournex"},
        {"version", FRX_VERSION},
        {"summary", "Why GPU work is slow, what to change first, and how to prove that it helped"},
        {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
      {"servers", Json::array({{{"url", "http://localhost:8765"}}})},
      {"security", Json::array({Json::object(), {{"token", Json::array()}}})},
      {"paths", paths},
      {"components", {{"schemas", schemas()}, {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
  return answer::json_text(document);
}

}  // namespace frx::serve
