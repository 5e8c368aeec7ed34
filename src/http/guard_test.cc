#include "http/guard.h"

#include <gtest/gtest.h>

namespace frx::http {
namespace {

int status_for(std::map<std::string, std::string, std::less<>> headers, const GuardOptions& options = {}, std::string method = "POST") {
  headers.try_emplace("host", "localhost:8765");
  Request request;
  request.method = std::move(method);
  request.path = "/analyze";
  request.headers = std::move(headers);
  const std::optional<Response> no = refused(request, options);
  return no ? no->status : 200;
}

TEST(Guard, HostsAreNamesThatNobodyCanPointHere) {
  for (const char* host : {"localhost", "LOCALHOST:80", "localhost.", "127.0.0.1:8765", "[::1]:8765", "10.1.2.3", "[fe80::1]"})
    EXPECT_EQ(status_for({{"host", host}}), 200) << host;
  for (const char* host : {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "[::1", "1.2.3", "[]", ":80"})
    EXPECT_EQ(status_for({{"host", host}}), 421) << host;
  EXPECT_EQ(status_for({{"host", "GPU1.example.com:8765"}}, {.hosts = {"gpu1.example.com"}}), 200);
}

TEST(Guard, PagesOfOtherOriginsMayNotAsk) {
  EXPECT_EQ(status_for({{"origin", "http://localhost:8765"}}), 200);
  for (const char* origin : {"http://evil.example", "http://localhost:1", "null", "localhost:8765"})
    EXPECT_EQ(status_for({{"origin", origin}}), 403) << origin;
  EXPECT_EQ(status_for({{"sec-fetch-site", "cross-site"}}), 403);
  EXPECT_EQ(status_for({{"sec-fetch-site", "same-origin"}}), 200);
  EXPECT_EQ(status_for({{"sec-fetch-site", "cross-site"}}, {}, "GET"), 200);  // a link to the page
}

TEST(Guard, TokensAreComparedWhole) {
  const GuardOptions options{.token = "abc", .open_paths = {"/healthz"}};
  EXPECT_EQ(status_for({{"authorization", "Bearer abc"}}, options), 200);
  EXPECT_EQ(status_for({{"authorization", "bearer  abc "}}, options), 200);
  for (const char* given : {"", "Bearer", "Bearer ", "Bearer ab", "Bearer abcd", "Bearer abd", "Basic abc", "abc"})
    EXPECT_EQ(status_for({{"authorization", given}}, options), 401) << given;
  EXPECT_TRUE(are_equal("", ""));
  EXPECT_FALSE(are_equal("a", ""));
  EXPECT_FALSE(are_equal("", "a"));
}

}  // namespace
}  // namespace frx::http
