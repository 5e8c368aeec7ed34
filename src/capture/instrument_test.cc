#include "capture/instrument.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "capture/fake_host.h"

namespace frx::capture {
namespace {

using ::testing::HasSubstr;
using State = Instrumentation::State;

const std::string init = "\nimport fournex as frx\nfrx.init(job_name=\"my-run\")\n\n";

#define NEEDS_PYTHON \
  if (!this_machine().program("python3")) GTEST_SKIP() << "no python3"

Instrumentation plan_for(const std::string& script) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  EXPECT_TRUE(write_file(folder.file("train.py"), script));
  const Result<Instrumentation> plan = instrument(folder.file("train.py"), this_machine());
  EXPECT_TRUE(plan) << to_string(plan.error());
  return plan ? *plan : Instrumentation{};
}

std::string patched(const std::string& script) {
  const Instrumentation plan = plan_for(script);
  return plan.state == State::proposed ? plan.new_text : "refused: " + plan.reason;
}

std::string refusal(const std::string& script) {
  const Instrumentation plan = plan_for(script);
  return plan.state == State::refused ? plan.reason : "not refused";
}

TEST(Instrument, GoesBehindTheImportsAtTheTop) {
  NEEDS_PYTHON;
  EXPECT_EQ(patched("import os\nimport torch\n\nx = 1\n"), "import os\nimport torch\n" + init + "\nx = 1\n");
}

// Spec C1 (i): the reference implementation put the lines inside the parentheses.
TEST(Instrument, GoesBehindTheParenthesesOfAnImport) {
  NEEDS_PYTHON;
  const std::string import = "from torch.utils.data import (\n    DataLoader,\n    Dataset,\n)\n";
  EXPECT_EQ(patched(import + "x = 1\n"), import + init + "x = 1\n");
}

// Spec C1 (ii): the reference implementation took the import in the block for the last one.
TEST(Instrument, DoesNotGoIntoABlock) {
  NEEDS_PYTHON;
  const std::string rest = "def main():\n    import json\n\nif __name__ == \"__main__\":\n    import argparse\n    main()\n";
  EXPECT_EQ(patched("import torch\n" + rest), "import torch\n" + init + rest);
}

TEST(Instrument, DoesNotTakeADocstringForImports) {
  NEEDS_PYTHON;
  const std::string doc = "\"\"\"Notes\nfrom here on\nimport nothing\n\"\"\"\n";
  EXPECT_EQ(patched(doc + "x = 1\n"), doc + init + "x = 1\n");
}

TEST(Instrument, FindsAPlaceInFilesOfAllKinds) {
  NEEDS_PYTHON;
  EXPECT_EQ(patched("x = 1\n"), init + "x = 1\n");
  EXPECT_EQ(patched(""), init);
  EXPECT_EQ(patched("#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nx = 1\n"),
            "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n" + init + "x = 1\n");
  EXPECT_EQ(patched("from __future__ import annotations\nx = 1\n"), "from __future__ import annotations\n" + init + "x = 1\n");
  EXPECT_EQ(patched("import torch"), "import torch\n" + init);
  EXPECT_EQ(patched("import os; x = (\n  1)\ny = 2\n"), "import os; x = (\n  1)\n" + init + "y = 2\n");
  EXPECT_EQ(patched("import os, \\\n  sys\nx = 1\n"), "import os, \\\n  sys\n" + init + "x = 1\n");
  EXPECT_EQ(patched("try:\n  import apex\nexcept ImportError:\n  apex = None\nx = 1\n"),
            "try:\n  import apex\nexcept ImportError:\n  apex = None\n" + init + "x = 1\n");
  EXPECT_EQ(patched("import os\nos.environ['A'] = '1'\nimport torch\nclass A: pass\nimport late\n"),
            "import os\nos.environ['A'] = '1'\nimport torch\n" + init + "class A: pass\nimport late\n");
}

TEST(Instrument, KeepsLineEndsAndEncoding) {
  NEEDS_PYTHON;
  EXPECT_EQ(patched("import os\r\nx = 1\r\n"), "import os\r\n\r\nimport fournex as frx\r\nfrx.init(job_name=\"my-run\")\r\n\r\nx = 1\r\n");
  EXPECT_EQ(patched("\xEF\xBB\xBFimport os\nx = '\xC3\xA4'\n"), "\xEF\xBB\xBFimport os\n" + init + "x = '\xC3\xA4'\n");
  EXPECT_EQ(patched("# coding: latin-1\nimport os\nx = '\xE4'\n"), "# coding: latin-1\nimport os\n" + init + "x = '\xE4'\n");
}

TEST(Instrument, CoversTheTrainingLoop) {
  NEEDS_PYTHON;
  const std::string before =
      "import torch\nfor epoch in range(2):\n  for i, batch in enumerate(loader):\n    loss = model(batch)\n\n    loss.backward()\n  "
      "done()\n";
  const Instrumentation plan = plan_for(before);
  EXPECT_TRUE(plan.has_steps) << plan.suggestion;
  EXPECT_EQ(plan.new_text, "import torch\n" + init +
                               "for epoch in range(2):\n  for i, batch in enumerate(loader):\n"
                               "    with frx.step_context(step=i, batch=batch, model=model):\n"
                               "        loss = model(batch)\n\n        loss.backward()\n  done()\n");
  EXPECT_THAT(plan.diff, HasSubstr("+    with frx.step_context(step=i, batch=batch, model=model):\n"));
}

TEST(Instrument, DoesNotIndentWhatStandsInAString) {
  NEEDS_PYTHON;
  const std::string body = "\ttext = \"\"\"a\nb\"\"\"\n\tloss.backward()\n";
  EXPECT_EQ(patched("for step, (x, y) in enumerate(loader):\n" + body),
            init +
                "for step, (x, y) in enumerate(loader):\n\twith frx.step_context(step=step):\n\t\ttext = "
                "\"\"\"a\nb\"\"\"\n\t\tloss.backward()\n");
}

TEST(Instrument, OnlySuggestsWhereTheLoopIsInDoubt) {
  NEEDS_PYTHON;
  const auto suggestion = [](const std::string& script) {
    const Instrumentation plan = plan_for("import torch\n" + script);
    EXPECT_EQ(plan.new_text, "import torch\n" + init + script);
    EXPECT_FALSE(plan.has_steps);
    return plan.suggestion;
  };
  EXPECT_THAT(suggestion("trainer.fit(model)\n"), HasSubstr("no loop"));
  EXPECT_THAT(suggestion("for x in loader:\n  loss.backward()\n"), HasSubstr("line 2 does not count its steps"));
  EXPECT_THAT(suggestion("for i, x in enumerate(l):\n  a.backward()\nfor i, x in enumerate(l):\n  b.backward()\n"), HasSubstr("several"));
  EXPECT_THAT(suggestion("for i, x in enumerate(l): loss.backward()\n"), HasSubstr("stands on the line"));
}

TEST(Instrument, LeavesAloneWhatIsInstrumented) {
  NEEDS_PYTHON;
  EXPECT_EQ(plan_for("import fournex as frx\n").state, State::already_there);
  EXPECT_EQ(plan_for("from fournex import AutopilotSession\n").state, State::already_there);
  EXPECT_EQ(plan_for("# fournex is not used here\n").state, State::proposed);
}

TEST(Instrument, RefusesWhatItCannotBeSureOf) {
  NEEDS_PYTHON;
  EXPECT_THAT(refusal("import torch\nprint 'two'\n"), HasSubstr("line 2 is no Python"));
  EXPECT_THAT(refusal("def f(:\n"), HasSubstr("line 1 is no Python"));
  EXPECT_THAT(refusal("frx = 1\n"), HasSubstr("uses the name 'frx'"));
  EXPECT_THAT(refusal(std::string("x = 1\n\0", 7)), HasSubstr(""));
  EXPECT_NE(refusal("# coding: nonsense\nx = 1\n"), "not refused");
  EXPECT_NE(refusal("x = '\xff'\n"), "not refused");
}

TEST(Instrument, NeedsAParser) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  ASSERT_TRUE(write_file(folder.file("train.py"), "import torch\n"));
  const Result<Instrumentation> plan = instrument(folder.file("train.py"), FakeHost{});
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, HasSubstr("no python3"));
  EXPECT_FALSE(instrument(folder.file("gone.py"), FakeHost{}));
}

}  // namespace
}  // namespace frx::capture
