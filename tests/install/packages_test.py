"""What tools/build_packages is made of, each part by itself and with small stand-ins for program and library: the manylinux tag, the wheel, the
finishing of Debian packages, the SBOM of this build. tools/check_packages judges the real files.

    FRX_BUILD=build/dev python3 tests/install/packages_test.py
"""

import hashlib
import importlib.machinery
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FRX_BUILD", ROOT / "build/dev"))
PYTHON = os.environ.get("FRX_PYTHON") or "/usr/bin/python3"


def call(*command, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def run(*command, **options) -> str:
    done = call(*command, **options)
    if done.returncode:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class PackagesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def needs(self, *programs: str) -> None:
        for program in programs:
            if shutil.which(program) is None:
                self.skipTest(f"there is no {program}")

    def compile(self, path: Path, code: str, *options: str) -> Path:
        """Without libstdc++ and what an older glibc lacks."""
        path.parent.mkdir(parents=True, exist_ok=True)
        run("cc", "-x", "c", "-", "-x", "none", "-o", path, *options, input=code)
        return path


class ManylinuxTag(PackagesTest):
    def tag(self, *arguments) -> subprocess.CompletedProcess:
        return call(ROOT / "tools/manylinux_tag", *arguments)

    def setUp(self) -> None:
        super().setUp()
        self.needs("cc", "readelf")

    def test_is_that_of_the_newest_symbol(self):
        old = self.compile(self.folder / "old.so", "int puts(const char*); int f(void) { return puts(\"\"); }", "-shared", "-fPIC")
        self.assertRegex(self.tag(old).stdout, rf"^manylinux_2_\d+_{platform.machine()}$")
        new = self.compile(self.folder / "new.so", "double hypot(double, double); double g(double x) { return hypot(x, x); }", "-shared", "-fPIC", "-lm")
        both = self.tag("--why", old, new)
        self.assertRegex(both.stderr, r"glibc 2\.\d+ for .*\(new\.so\)")
        self.assertEqual(both.stdout, self.tag(new).stdout)

    def test_is_refused_for_a_library_that_not_every_linux_has(self):
        other = self.compile(self.folder / "beside/libother.so.1", "int other(void) { return 1; }", "-shared", "-fPIC", "-Wl,-soname,libother.so.1")
        user = self.compile(self.folder / "user.so", "#include <stdio.h>\nint other(void); void f(void) { printf(\"%d\", other()); }", "-shared", "-fPIC", str(other))
        refused = self.tag(user)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("user.so needs libother.so.1", refused.stderr)
        self.assertEqual(self.tag("--beside", other.parent, user).returncode, 0)

    def test_what_is_no_elf_file_is_named(self):
        text = self.folder / "text"
        text.write_text("text")
        self.assertIn(f"{text} is no ELF file", self.tag(text).stderr)


class Wheel(PackagesTest):
    """tools/build_wheel --installed, with small stand-ins."""

    def setUp(self) -> None:
        super().setUp()
        self.needs("cc", "readelf", PYTHON)
        found = "import importlib.util as i, sys; sys.exit(not all(map(i.find_spec, ('pip', 'setuptools', 'wheel', 'venv', 'ensurepip'))))"
        if call(PYTHON, "-c", found).returncode:
            self.skipTest("missing: apt-get install python3-pip python3-setuptools python3-wheel python3-venv")

    def installed(self, folder: Path) -> Path:
        self.compile(folder / "bin/frx", "#include <stdio.h>\nint main(int n, char** v) { (void)n; printf(\"%s %s\\n\", v[0], v[1]); }")
        self.compile(folder / "lib/frx/libelf.so.1", "int elf(void) { return 1; }", "-shared", "-fPIC", "-Wl,-soname,libelf.so.1")
        code = "#include <stdio.h>\nint elf(void); int f(void) { return printf(\"%d\", elf()); }"
        self.compile(folder / "lib/libfrx.so.0", code, "-shared", "-fPIC", str(folder / "lib/frx/libelf.so.1"), "-Wl,-rpath,$ORIGIN/frx")
        for place in ("man/man1/frx.1", "bash-completion/completions/frx", "zsh/site-functions/_frx", "fish/vendor_completions.d/frx.fish",
                      "doc/frx/frx.spdx.json", "doc/frx/THIRD-PARTY", "doc/frx/licenses/GPL-3"):
            (folder / "share" / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / "share" / place).write_text(place)
        return folder

    def build(self, prefix: Path) -> Path:
        return Path(run(ROOT / "tools/build_wheel", "--installed", prefix, self.folder / f"wheel-of-{prefix.name}", PYTHON).strip())

    def test_brings_frx_and_fournex_as_commands_and_has_the_tag_that_it_earned(self):
        wheel = self.build(self.installed(self.folder / "one"))
        self.assertRegex(wheel.name, rf"^fournex-[0-9.]+-py3-none-manylinux_2_\d+_{platform.machine()}\.whl$")
        names = zipfile.ZipFile(wheel).namelist()
        for place in ("fournex/libfrx.so", "fournex/frx/libelf.so.1", "dist-info/sboms/frx.spdx.json", "dist-info/licenses/THIRD-PARTY", "data/share/man/man1/frx.1"):
            self.assertTrue(any(name.endswith(place) for name in names), place)
        home = self.folder / "venv"
        run(PYTHON, "-m", "venv", home)
        run(home / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", wheel)
        self.assertEqual(run(home / "bin/frx", "profile"), f"{home}/bin/frx profile\n")
        self.assertEqual(run(home / "bin/fournex", "profile"), "fournex profile\n")
        run(home / "bin/python", "-c", "import ctypes, fournex, os; ctypes.CDLL(os.path.join(os.path.dirname(fournex.__file__), 'libfrx.so'))", cwd=self.folder)

    def test_is_the_same_wherever_it_is_built(self):
        one = self.installed(self.folder / "one")
        other = self.folder / "another folder"
        shutil.copytree(one, other)
        digests = {hashlib.sha256(self.build(prefix).read_bytes()).hexdigest() for prefix in (one, other)}
        self.assertEqual(len(digests), 1)


class DebianPackage(PackagesTest):
    """packaging/debian/finish_package."""

    def made(self, name: str) -> Path:
        """A package as CPack makes it: a wrong size, and scripts for what a trigger does."""
        root = self.folder / name
        (root / "DEBIAN").mkdir(parents=True)
        (root / "usr/lib").mkdir(parents=True)
        control = "Package: libnothing0\nVersion: 1-1\nArchitecture: amd64\nInstalled-Size: 999\nMaintainer: M <m@frx.example>\nDescription: nothing\n nothing at all\n"
        (root / "DEBIAN/control").write_text(control)
        (root / "DEBIAN/triggers").write_text("activate-noawait ldconfig\n")
        for script in ("postinst", "postrm"):
            (root / "DEBIAN" / script).write_text("#!/bin/sh\nldconfig\n")
            (root / "DEBIAN" / script).chmod(0o755)
        (root / "usr/lib/libnothing.so.0").write_bytes(b"x" * 3000)
        (root / "usr/lib/libnothing.so").symlink_to("libnothing.so.0")
        os.chmod(root / "DEBIAN", 0o755)
        run("dpkg-deb", "--root-owner-group", "-b", root, self.folder / f"{name}.deb")
        return self.folder / f"{name}.deb"

    def setUp(self) -> None:
        super().setUp()
        self.needs("dpkg-deb")

    def finished(self, name: str) -> Path:
        package = self.made(name)
        run(ROOT / "packaging/debian/finish_package", package, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        return package

    def test_is_put_right(self):
        package = self.finished("one")
        # Three folders and a link of 1, and 3000 bytes.
        self.assertEqual(run("dpkg-deb", "-f", package, "Installed-Size", "Multi-Arch"), "Installed-Size: 7\nMulti-Arch: same\n")
        run("dpkg-deb", "-e", package, self.folder / "control")
        listed = [path.name for path in (self.folder / "control").iterdir()]
        self.assertEqual(sorted(listed), ["control", "triggers"])

    def test_is_the_same_wherever_it_was_made(self):
        self.assertEqual(self.finished("one").read_bytes(), self.finished("other").read_bytes())


def module(path: Path):
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    loaded = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.name, loader))
    loader.exec_module(loaded)
    return loaded


class Sbom(PackagesTest):
    def setUp(self) -> None:
        super().setUp()
        self.needs("dpkg", "ninja", "readelf")
        if not (BUILD / "build.ninja").exists():
            self.skipTest(f"{BUILD} was not built by ninja")
        if not (ROOT / "build/npm/web/node_modules/preact").exists():
            self.skipTest("there is no page in this build: npm was not there")

    def test_of_this_build_names_every_part(self):
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
        run(sys.executable, "-B", ROOT / "tools/sbom", "--build", BUILD, "--out", self.folder, env=environment)
        document = json.loads((self.folder / "frx.spdx.json").read_text())
        sys.dont_write_bytecode = True
        self.assertEqual(module(ROOT / "tools/check_sbom").problems(document), [])
        licences = {package["name"]: package["licenseDeclared"] for package in document["packages"]}
        self.assertEqual((licences["frx"], licences["preact"], licences["nlohmann-json3-dev"]), ("Apache-2.0", "MIT", "MIT"))
        self.assertNotIn("libgtest-dev", licences)
        notices = (self.folder / "THIRD-PARTY").read_text()
        self.assertEqual([name for name in licences if name != "frx" and f"{name} " not in notices], [])

    def test_a_part_that_is_not_listed_is_an_error(self):
        sbom = module(ROOT / "tools/sbom")
        with self.assertRaisesRegex(sbom.Problem, "does not list libunheard-of-dev"):
            sbom.rule_of("libunheard-of-dev", sbom.rules())

    def test_what_spdx_demands_is_looked_for(self):
        problems = module(ROOT / "tools/check_sbom").problems
        self.assertIn("the document has no packages", problems({"spdxVersion": "SPDX-2.3"}))


class Recipes(PackagesTest):
    """packaging/container and packaging/conda, which no engine reads here."""

    def test_the_container_is_built_without_a_network_but_for_debians_packages(self):
        sys.dont_write_bytecode = True
        containerfile = module(ROOT / "packaging/check/containerfile")
        (self.folder / "frx-1-source.tar.gz").write_bytes(b"")
        build, last = containerfile.stages((ROOT / "packaging/container/Containerfile").read_text(), self.folder)
        commands = [step for step in build.steps if " sh -ec " in step or step.startswith("sh -ec ")]
        connected = [step for step in commands if not step.startswith("unshare --net ")]
        self.assertEqual([step for step in connected if "cmake" in step], [])
        self.assertTrue(any("tools/install_dependencies.sh" in step for step in connected))
        self.assertEqual((build.wanted, last.brought), (["/installed"], ["build:/installed"]))
        # libcurl is loaded at run time, so nothing else would miss it.
        self.assertTrue(any("libcurl4" in step and "ca-certificates" in step for step in last.steps))
        with self.assertRaisesRegex(SystemExit, "HEALTHCHECK is not known"):
            containerfile.stages("FROM debian:bookworm-slim\nHEALTHCHECK NONE\n", self.folder)

    def test_the_recipe_for_conda_has_this_version_and_every_library(self):
        recipe = (ROOT / "packaging/conda/meta.yaml").read_text()
        version = re.search(r"project\(frx VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertIn(f'{{% set version = "{version}" %}}', recipe)
        names = {"libsqlite3-dev": "libsqlite", "libyaml-cpp-dev": "yaml-cpp", "libelf-dev": "elfutils", "liblz4-dev": "lz4-c", "zlib1g-dev": "zlib",
                 "libzstd-dev": "zstd", "libboost-dev": "libboost-headers", "libcli11-dev": "cli11", "libexpected-dev": "tl-expected", "libfmt-dev": "fmt",
                 "libfast-float-dev": "fast_float", "nlohmann-json3-dev": "nlohmann_json", "libprotozero-dev": "protozero", "libisal-dev": "isa-l"}
        dependencies = (ROOT / "tools/install_dependencies.sh").read_text().split("packages=(")[1].split("\n)")[0]
        libraries = set(re.findall(r"\b\S+-dev\b", dependencies)) - {"libgtest-dev", "libgmock-dev"}
        self.assertEqual(libraries, set(names), "names of conda-forge for the libraries of tools/install_dependencies.sh")
        self.assertEqual([name for name in names.values() if not re.search(rf"^    - {name}( |$)", recipe, re.MULTILINE)], [])


if __name__ == "__main__":
    unittest.main()
