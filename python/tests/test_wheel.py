"""The wheel: built without a network, installed by pip into an empty virtual environment, used from there."""

import importlib.util
import os
import shutil
import subprocess
import sys
import unittest
import zipfile

from support import REPOSITORY, SdkTest, clean_environment, events_in, of_type

NEEDED = ("pip", "setuptools", "wheel", "venv", "ensurepip")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]

LIBRARY = os.environ.get("FRX_TEST_LIBRARY")

PROGRAM = """
import sys
import fournex
from fournex import analysis, profiler, ptx
assert fournex.__file__.startswith(sys.prefix), fournex.__file__
for step in range(2):
    with fournex.step_context(step):
        pass
print(fournex.__version__)
"""


@unittest.skipIf(bool(MISSING), "missing: " + ", ".join(MISSING) + "; apt-get install python3-pip python3-setuptools python3-wheel python3-venv")
class Wheel(SdkTest):
    def call(self, *command, env=None, cwd=None):
        done = subprocess.run(
            [str(one) for one in command], env=env or self.outside(), cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.strip()

    def outside(self, **variables):
        """An environment that knows nothing of this source tree."""
        env = clean_environment(**variables)
        env.pop("PYTHONPATH")
        return env

    def build(self, *options):
        return self.call(REPOSITORY / "tools/build_wheel", *options, self.folder / "wheel", sys.executable)

    def installed(self, wheel):
        """The Python of an empty virtual environment into which `wheel` was installed."""
        home = self.folder / "venv"
        self.call(sys.executable, "-m", "venv", home)
        python = home / "bin" / "python"
        self.call(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", wheel)
        return python

    def test_installs_and_records_from_where_it_was_installed(self):
        wheel = self.build()
        python = self.installed(wheel)
        env = self.outside(FRX_AUTO_PERSIST="1", FRX_RAW_TRACE_PATH=str(self.trace))
        said = self.call(python, "-c", PROGRAM, env=env, cwd=self.folder)
        self.assertIn(f"fournex-{said}-py3-none-any.whl", wheel)
        self.assertEqual(len(of_type(events_in(self.trace), "step_end")), 2)

    @unittest.skipIf(not LIBRARY, "FRX_TEST_LIBRARY does not name a libfrx.so to test with")
    def test_with_the_library_in_it_analyses_without_anything_else(self):
        wheel = self.build("--library", LIBRARY)
        self.assertNotIn("none-any", wheel)
        env = {**self.outside(), "PATH": ""}
        program = "from fournex.ptx import analyze_ptx_text as a; print(a('.version 7.0\\n.target sm_80\\n')['target'])"
        self.assertEqual(self.call(self.installed(wheel), "-c", program, env=env, cwd=self.folder), "sm_80")

    def test_holds_what_belongs_to_it_and_nothing_else(self):
        names = zipfile.ZipFile(self.build()).namelist()
        sources = {
            str(path.relative_to(REPOSITORY / "python"))
            for path in (REPOSITORY / "python/fournex").rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        self.assertEqual({name for name in names if not name.startswith("fournex-")}, sources)
        self.assertIn("fournex/py.typed", names)
        self.assertTrue(any(name.endswith("LICENSE") for name in names))
        self.assertFalse([name for name in os.listdir(REPOSITORY / "python") if name in ("build", "fournex.egg-info")])

    @unittest.skipIf(shutil.which("cmp") is None, "there is no cmp here")
    def test_the_same_sources_give_the_same_wheel(self):
        first = self.build()
        os.rename(first, self.folder / "first.whl")
        self.call("cmp", self.folder / "first.whl", self.build())


if __name__ == "__main__":
    unittest.main()
