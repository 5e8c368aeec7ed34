#include "http/message.h"

#include <gtest/gtest.h>

namespace frx::http {
namespace {

TEST(HttpMessage, TargetsAreDecoded) {
  Request request;
  ASSERT_TRUE(read_target("/a%20b%2Fc?x=1+2&y=%26&z&=&x=3", request));
  EXPECT_EQ(request.path, "/a b/c");
  EXPECT_EQ(request.parameter("x"), "3");
  EXPECT_EQ(request.parameter("y"), "&");
  EXPECT_EQ(request.parameter("z"), "");
  EXPECT_EQ(request.parameter("none"), "");
  for (const char* target : {"", "x", "http://localhost/", "/%", "/%4", "/%zz", "/%00", "/?a=%g1", "*"})
    EXPECT_FALSE(read_target(target, request)) << target;
}

TEST(HttpMessage, ProblemsSayWhatTheErrorsOfTheCommandLineSay) {
  const Response response = problem(Error{ErrorKind::malformed, "the file is empty", "a.csv:1", "send another"});
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.content_type, "application/problem+json");
  EXPECT_EQ(
      response.body,
      "{\n  \"type\": \"about:blank\",\n  \"title\": \"Unprocessable Content\",\n  \"status\": 422,\n  \"detail\": \"the file is empty\",\n"
      "  \"hint\": \"send another\",\n  \"where\": \"a.csv:1\"\n}\n");
  EXPECT_EQ(status_of({ErrorKind::usage, "", "", ""}), 400);
  EXPECT_EQ(status_of({ErrorKind::environment, "", "", ""}), 501);
}

TEST(HttpMessage, MediaTypesHaveNoParameters) {
  Request request;
  EXPECT_EQ(request.media_type(), "");
  request.headers["content-type"] = " Application/JSON ; charset=utf-8";
  EXPECT_EQ(request.media_type(), "application/json");
}

}  // namespace
}  // namespace frx::http
