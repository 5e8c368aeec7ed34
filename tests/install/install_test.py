"""cmake --install into a fresh folder: everything is in its place, and projects that use frx are built and run against it, also after the
folder was moved.

    FRX_BUILD=build/dev python3 tests/install/install_test.py
"""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = Path(os.environ.get("FRX_BUILD", ROOT / "build/dev"))
LIBRARY_RUNS = not os.environ.get("FRX_SANITIZE")  # a library that needs a sanitizer is loaded only by programs that have it
NAMES = ("frx", "fournex", "operator-profiler", "cgp")
PLACES = {
    "program": [
        *(f"bin/{name}" for name in NAMES),
        *(f"share/man/man1/{name}.1" for name in NAMES),
        "share/bash-completion/completions/frx",
        "share/bash-completion/completions/fournex",
        "share/zsh/site-functions/_frx",
        "share/fish/vendor_completions.d/frx.fish",
        "share/frx/schemas/run_event_v0.json",
    ],
    "library": ["LIB/libfrx.so.0"],
    "development": [
        "LIB/libfrx.so",
        "LIB/pkgconfig/frx.pc",
        "LIB/cmake/frx/frxConfig.cmake",
        "LIB/cmake/frx/frxConfigVersion.cmake",
        "LIB/cmake/frx/frxTargets.cmake",
        "include/frx/frx.h",
    ],
}


def run(*command, env=None, cwd=None) -> str:
    done = subprocess.run([str(part) for part in command], env={**os.environ, **(env or {})}, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def cached(name: str) -> str:
    """A setting of the build tree."""
    for line in (BUILD / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(name + ":"):
            return line.split("=", 1)[1]
    return ""


class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "prefix"
        cls.lib = cached("CMAKE_INSTALL_LIBDIR") or "lib"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)

    def needs(self, *programs: str) -> None:
        for program in programs:
            if shutil.which(program) is None:
                self.skipTest(f"there is no {program}; apt-get install {program}")

    def moved(self) -> Path:
        """The same installation at another place."""
        target = self.folder / f"moved-{self._testMethodName}"
        shutil.copytree(self.prefix, target, symlinks=True)
        return target

    def test_every_component_is_in_its_place_and_alone(self):
        for component, places in PLACES.items():
            prefix = self.folder / component
            run("cmake", "--install", BUILD, "--prefix", prefix, "--component", component)
            for place in places:
                path = place.replace("LIB", self.lib, 1)
                self.assertTrue((prefix / path).is_symlink() or (prefix / path).exists(), f"{component}: {path}")
                self.assertTrue((self.prefix / path).exists(), path)
                others = [other for other in PLACES if other != component]
                self.assertFalse([other for other in others if place in PLACES[other]])

    def test_the_program_does_its_main_job_from_there(self):
        for name in NAMES:
            self.assertIn("0.", run(self.prefix / "bin" / name, "--version"))
        report = run(self.prefix / "bin/frx", "profile", "--ncu", ROOT / "demos/ncu/strided_copy.csv", env={"PATH": "/nonexistent"})
        self.assertIn("uncoalesced_access", report)

    def test_the_manual_page_is_well_formed_under_every_name(self):
        self.needs("mandoc")
        for name in NAMES:
            text = run("mandoc", "-Tutf8", f"man1/{name}.1", cwd=self.prefix / "share/man")
            self.assertIn("find out why GPU work is slow", text)

    def test_bash_completes_commands(self):
        self.needs("bash")
        script = 'source "$0"; COMP_WORDS=(frx prof); COMP_CWORD=1; _frx; echo "${COMPREPLY[*]}"'
        for name in ("frx", "fournex"):
            self.assertEqual(run("bash", "-c", script, self.prefix / "share/bash-completion/completions" / name).strip(), "profile")

    def check_program(self, path: Path, env=None) -> None:
        if LIBRARY_RUNS:
            version, reply = run(path, env=env).split(": ", 1)
            self.assertRegex(version, r"^frx 0\.\d+\.\d+$")
            self.assertNotIn("error", json.loads(reply))

    def test_a_cmake_project_finds_it_with_find_package(self):
        self.needs("cmake", "ninja")
        build = self.folder / "consumer"
        run("cmake", "-S", HERE / "consumer", "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.moved()}")
        run("cmake", "--build", build)
        self.check_program(build / "in_c")
        self.check_program(build / "in_cxx")

    def test_a_cmake_project_that_needs_another_version_is_refused(self):
        self.needs("cmake", "ninja")
        project = self.folder / "newer"
        project.mkdir()
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(newer LANGUAGES NONE)\nfind_package(frx 0.99 CONFIG REQUIRED)\n")
        with self.assertRaisesRegex(AssertionError, "considered but not accepted"):
            run("cmake", "-S", project, "-B", project / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}")

    def test_pkg_config_tells_compilers_where_it_is(self):
        self.needs("pkg-config", "cc", "c++")
        prefix = self.moved()
        env = {"PKG_CONFIG_PATH": str(prefix / self.lib / "pkgconfig")}
        flags = run("pkg-config", "--cflags", "--libs", "frx", env=env).split()
        for compiler, source in (("cc", "analyse.c"), ("c++", "analyse.cc")):
            program = self.folder / f"by-{compiler}"
            run(compiler, "-o", program, HERE / "consumer" / source, *flags)
            self.check_program(program, env={"LD_LIBRARY_PATH": str(prefix / self.lib)})


if __name__ == "__main__":
    unittest.main()
