"""What a killed frx may leave behind, and what it may not."""

import csv
import hashlib
import io
import json
import os
import re
import signal
import subprocess
import time
import zipfile
from pathlib import Path

from commands import Command

MARK = "FRX_KILLS_MARK"
TEMPORARY_FILE = re.compile(r"\.[0-9a-f]{8}$")  # src/base/output_file.cc
TEMPORARY_FOLDER = re.compile(r"(^|/)frx-[0-9A-Za-z]{6}$")  # src/base/temporary_directory.cc
LOOKS = 60  # of 50 ms and more: 3 s on a machine that has time, longer on one that has none
REQUIRED = {"metadata.json", "run_config.yaml", "gpu_metrics.csv", "optional_logs.txt"}
SEALED = {"completed", "failed"}
NO_ZIP = "interrupted: no zip was made"  # src/capture/collect.cc


def all_processes() -> set[str]:
    return {name for name in os.listdir("/proc") if name.isdigit()}


def marked(mark: str, before: set[str]) -> list[int]:
    """The processes that carry the mark in their environment and run (a zombie has none). Those of `before` were there when frx was started."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for number in all_processes() - before:
        try:
            with open(f"/proc/{number}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    found.append(int(number))
        except OSError:
            pass
    return found


def words_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()[:80]
    except OSError:
        return "?"


def left_running(mark: str, before: set[str]) -> str:
    """Waits until no process with the mark is there, twice in a row; names those that stay, and ends them."""
    empty = 0
    for _ in range(LOOKS):
        found = marked(mark, before)
        empty = 0 if found else empty + 1
        if empty == 2:
            return ""
        time.sleep(0.005 if not found else 0.05)
    found = marked(mark, before)
    if not found:
        return ""
    words = ", ".join(f"{pid} ({words_of(pid)})" for pid in found)
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    return f"left running: {words}"


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def half(name: str, content: bytes) -> str:
    """Why a file of this name is not whole, as far as its form tells; "" when it is."""
    try:
        if name.endswith(".json"):
            json.loads(content)
        elif name.endswith(".jsonl"):
            if content and not content.endswith(b"\n"):
                return "does not end with a line end"
            for line in content.decode().splitlines():
                json.loads(line)
        elif name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                if bad := archive.testzip():
                    return f"member {bad} is damaged"
        elif name.endswith(".csv"):
            if content and not content.endswith(b"\n"):
                return "does not end with a line end"
            rows = list(csv.reader(io.StringIO(content.decode())))
            if any(len(row) != len(rows[0]) for row in rows):
                return "has rows of different length"
        elif name.endswith((".yaml", ".txt", ".cuh")) and content and not content.endswith(b"\n"):
            return "does not end with a line end"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:80]}"
    return ""


class Left:
    """The folder of one round after frx has ended. `hard`: SIGKILL ended it, so that it could not tidy up."""

    def __init__(self, frx: Path, command: Command, reference: dict[str, bytes], work: Path, temporary: Path, environment: dict[str, str]):
        self.frx, self.command, self.reference = frx, command, reference
        self.work, self.temporary, self.environment = work, temporary, environment

    def complaints(self, hard: bool, code: int, sent: list[int], said: str) -> list[str]:
        self.no_zip = signal.SIGINT in sent and NO_ZIP in said  # Ctrl-C ends the packing of a large bundle, and that is said
        wrong = []
        if not hard:
            wrong += self._exit(code, sent)
            wrong += [f"left in TMPDIR: {name}" for name in sorted(os.listdir(self.temporary))]
        else:
            wrong += [f"in TMPDIR: {name}" for name in os.listdir(self.temporary) if not TEMPORARY_FOLDER.search(name)]
        wrong += self._files(hard, code)
        if self.command.bundles:
            runs = self.work / self.command.bundles
            for path in sorted(runs.iterdir()) if runs.is_dir() else []:
                if path.is_dir():
                    wrong += [f"{path.name}: {words}" for words in self._bundle(path, hard)]
                elif path.suffix == ".zip" and not (path.with_suffix("") / "manifest.json").exists():
                    wrong.append(f"{path.name} without a manifest in its folder")
        return wrong

    def _exit(self, code: int, sent: list[int]) -> list[str]:
        exits = self.command.exits | {self.command.ends_with}
        if self.command.bundles and len(sent) > 1:
            exits = exits | {137}  # the second one ends the program at once
        if self.no_zip:
            exits = exits | {1}
        if -code in sent or code in exits:
            return []
        return [f"exit code {code}"]

    def _says_it_is_cut(self, content: bytes, whole: bytes) -> bool:
        part = content.removesuffix(self.command.cut)
        return part != content and whole.startswith(part) and part.endswith(b"\n")

    def _files(self, hard: bool, code: int) -> list[str]:
        wrong = []
        for name in files_below(self.work):
            content = (self.work / name).read_bytes()
            old = self.command.files.get(name)
            if name in self.command.outputs:
                if self._says_it_is_cut(content, self.reference[name]):
                    continue
                if content not in (old, self.reference[name]):
                    wrong.append(f"{name} is neither as it was nor as it should be ({len(content)} bytes)")
                elif code == self.command.ends_with and self.command.ends_with == 0 and content != self.reference[name]:
                    wrong.append(f"{name} is old though the exit code is 0")
            elif old is not None:
                if content != old:
                    wrong.append(f"{name}, which is none of its files, was changed")
            elif TEMPORARY_FILE.search(name) or any(TEMPORARY_FOLDER.search(str(one)) for one in Path(name).parents):
                if not hard:
                    wrong.append(f"temporary file left: {name}")
                continue
            elif not re.fullmatch(self.command.extra, name):
                wrong.append(f"a file that was not asked for: {name}")
            by_programs = name.startswith(("frx-job-run/", "pids/")) or name.endswith("optional_logs.txt")
            known = content == old or content == self.reference.get(name)
            if words := "" if by_programs or known else half(name, content):
                wrong.append(f"{name} is not whole: {words}")
        for name in self.command.outputs:
            if not (self.work / name).exists():
                if name in self.command.files:
                    wrong.append(f"{name} is gone")
                elif code == 0:
                    wrong.append(f"{name} is missing though the exit code is 0")
        for name, mode in self.command.modes.items():
            for path in self.work.glob(name + "*"):
                if path.stat().st_mode & 0o777 & ~mode:
                    wrong.append(f"{path.name} has mode {path.stat().st_mode & 0o777:o}")
        return wrong

    def _bundle(self, run: Path, hard: bool) -> list[str]:
        """A sealed bundle is whole; one that is not says so, and is left by SIGKILL only."""
        metadata = run / "metadata.json"
        try:
            status = json.loads(metadata.read_bytes())["status"] if metadata.exists() else ""
            manifest = json.loads((run / "manifest.json").read_bytes()) if (run / "manifest.json").exists() else None
        except (ValueError, KeyError) as error:
            return [f"metadata.json or manifest.json cannot be read: {error}"]
        if manifest is not None:
            return self._sealed(run, status, manifest, hard)
        wrong = [] if hard else ["no manifest although it was no SIGKILL"]
        if status not in {"", "running", *SEALED}:
            wrong.append(f"status {status}")
        if status in SEALED and not REQUIRED <= set(files_below(run)) | {"manifest.json"}:
            wrong.append(f"status {status}, but there are only {files_below(run)}")
        return wrong + self._said_of(run, status)

    def _sealed(self, run: Path, status: str, manifest: dict, hard: bool) -> list[str]:
        wrong = [] if status in SEALED else [f"sealed, with status {status}"]
        if manifest["missing_required"]:
            wrong.append(f"sealed without {manifest['missing_required']}")
        for entry in manifest["files"]:
            path = run / entry["path"]
            content = path.read_bytes() if path.exists() else b""
            if not path.exists() or len(content) != entry["bytes"] or hashlib.sha256(content).hexdigest() != entry["sha256"]:
                wrong.append(f"{entry['path']} is not what the manifest says")
        archive = run.with_name(run.name + ".zip")
        if archive.exists():
            wrong += self._zip(run, archive, manifest)
        elif self.command.zip and not hard and not self.no_zip:
            wrong.append("no zip")
        return wrong

    def _zip(self, run: Path, archive: Path, manifest: dict) -> list[str]:
        try:
            with zipfile.ZipFile(archive) as opened:
                inside = {name: opened.read(name) for name in opened.namelist()}
        except Exception as error:
            return [f"{archive.name}: {error}"]
        wrong = [] if set(inside) == {f"{run.name}/{name}" for name in manifest["included_files"]} else [f"{archive.name} holds {sorted(inside)}"]
        return wrong + [f"{name} in the zip differs" for name, content in inside.items() if (run.parent / name).read_bytes() != content]

    def _said_of(self, run: Path, status: str) -> list[str]:
        """frx reads what is there, and says the status of the run."""
        ended = subprocess.run([self.frx, "analyze", run, "--json"], cwd=self.work, env=self.environment, capture_output=True)
        if ended.returncode not in {0, 1, 3}:
            return [f"frx analyze gives {ended.returncode}: {ended.stderr.decode(errors='replace')[:100]}"]
        if ended.returncode != 0:
            return []
        said = json.loads(ended.stdout)["result"].get("status")
        return [] if said == (status or None) else [f"frx analyze says status {said}, metadata.json {status}"]
