"""Answers in a notebook: as a page in a frame, in a real Chromium; as tables; and as tables of pandas when they are asked for."""

import copy
import html.parser
import importlib.util
import json
import os
import pickle
import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

import fournex
from fournex.answers import Answer
from support import REPOSITORY, SdkTest, environment
from test_native import LIBRARY, PTX

CSV = REPOSITORY / "demos/ncu/strided_copy.csv"
BUILD = Path(os.environ.get("FRX_BUILD", REPOSITORY / "build/dev"))
MODULES = BUILD / "npm-judges/node_modules"  # fetched by the tests of the page
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")

LOOK = """
import {createRequire} from 'node:module';
const [modules, address] = process.argv.slice(2);
const {chromium} = createRequire(modules + '/')('playwright-core');
const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu']});
const page = await browser.newPage({viewport: {width: 900, height: 1400}});
const seen = {messages: [], foreign: []};
page.on('console', (message) => seen.messages.push(message.text()));
page.on('pageerror', (error) => seen.messages.push(error.message));
page.on('request', (request) => { if (request.url().startsWith('http')) seen.foreign.push(request.url()); });
await page.goto(address);
const frame = page.frames()[1];
await frame.locator('section[data-figure]').first().scrollIntoViewIfNeeded();
await frame.locator('.figure svg').first().waitFor({timeout: 20000});
seen.heading = await frame.locator('h1').first().innerText();
seen.figures = await frame.locator('.figure svg').count();
seen.parent = await frame.evaluate(() => { try { return window.parent.document.title; } catch { return null; } });
console.log(JSON.stringify(seen));
await browser.close();
"""


class Frame(html.parser.HTMLParser):
    """The attributes of the frame, and the words of tables."""

    def __init__(self, text):
        super().__init__()
        self.frame, self.cells, self.open = {}, [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag == "iframe":
            self.frame = dict(attrs)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.cells.append(data)


@unittest.skipIf(not LIBRARY, "FRX_TEST_LIBRARY does not name a libfrx.so to test with")
class Notebook(SdkTest):
    def setUp(self):
        super().setUp()
        change = environment(FRX_LIBRARY=LIBRARY, FRX_PROGRAM=None)
        change.__enter__()
        self.addCleanup(change.__exit__, None, None, None)

    def test_an_answer_is_shown_as_its_page(self):
        for answer in (
            fournex.analyze_ncu_csv(str(CSV)),
            fournex.analyze_ptx_text(PTX),
            fournex.reconcile_evidence(ptx=fournex.analyze_ptx_text(PTX)),
            fournex.estimate_occupancy("sm_80", threads_per_block=256, registers_per_thread=72),
        ):
            with self.subTest(answer["schema"]):
                frame = Frame(answer._repr_html_()).frame
                self.assertEqual(frame["sandbox"], "allow-scripts")
                self.assertTrue(frame["srcdoc"].startswith("<!doctype html>"))
                self.assertIn("<h1>", frame["srcdoc"])

    @unittest.skipIf(not os.path.exists(CHROMIUM) or not shutil.which("node"), "Chromium or node is not installed")
    @unittest.skipIf(not (MODULES / "playwright-core").exists(), "playwright-core is not there: run the test serve/page before")
    def test_a_browser_draws_it(self):
        page = self.folder / "notebook.html"
        shown = fournex.analyze_ncu_csv(str(CSV))._repr_html_()
        page.write_text(f"<!doctype html><title>notebook</title><body><p>In [1]:</p>{shown}</body>")
        script = self.folder / "look.mjs"
        script.write_text(LOOK)
        done = subprocess.run(["node", script, MODULES.parent, page.as_uri()], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(done.stdout)
        self.assertEqual((seen["messages"], seen["foreign"], seen["parent"]), ([], [], None))
        self.assertIn("Uncoalesced", seen["heading"])
        self.assertGreaterEqual(seen["figures"], 1)

    def test_a_file_that_has_changed_is_not_shown_for_what_it_was(self):
        path = self.folder / "profile.csv"
        path.write_bytes(CSV.read_bytes())
        answer = fournex.analyze_ncu_csv(str(path))
        self.assertIn("srcdoc", answer._repr_html_())
        path.write_text("something else\n")
        shown = Frame(answer._repr_html_())
        self.assertEqual(shown.frame, {})
        self.assertIn("uncoalesced_access", shown.cells)

    def test_copies_hold_the_dictionary_alone(self):
        answer = fournex.analyze_ptx_text(PTX)
        for other in (pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer), Answer(json.loads(json.dumps(answer)))):
            self.assertEqual(other, answer)
            self.assertIsInstance(other, dict)
            self.assertEqual(Frame(other._repr_html_()).frame, {})

    def test_names_of_files_are_no_markup(self):
        shown = Answer(schema="x", kernels=[{"name": "<script>alert(1)</script>", "size": None}] * 30)._repr_html_()
        self.assertNotIn("<script", shown)
        self.assertIn("10 more rows", shown)
        self.assertIn("<script>alert(1)</script>", Frame(shown).cells)

    @unittest.skipIf(importlib.util.find_spec("pandas") is None, "pandas is not installed: apt-get install python3-pandas")
    def test_pandas_takes_tables(self):
        profile = fournex.analyze_ncu_csv(str(CSV))
        kernels = profile.to_pandas()
        self.assertEqual(list(kernels["kernel_name"]), [one["kernel_name"] for one in profile["kernel_summaries"]])
        self.assertTrue(kernels["tensor_core_utilization_pct"].isna().all())  # what was not measured is not 0
        self.assertEqual(list(profile.to_pandas("bottlenecks")["label"]), [one["label"] for one in profile["bottlenecks"]])
        self.assertEqual(profile.to_pandas("kernel_attribution.top_opportunities").shape[0], 2)
        deltas = fournex.diff_ncu_runs(CSV, CSV).to_pandas()
        self.assertIn("name", deltas.columns)
        with self.assertRaisesRegex(KeyError, "kernel_summaries"):
            profile.to_pandas("speed")

    def test_without_pandas_the_error_says_how_to_get_it(self):
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, "pip install pandas"):
                fournex.analyze_ptx_text(PTX).to_pandas()


class Types(unittest.TestCase):
    @unittest.skipIf(not shutil.which("mypy"), "mypy is not installed: apt-get install mypy")
    def test_the_package_is_typed(self):
        options = ["--config-file", REPOSITORY / "python/tests/mypy.ini", "--cache-dir", BUILD / "mypy"]
        done = subprocess.run(["mypy", *options, REPOSITORY / "python/fournex"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
