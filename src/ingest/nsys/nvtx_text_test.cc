#include "ingest/nsys/nvtx_text.h"

#include <gtest/gtest.h>

namespace frx::ingest::nsys {
namespace {

TEST(NvtxText, HasTheParts) {
  const NvtxText text = parse_nvtx("aten::addmm, seq = 12, op_id = 40, sizes = [[512], [8, 768], []], input_op_ids = [(7,0), (0,-1)]");
  EXPECT_EQ(text.name, "aten::addmm");
  EXPECT_EQ(text.sequence, 12u);
  EXPECT_EQ(text.op_id, 40u);
  EXPECT_EQ(text.sizes, "[[512], [8, 768], []]");
  EXPECT_EQ(text.input_ops, "[(7,0), (0,-1)]");
}

TEST(NvtxText, PartsMayBeAbsent) {
  EXPECT_EQ(parse_nvtx("aten::view, op_id = 3").op_id, 3u);
  EXPECT_EQ(parse_nvtx("aten::view, op_id = 3").sequence, std::nullopt);
  EXPECT_EQ(parse_nvtx("aten::view, seq = 3").name, "aten::view");
  EXPECT_EQ(parse_nvtx("aten::cat, sizes = [[[1, 2], [3]], []]").sizes, "[[[1, 2], [3]], []]");
}

TEST(NvtxText, WhatIsNoPartIsAName) {
  EXPECT_EQ(parse_nvtx("forward").name, "forward");
  EXPECT_EQ(parse_nvtx("").name, "");
  EXPECT_EQ(parse_nvtx("load, seq = all of it").name, "load, seq = all of it");
  EXPECT_EQ(parse_nvtx("f<int, float>(a), op_id = 4").name, "f<int, float>(a)");
  EXPECT_EQ(parse_nvtx("x, sizes = [[1, 2]").name, "x, sizes = [[1, 2]") << "a list that does not end";
  EXPECT_EQ(parse_nvtx("x, op_id = 99999999999999999999").name, "x, op_id = 99999999999999999999");
}

TEST(NvtxText, OperatorsAreToldFromRanges) {
  EXPECT_TRUE(is_operator(parse_nvtx("MulBackward0, seq = 4, op_id = 8")));
  EXPECT_TRUE(is_operator(parse_nvtx("aten::mm")));
  EXPECT_FALSE(is_operator(parse_nvtx("step 4")));
  EXPECT_FALSE(is_operator(parse_nvtx("Model::forward")));
  EXPECT_TRUE(is_domain_of_library("NCCL"));
  EXPECT_FALSE(is_domain_of_library(""));
}

}  // namespace
}  // namespace frx::ingest::nsys
