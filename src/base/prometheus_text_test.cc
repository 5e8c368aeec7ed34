#include "base/prometheus_text.h"

#include <gtest/gtest.h>

namespace frx {
namespace {

TEST(PrometheusText, OpensAFamily) {
  std::string out;
  describe_metric(out, "frx_x_seconds", "gauge", "A time.");
  EXPECT_EQ(out, "# HELP frx_x_seconds A time.\n# TYPE frx_x_seconds gauge\n");
}

TEST(PrometheusText, EscapesLabels) {
  EXPECT_EQ(label_value("plain"), "\"plain\"");
  EXPECT_EQ(label_value("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(label_value("a\nb"), "\"a b\"");
  EXPECT_EQ(label_value("\x1b[31m"), "\"\\\\x1b[31m\"");
  EXPECT_EQ(label_value(std::string(1000, 'x')).size(), 122u);
}

}  // namespace
}  // namespace frx
