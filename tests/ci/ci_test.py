"""frx ci as a service runs it: in a repository, beside a baseline that lives through edits, and by the script of the action.

    FRX=build/dev/frx python3 tests/ci/ci_test.py
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FRX = os.environ.get("FRX", str(ROOT / "build/dev/frx"))
BASELINE, SUPPRESSIONS = ".frx-baseline.json", ".frx-suppressions.yaml"


class Repository(unittest.TestCase):
    """A fresh repository with the bad halves of the zoo."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.git("init", "-q", ".")
        for pair in sorted((ROOT / "demos/cuda_zoo").iterdir()):
            if pair.is_dir():
                target = self.folder / "src" / f"{pair.name}.cu"
                target.parent.mkdir(exist_ok=True)
                shutil.copy(pair / "bad.cu", target)
        self.git("add", "-A")

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", "-C", str(self.folder), *arguments], check=True)

    def run_frx(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **variables}
        return subprocess.run([FRX, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True)

    def check(self, *arguments: str, **variables: str) -> dict:
        done = self.run_frx("ci", "--json", *arguments, **variables)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        report = json.loads(done.stdout)["result"]
        report["exit"] = done.returncode
        return report

    def write_baseline(self) -> None:
        done = self.run_frx("ci", "--write-baseline", BASELINE)
        self.assertIn(done.returncode, (0, 1), done.stderr)

    def states(self, report: dict) -> dict:
        counts = {"new": 0, "unchanged": 0, "absent": len(report["code"]["absent"])}
        for finding in report["code"]["findings"]:
            counts[finding["state"]] += 1
        return counts


class Recordings(Repository):
    def test_those_that_git_knows_are_diagnosed_and_fail_nothing(self) -> None:
        shutil.rmtree(self.folder / "src")
        (self.folder / "profiles").mkdir()
        shutil.copy(ROOT / "demos/ncu/strided_copy.csv", self.folder / "profiles/copy.ncu.csv")
        shutil.copy(ROOT / "demos/ncu/strided_copy.csv", self.folder / "not-in-git.ncu.csv")
        (self.folder / "profiles/broken.ncu-rep").write_text("no report\n")
        (self.folder / "profiles/link.ncu.csv").symlink_to("/etc/hostname")
        (self.folder / "profiles/started.nsys-rep").write_text("nsys would be started for it\n")
        self.git("add", "-A", "profiles")
        self.git("add", "-u")
        report = self.check()
        self.assertEqual((report["verdict"], report["exit"], report["code"], report["recordings_left"]), ("pass", 0, None, 0))
        found = {one["file"]: one for one in report["recordings"]}
        self.assertEqual(list(found), ["profiles/broken.ncu-rep", "profiles/copy.ncu.csv"])
        self.assertIn("Uncoalesced Global Loads", found["profiles/copy.ncu.csv"]["sentence"])
        self.assertTrue(found["profiles/broken.ncu-rep"]["error"])
        self.assertIn("RECORDINGS", self.run_frx("ci").stdout)

    def test_a_target_or_a_pair_is_all_that_is_looked_at(self) -> None:
        shutil.copy(ROOT / "demos/ncu/strided_copy.csv", self.folder / "copy.ncu.csv")
        self.git("add", "-A")
        self.assertEqual(len(self.check()["recordings"]), 1)
        self.assertEqual(self.check("src")["recordings"], [])
        self.assertEqual(self.check("--before", "copy.ncu.csv", "--after", "copy.ncu.csv")["recordings"], [])


@unittest.skipIf(shutil.which("pre-commit") is None, "pre-commit is not installed")
class PreCommit(Repository):
    """The hook, as pre-commit runs it: from a repository of hooks, with frx on PATH, on the files of a commit."""

    def setUp(self) -> None:
        super().setUp()
        hooks, tools = Path(tempfile.mkdtemp()), Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, hooks)
        self.addCleanup(shutil.rmtree, tools)
        shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
        for arguments in (["init", "-q"], ["add", "-A"], ["-c", "user.email=a@b.example", "-c", "user.name=n", "commit", "-qm", "hooks"]):
            subprocess.run(["git", "-C", hooks, *arguments], check=True)
        revision = subprocess.run(["git", "-C", hooks, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        (self.folder / ".pre-commit-config.yaml").write_text(f"repos: [{{repo: {hooks}, rev: {revision}, hooks: [{{id: frx}}]}}]\n")
        (tools / "frx").symlink_to(FRX)
        self.environment = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(tools), "PRE_COMMIT_HOME": str(tools / "cache")}

    def hook(self) -> subprocess.CompletedProcess:
        self.git("add", "-A")
        return subprocess.run(["pre-commit", "run", "--color=never"], cwd=self.folder, env=self.environment, capture_output=True, text=True)

    def test_it_fails_on_findings_and_passes_beside_a_baseline(self) -> None:
        first = self.hook()
        self.assertEqual(first.returncode, 1, first.stdout + first.stderr)
        self.assertIn("Failed", first.stdout)
        self.assertIn("severity high or above", first.stdout)
        self.write_baseline()
        second = self.hook()
        self.assertEqual(second.returncode, 0, second.stdout + second.stderr)
        self.assertIn("Passed", second.stdout)

    def test_it_keeps_to_the_settings_of_the_repository(self) -> None:
        (self.folder / ".frx.yaml").write_text("suppressions: accepted.yaml\n")
        (self.folder / "accepted.yaml").write_text('suppressions: [{rule: "*", reason: a zoo}]\n')
        done = self.hook()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Settings(Repository):
    def test_a_project_fixes_what_its_check_needs(self) -> None:
        self.write_baseline()
        (self.folder / "ci").mkdir()
        (self.folder / BASELINE).rename(self.folder / "ci/base.json")
        self.assertEqual(self.check("--fail-on", "low")["verdict"], "fail")
        (self.folder / ".frx.yaml").write_text("fail_on: low\nbaseline: ci/base.json\n")
        report = self.check()
        self.assertEqual((report["verdict"], report["code"]["baseline"], report["code"]["fail_on"]), ("pass", "ci/base.json", "low"))
        self.assertEqual(report["exit"], 0)
        inside = subprocess.run([FRX, "ci", "--json"], cwd=self.folder / "src", env={"PATH": os.environ["PATH"], "HOME": str(self.folder)}, capture_output=True, text=True)
        self.assertIn(str(self.folder / "ci/base.json"), inside.stdout)


class Baselines(Repository):
    def test_two_runs_on_an_unchanged_tree_give_no_new_finding(self) -> None:
        self.write_baseline()
        first = (self.folder / BASELINE).read_bytes()
        report = self.check("--fail-on", "low")
        self.assertGreater(len(report["code"]["findings"]), 5)
        self.assertEqual(self.states(report), {"new": 0, "unchanged": len(report["code"]["findings"]), "absent": 0})
        self.assertEqual((report["verdict"], report["exit"]), ("pass", 0))
        self.write_baseline()
        self.assertEqual((self.folder / BASELINE).read_bytes(), first)

    def test_lines_that_move_and_indentation_change_nothing(self) -> None:
        self.write_baseline()
        for file in (self.folder / "src").iterdir():
            text = re.sub(r"^( +)", r"\1\1", file.read_text(), flags=re.M)
            file.write_text("// a licence\n// of three\n// lines\n\n" + text)
        report = self.check("--fail-on", "low")
        self.assertEqual(self.states(report)["new"], 0, report["code"])
        self.assertEqual(report["exit"], 0)

    def test_files_that_are_renamed_change_nothing(self) -> None:
        self.write_baseline()
        self.git("mv", "src", "kernels")
        counts = self.states(self.check("--fail-on", "low"))
        self.assertEqual((counts["new"], counts["absent"]), (0, 0))

    def test_a_finding_that_is_new_fails_and_one_that_is_mended_is_gone(self) -> None:
        self.write_baseline()
        source = self.folder / "src/01_uncoalesced.cu"
        (self.folder / "src/more.cu").write_text(source.read_text().replace("row_sums", "more_sums"))
        source.unlink()
        report = self.check("--fail-on", "low")
        counts = self.states(report)
        self.assertEqual((counts["new"], counts["absent"]), (1, 1))
        self.assertEqual((report["verdict"], report["exit"], report["code"]["reached"]), ("fail", 1, 1))
        self.assertEqual(self.check("--fail-on", "low", "--exit-zero")["exit"], 0)

    def test_what_was_not_looked_at_is_not_gone(self) -> None:
        self.write_baseline()
        counts = self.states(self.check("src/01_uncoalesced.cu"))
        self.assertEqual((counts["new"], counts["absent"]), (0, 0))
        broken = self.folder / "src/01_uncoalesced.cu"
        broken.write_bytes(b"\0\1\2" * 100)
        report = self.check("src", "--allow-unreadable")
        self.assertEqual([one for one in report["code"]["absent"] if one["file"] == "src/01_uncoalesced.cu"], [])

    def test_suppressions_hold_until_their_day(self) -> None:
        self.write_baseline()
        source = self.folder / "src/01_uncoalesced.cu"
        (self.folder / "src/more.cu").write_text(source.read_text().replace("row_sums", "more_sums"))
        (self.folder / SUPPRESSIONS).write_text(
            "suppressions:\n  - rule: uncoalesced_access\n    file: src/more.cu\n    reason: replaced soon\n    until: 2026-06-30\n"
        )
        held = self.check("--fail-on", "low", SOURCE_DATE_EPOCH="1782777600")  # 2026-06-30
        self.assertEqual((held["verdict"], len(held["code"]["suppressed"])), ("pass", 1))
        self.assertEqual(held["code"]["suppressed"][0]["reason"], "replaced soon")
        expired = self.check("--fail-on", "low", SOURCE_DATE_EPOCH="1782864000")  # the day after
        self.assertEqual((expired["verdict"], len(expired["code"]["suppressed"])), ("fail", 0))

    def test_files_that_are_none_are_errors_that_name_them(self) -> None:
        for name, text, words in [
            (BASELINE, "{", "found no JSON"),
            (BASELINE, "[]", "frx_baseline_v1"),
            (BASELINE, '{"schema": "frx_baseline_v1", "findings": [{}]}', "finding 1: expected a text as 'fingerprint'"),
            (SUPPRESSIONS, "suppressions:\n  - rule: a\n", ":2: expected a reason"),
            (SUPPRESSIONS, "suppressions:\n  - rule: a\n    reason: b\n    until: soon\n", ":4: expected a day"),
            (SUPPRESSIONS, "suppressions:\n  - rules: a\n", "unknown key 'rules'"),
            (SUPPRESSIONS, "suppressions: [", SUPPRESSIONS),
        ]:
            (self.folder / name).write_text(text)
            done = self.run_frx("ci")
            self.assertEqual(done.returncode, 1, text)
            self.assertIn(words, done.stderr)
            self.assertIn(name, done.stderr)
            (self.folder / name).unlink()


class Services(Repository):
    def test_github_gets_annotations_and_a_summary(self) -> None:
        self.write_baseline()
        source = (self.folder / "src/01_uncoalesced.cu").read_text()
        (self.folder / "src/more.cu").write_text(source.replace("row_sums", "more_sums"))
        summary = self.folder / "summary.md"
        summary.write_text("before\n")
        done = self.run_frx("ci", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
        annotations = [line for line in done.stdout.splitlines() if line.startswith("::")]
        self.assertEqual(len(annotations), 1)
        self.assertIn("file=src/more.cu", annotations[0])
        self.assertTrue(summary.read_text().startswith("before\n### frx: pass"))

    def test_gitlab_gets_its_report_and_fingerprints_are_unique(self) -> None:
        self.assertIn(self.run_frx("ci", GITLAB_CI="true").returncode, (0, 1))
        report = json.loads((self.folder / "gl-code-quality-report.json").read_text())
        self.assertEqual(len({one["fingerprint"] for one in report}), len(report))
        for one in report:
            self.assertTrue((self.folder / one["location"]["path"]).is_file())
            self.assertIn(one["severity"], ("info", "minor", "major", "critical", "blocker"))

    def test_junit_counts_what_it_holds(self) -> None:
        self.run_frx("ci", "--junit", "junit.xml")
        (suite,) = xml.parse(self.folder / "junit.xml").getroot()
        self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))
        self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
        self.assertGreater(len(suite), 5)

    def test_junit_fails_what_the_gate_fails(self) -> None:
        for severity in ("low", "high"):
            done = self.run_frx("ci", "--fail-on", severity, "--junit", "junit.xml", "--json")
            (suite,) = xml.parse(self.folder / "junit.xml").getroot()
            self.assertEqual(int(suite.get("failures")), json.loads(done.stdout)["result"]["code"]["reached"])
            analysed = self.run_frx("analyze", "src", "--with-ptx=no", "--fail-on", severity, "--format", "junit")
            (again,) = xml.fromstring(analysed.stdout)
            self.assertEqual(again.get("failures"), suite.get("failures"))

    def test_a_repository_without_code_has_nothing_to_check(self) -> None:
        self.git("rm", "-rqf", "src")
        self.assertEqual(self.run_frx("ci").returncode, 3)


class Measured(Repository):
    def profile(self, name: str, microseconds: float) -> None:
        row = '"{}","7","app","host","copy(float *)","1","7","(256, 1, 1)","(4096, 1, 1)","0","8.6","Command line profiler metrics","{}","{}","{}"\n'
        text = '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"\n'
        for launch in range(20):
            text += row.format(launch, "gpu__time_duration.sum", "us", microseconds * (1 + 0.002 * (launch % 5)))
        (self.folder / name).write_text(text)

    def test_a_regression_fails_and_what_is_inconclusive_needs_strict(self) -> None:
        self.git("rm", "-rqf", "src")
        self.profile("fast.csv", 100.0)
        self.profile("slow.csv", 150.0)
        (self.folder / "none.csv").write_text((self.folder / "fast.csv").read_text().replace("gpu__time_duration.sum", "launch__waves").replace('"us"', '""'))
        slower = self.check("--before", "fast.csv", "--after", "slow.csv")
        self.assertEqual((slower["verdict"], slower["exit"], slower["measured"]["outcome"]), ("fail", 1, "regression"))
        faster = self.check("--before", "slow.csv", "--after", "fast.csv")
        self.assertEqual((faster["verdict"], faster["exit"], faster["measured"]["outcome"]), ("pass", 0, "no_regression"))
        unknown = self.check("--before", "fast.csv", "--after", "none.csv")
        self.assertEqual((unknown["verdict"], unknown["exit"]), ("inconclusive", 0))
        self.assertIn("gpu__time_duration.sum", unknown["measured"]["would_decide"])
        self.assertIn(unknown["measured"]["would_decide"], unknown["reasons"][1])
        self.assertEqual(self.check("--before", "fast.csv", "--after", "none.csv", "--strict")["exit"], 3)


class Action(Repository):
    def run_action(self, **inputs: str) -> tuple[subprocess.CompletedProcess, dict]:
        output = self.folder / "output"
        environment = {
            "PATH": "/usr/bin:/bin",
            "RUNNER_TEMP": str(self.folder),
            "GITHUB_ACTIONS": "true",
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "FRX_ACTION_PROGRAM": FRX,
            "FRX_ACTION_REPOSITORY": "owner/frx",
            "FRX_ACTION_REF": "v1",
            **{f"FRX_ACTION_{name.upper()}": value for name, value in inputs.items()},
        }
        done = subprocess.run(["bash", str(ROOT / "ci/action.sh")], cwd=self.folder, env=environment, capture_output=True, text=True)
        outputs = dict(line.split("=", 1) for line in output.read_text().splitlines()) if output.exists() else {}
        output.unlink(missing_ok=True)
        return done, outputs

    def test_the_script_works_in_an_empty_environment(self) -> None:
        done, outputs = self.run_action(fail_on="medium")
        self.assertEqual((done.returncode, outputs["verdict"]), (1, "fail"), done.stderr)
        run = json.loads(Path(outputs["sarif"]).read_text())["runs"][0]
        rules = run["tool"]["driver"]["rules"]
        self.assertEqual(rules[0]["helpUri"], f"https://github.com/owner/frx/blob/v1/docs/rules/{rules[0]['id']}.md")
        for rule in rules:
            self.assertTrue((ROOT / "docs/rules" / f"{rule['id']}.md").is_file())
            self.assertIn("What it does not see", rule["help"]["markdown"])
        self.assertIn("### frx: fail", (self.folder / "summary.md").read_text())
        self.write_baseline()
        done, outputs = self.run_action(fail_on="low", targets="src")
        self.assertEqual((done.returncode, outputs["verdict"]), (0, "pass"), done.stderr)

    def test_every_input_is_one_of_the_script(self) -> None:
        action, script = (ROOT / "action.yml").read_text(), (ROOT / "ci/action.sh").read_text()
        named = set(re.findall(r"(FRX_ACTION_[A-Z_]+):", action))
        self.assertEqual(named, set(re.findall(r"(FRX_ACTION_[A-Z_]+)[:}]", script)))
        inputs = set(re.findall(r"^  ([a-z-]+):\n    description", action.split("outputs:")[0], flags=re.M))
        self.assertEqual({f"FRX_ACTION_{name.upper().replace('-', '_')}" for name in inputs}, named - {"FRX_ACTION_REPOSITORY", "FRX_ACTION_REF"})


if __name__ == "__main__":
    if not shutil.which("git"):
        print("no git")
        sys.exit(77)
    unittest.main()
