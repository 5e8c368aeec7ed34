#include "derive/trace/recorded_inputs.h"

#include <gmock/gmock.h>

namespace frx::derive::trace {
namespace {

using Kind = RecordedInput::Kind;
using ::testing::ElementsAre;

RecordedInputs read(const InputTexts& texts) {
  std::optional<RecordedInputs> inputs = recorded_inputs(texts);
  EXPECT_TRUE(inputs);
  return inputs.value_or(RecordedInputs());
}

TEST(RecordedInputs, TensorsHaveShapeStridesAndType) {
  const RecordedInputs inputs =
      read({R"([[8, 128], [], [[2, 3], [4]], []])", R"(["c10::Half", "Scalar", "GenericList[Tensor(float),Tensor(long int)]", ""])",
            R"([[1, 8], [], [[3, 1], [1]], []])", R"(["", "0.5", "", "[1, 1]"])"});
  EXPECT_TRUE(inputs.has_types && inputs.has_strides && inputs.has_values);
  ASSERT_EQ(inputs.inputs.size(), 4u);
  EXPECT_EQ(inputs.inputs[0].kind, Kind::tensor);
  EXPECT_THAT(inputs.inputs[0].tensors[0].shape, ElementsAre(8, 128));
  EXPECT_THAT(*inputs.inputs[0].tensors[0].strides, ElementsAre(1, 8));
  EXPECT_EQ(inputs.inputs[0].tensors[0].type, "float16");
  EXPECT_EQ(inputs.inputs[1].text, "0.5");
  ASSERT_EQ(inputs.inputs[2].kind, Kind::tensors);
  EXPECT_EQ(inputs.inputs[2].tensors[1].type, "int64");
  EXPECT_THAT(*inputs.inputs[2].tensors[1].strides, ElementsAre(1));
  EXPECT_EQ(inputs.inputs[3].text, "[1, 1]");
}

TEST(RecordedInputs, WhatWasNotRecordedIsNotMadeUp) {
  const RecordedInputs old = read({"[[2], []]", "", "", ""});
  EXPECT_FALSE(old.has_types || old.has_strides || old.has_values);
  EXPECT_EQ(old.inputs[0].tensors[0].type, "");
  EXPECT_FALSE(old.inputs[0].tensors[0].strides);
  EXPECT_EQ(old.inputs[1].kind, Kind::unnamed);
  const RecordedInputs typed = read({"[[], [], [], []]", R"(["Scalar", "ScalarList", "", "float"])", "", ""});
  EXPECT_EQ(typed.inputs[0].kind, Kind::number);
  EXPECT_EQ(typed.inputs[1].kind, Kind::list);
  EXPECT_EQ(typed.inputs[2].kind, Kind::unnamed);
  EXPECT_EQ(typed.inputs[3].kind, Kind::tensor) << "a tensor without dimensions";
}

TEST(RecordedInputs, OnlyNumbersTruthsAndListsOfThemAreValues) {
  const auto value = [](std::string_view text) {
    const RecordedInputs inputs = read({"[[]]", R"([""])", "", fmt::format("[\"{}\"]", text)});
    return inputs.inputs[0].kind == Kind::value ? inputs.inputs[0].text : std::string("none");
  };
  EXPECT_EQ(value("-3"), "-3");
  EXPECT_EQ(value("1e-05"), "1e-05");
  EXPECT_EQ(value("2."), "2.0");
  EXPECT_EQ(value("inf"), "float(\"inf\")");
  EXPECT_EQ(value("True"), "True");
  EXPECT_EQ(value("[True, 2, -0.5]"), "[True, 2, -0.5]");
  EXPECT_EQ(value("[]"), "[]");
  for (const std::string_view text :
       {"__import__('os')", "[1, print(1)]", "1; 2", "1)", "True or 1", "[[1]]", "0x10", "1_0", "none", "[1,]", "mean"})
    EXPECT_EQ(value(text), "none") << text;
}

TEST(RecordedInputs, TensorsOfOtherTypesAreRefused) {
  const RecordedInputs inputs = read({"[[4]]", R"(["c10::qint8"])", "", ""});
  EXPECT_EQ(inputs.inputs[0].kind, Kind::refused);
  EXPECT_EQ(inputs.inputs[0].text, "c10::qint8");
}

TEST(RecordedInputs, WhatIsNoListOfShapesIsNothing) {
  EXPECT_FALSE(recorded_inputs({"", "", "", ""}));
  EXPECT_FALSE(recorded_inputs({"{\"a\": 1}", "", "", ""}));
  EXPECT_FALSE(recorded_inputs({"[[1, 2", "", "", ""}));
  EXPECT_EQ(read({R"([[-1], ["x"], [1e30]])", "", "", ""}).count(Kind::unnamed), 3u);
}

}  // namespace
}  // namespace frx::derive::trace
