#include "ingest/ncu_report/rule_text.h"

#include <gtest/gtest.h>

namespace frx::ingest::nsight {
namespace {

TEST(RuleText, KeepsTheLabelOfALink) {
  EXPECT_EQ(plain_rule_text("Look at @section:SchedulerStats:Scheduler Statistics@ for more."), "Look at Scheduler Statistics for more.");
  EXPECT_EQ(plain_rule_text("See the @url:Guide:https://example.org/a#b@."), "See the Guide.");
  EXPECT_EQ(plain_rule_text("Line @source:7f00:0x7f00@ stalls"), "Line 0x7f00 stalls");
}

TEST(RuleText, LeavesOtherSignsAlone) {
  EXPECT_EQ(plain_rule_text("mail me @ home"), "mail me @ home");
  EXPECT_EQ(plain_rule_text("@section:without an end"), "@section:without an end");
  EXPECT_EQ(plain_rule_text("@@section:A:b@@"), "@b@");
  EXPECT_EQ(plain_rule_text(""), "");
}

TEST(RuleText, DoesNotSayWhoRanIt) {
  EXPECT_EQ(plain_rule_text("error in /home/kim/Nsight Compute/x.py, line 5"), "error in ~/Nsight Compute/x.py, line 5");
  EXPECT_EQ(plain_rule_text("C:\\Users\\kim\\x.py"), "C:~\\x.py");
  EXPECT_EQ(plain_rule_text("/root/x.py and /home/kim"), "~/x.py and ~");
  EXPECT_EQ(plain_rule_text("achieved 2/3 of the peak"), "achieved 2/3 of the peak");
}

}  // namespace
}  // namespace frx::ingest::nsight
