#include "derive/layout/strides.h"

#include <gmock/gmock.h>

namespace frx::derive::layout {
namespace {

using ::testing::ElementsAre;

struct LayoutRow {
  Dimensions sizes, strides;
  LayoutClass expected;
};

// What torch.empty(...).is_contiguous(), is_contiguous(memory_format=torch.channels_last) and the definition of each class say.
TEST(Strides, TellLayoutsApart) {
  const LayoutRow rows[] = {
      {{2, 3, 4, 5}, {60, 20, 5, 1}, LayoutClass::contiguous},
      {{2, 3, 4, 5}, {60, 1, 15, 3}, LayoutClass::channels_last},
      {{2, 3, 4, 5, 6}, {360, 1, 90, 18, 3}, LayoutClass::channels_last},
      {{2, 1, 4, 5}, {20, 20, 5, 1}, LayoutClass::both},  // one channel
      {{2, 1, 4, 5}, {20, 1, 5, 1}, LayoutClass::both},   // the stride of its dimension has no say
      {{2, 8, 1, 1}, {8, 1, 1, 1}, LayoutClass::both},    // one pixel
      {{8, 4}, {4, 1}, LayoutClass::contiguous},
      {{8, 4}, {1, 8}, LayoutClass::permuted},         // transposed
      {{2, 3, 4}, {12, 1, 3}, LayoutClass::permuted},  // three dimensions are never channels-last
      {{8, 4}, {8, 1}, LayoutClass::gapped},           // x[:, :4] of 8 columns
      {{8, 4}, {8, 2}, LayoutClass::gapped},           // x[:, ::2]
      {{8, 4}, {4, 0}, LayoutClass::expanded},
      {{8, 4}, {1, 1}, LayoutClass::overlapping},  // unfold with step 1
      {{1, 4}, {999, 1}, LayoutClass::contiguous},
      {{}, {}, LayoutClass::scalar},
      {{1, 1}, {5, 7}, LayoutClass::scalar},
      {{0, 4}, {4, 1}, LayoutClass::scalar},
      {{8, 4}, {4}, LayoutClass::unknown},
      {{8, 4}, {4, -1}, LayoutClass::unknown},
  };
  for (const LayoutRow& row : rows)
    EXPECT_EQ(name_of(layout_of(row.sizes, row.strides)), name_of(row.expected)) << text_of(row.sizes) << " " << text_of(row.strides);
}

TEST(Strides, AreThoseOfPyTorch) {
  const Dimensions sizes = {2, 3, 4, 5};
  EXPECT_THAT(contiguous_strides(sizes), ElementsAre(60, 20, 5, 1));
  EXPECT_THAT(channels_last_strides(sizes), ElementsAre(60, 1, 15, 3));
  EXPECT_THAT(strides_in_order(sizes, std::vector<std::uint32_t>{0, 2, 1, 3}), ElementsAre(60, 5, 15, 1));
  EXPECT_THAT(contiguous_strides(Dimensions{2, 0, 3}), ElementsAre(3, 3, 1));
}

TEST(Strides, OrderIsThatOfTheMemory) {
  EXPECT_THAT(physical_order(Dimensions{2, 3, 4, 5}, Dimensions{60, 1, 15, 3}), ElementsAre(0, 2, 3, 1));
  EXPECT_THAT(physical_order(Dimensions{2, 1, 4}, Dimensions{4, 4, 1}), ElementsAre(0, 2));  // size 1 has no say
  const Dimensions sizes = {8, 4}, rows = {4, 1}, gapped = {16, 1}, columns = {1, 8};
  EXPECT_EQ(have_same_order(sizes, rows, gapped), true);
  EXPECT_EQ(have_same_order(sizes, rows, columns), false);
  EXPECT_EQ(have_same_order(sizes, rows, Dimensions{1}), std::nullopt);
}

TEST(Strides, BytesOfAReadHaveTwoBounds) {
  // 1024 x 1024 floats by columns: each element is a sector of its own at worst.
  const ReadTraffic strided = read_traffic(Dimensions{1024, 1024}, Dimensions{1, 1024}, 4);
  EXPECT_EQ(strided.low, 4.0 * 1024 * 1024);
  EXPECT_EQ(strided.high, 32.0 * 1024 * 1024);
  // Every second half: 4 of 2 bytes.
  EXPECT_EQ(read_traffic(Dimensions{8, 4}, Dimensions{8, 2}, 2).high, 32 * 4.0);
  EXPECT_EQ(read_traffic(Dimensions{8, 4}, Dimensions{4, 1}, 2).high, 64);
  EXPECT_EQ(read_traffic(Dimensions{8, 4}, Dimensions{0, 1}, 2).low, 8);  // four distinct elements
}

TEST(Strides, PermutationsCompose) {
  const Permutation swap = *transposition(1, 2, 4), heads = *permutation_of(Dimensions{0, 2, 1, 3}, 4);
  EXPECT_EQ(swap, heads);
  EXPECT_TRUE(is_identity(then(swap, heads)));
  EXPECT_EQ(*transposition(-1, -2, 3), (Permutation{0, 2, 1}));
  EXPECT_EQ(*permutation_of(Dimensions{0, -1, -2}, 3), (Permutation{0, 2, 1}));
  // permute(1, 2, 0) and then permute(1, 2, 0): dimension 0 of the result is dimension 2 of the source.
  const Permutation turn = {1, 2, 0};
  EXPECT_EQ(then(turn, turn), (Permutation{2, 0, 1}));
  EXPECT_FALSE(permutation_of(Dimensions{0, 0, 1}, 3));
  EXPECT_FALSE(permutation_of(Dimensions{0, 3, 1}, 3));
  EXPECT_FALSE(transposition(0, 3, 3));
}

}  // namespace
}  // namespace frx::derive::layout
