"""The package as a part of the repository: its version, the Python it is written for, what the documentation names."""

import ast
import os
import re
import unittest

import fournex
import fournex.operators
import fournex.tune
from support import REPOSITORY, SdkTest, clean_environment, run

LIBRARY = os.environ.get("FRX_TEST_LIBRARY")
SOURCES = sorted((REPOSITORY / "python/fournex").rglob("*.py"))


class Tree(SdkTest):
    def test_the_version_is_that_of_frx(self):
        cmake = (REPOSITORY / "CMakeLists.txt").read_text()
        self.assertEqual(re.search(r"project\(frx VERSION ([0-9.]+)", cmake).group(1), fournex.__version__)

    def test_is_written_for_python_3_9(self):
        for path in SOURCES:
            ast.parse(path.read_text(), str(path), feature_version=(3, 9))

    def test_annotations_that_python_3_9_cannot_evaluate_are_never_evaluated(self):
        for path in SOURCES:
            text = path.read_text()
            if re.search(r"^\s*(async )?def ", text, re.MULTILINE):
                self.assertIn("from __future__ import annotations", text, path)

    def test_every_public_name_is_documented(self):
        page = (REPOSITORY / "docs/sdk.md").read_text() + (REPOSITORY / "docs/python.md").read_text()
        for name in fournex.__all__:
            if name != "__version__":
                self.assertTrue(re.search(rf"`[^`\n]*\b{name}\b", page), f"neither docs/sdk.md nor docs/python.md mentions `{name}`")
                self.assertTrue(getattr(fournex, name).__doc__ or not callable(getattr(fournex, name)), f"{name} has no words")

    def test_every_public_name_of_the_operators_is_documented(self):
        page = (REPOSITORY / "docs/operators.md").read_text()
        for name in fournex.operators.__all__:
            self.assertTrue(re.search(rf"\b{name}\b", page), f"docs/operators.md does not mention {name}")
            self.assertTrue(getattr(fournex.operators, name).__doc__, f"{name} has no words")

    def test_every_public_name_of_tune_is_documented(self):
        page = (REPOSITORY / "docs/sdk.md").read_text()
        public = [*fournex.tune.__all__, *(name for name in vars(fournex.tune.Knobs) if not name.startswith("_"))]
        for name in public:
            self.assertTrue(re.search(rf"`[^`\n]*\b{name}\b", page), f"docs/sdk.md does not mention `{name}`")

    def test_every_extra_key_of_the_events_is_documented(self):
        page = (REPOSITORY / "docs/sdk.md").read_text()
        schema = (REPOSITORY / "data/schemas/run_event_v0.json").read_text()
        for key in re.findall(r'"(\w+)": \{[^{}]*"description": "extra', schema):
            self.assertIn(f"`{key}`", page, f"docs/sdk.md does not mention the extra key {key}")

    def test_examples_of_the_documentation_run(self):
        pages = [(REPOSITORY / "docs" / page).read_text() for page in ("sdk.md", "operators.md", "tune.md", "python.md")]
        examples = [one for page in pages for one in re.findall(r"```python\n# runs as it is\n(.*?)```", page, re.DOTALL)]
        self.assertGreaterEqual(len(examples), len(pages))
        for example in examples:
            run(example, clean_environment(**({"FRX_LIBRARY": LIBRARY} if LIBRARY else {})), self.folder)


if __name__ == "__main__":
    unittest.main()
