// A request as a handler sees it, and what it answers. Nothing here knows a socket, or what is analysed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace frx::http {

// A piece of the body: all of it, or one field or file of a form. Small ones are in memory, others in a file of the request, which goes
// with it.
struct Part {
  std::string field;         // of the form; "" for a body that is no form
  std::string filename;      // as the client names it, "" without one; never used as a path
  std::string content_type;  // without parameters, in small letters
  std::string bytes;         // empty where `path` is given
  std::string path;
  std::uint64_t size = 0;  // bytes
};

struct Request {
  std::string method;  // GET, POST
  std::string path;    // decoded, without the query
  std::map<std::string, std::string, std::less<>> query;
  std::map<std::string, std::string, std::less<>> headers;  // names in small letters; of several equal ones the last
  std::vector<Part> parts;
  std::stop_token stop;  // the client has gone, the deadline has passed, or the server ends
  // Tells the client how far the answer is; empty unless it asked for events (Accept: text/event-stream) and the route has some. From any
  // thread, until the handler returns.
  std::function<void(std::string_view event, std::string_view data)> emit = {};

  std::string_view header(std::string_view name) const;
  std::string_view parameter(std::string_view name) const;  // of the query
  // "application/json" of "Application/JSON; charset=utf-8".
  std::string media_type() const;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// RFC 9457: an object with type, title, status and detail, and what our errors have besides: hint, where.
Response problem(int status, std::string_view detail, std::string_view hint = {}, std::string_view where = {});
Response problem(const Error& error);
// 400 for a wrong request, 413 where memory ran out, 422 for an input that cannot be answered, 501 for a tool that is not there.
int status_of(const Error& error);
// "Not Found"; "" for a status that nothing here uses.
std::string_view reason_of(int status);

// An event of a text/event-stream: "event: NAME", a "data: " line for each line of `data`, and an empty one.
std::string event_text(std::string_view event, std::string_view data);

// Decodes %41 and, in a query, '+'. Errors: '%' without two hexadecimal digits; a byte 0.
Result<std::string> percent_decoded(std::string_view text, bool plus_is_blank = false);
// Path and query of "/a%20b?x=1&y". Errors: it does not begin with '/', or is not well encoded.
Result<> read_target(std::string_view target, Request& request);

struct Route {
  std::string_view method, path;
  std::function<Response(Request&)> handler;
  bool is_quick = false;    // answered at once, never queued: it reads no body and takes no time
  bool has_events = false;  // uses Request::emit
  // Uses it as well: the events are messages, the last of which is the answer, and they begin with the first one that is emitted. Without
  // any the answer is as it is without events.
  bool sends_messages = false;
};

}  // namespace frx::http
