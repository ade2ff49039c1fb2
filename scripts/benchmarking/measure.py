"""Runs the commands of rows, and writes a record for each."""

import datetime
import hashlib
import json
import os
import platform
import re
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarking.figures import samples
from benchmarking.rows import INPUTS, QUICK

SECONDS = 1200  # for one command, against hangs


class Failure(Exception):
    """What is wrong, in a line."""


class NotHere(Failure):
    """What a command needs is not there."""


class Session:
    """A run of chosen rows with one build."""

    def __init__(self, source, tool, records, gap, quick):
        self.source, self.records, self.quick = source, records.resolve(), quick
        self.tool = tool.resolve()
        self.gap = gap and gap.resolve()
        self.inputs = self.records / "inputs"
        if not self.tool.is_file():
            raise Failure(f"{self.tool} is not there: build it first")
        if self.gap and not (self.gap / "bfs").is_file():
            raise Failure(f"--gap {gap}: there is no program 'bfs' in that folder")
        if self.gap and b"GOMP_parallel" not in (self.gap / "bfs").read_bytes():
            raise Failure(f"--gap {gap}: compiled without -fopenmp, so it uses one processor")
        self.inputs.mkdir(parents=True, exist_ok=True)
        self.facts = {"machine": machine(), "build": self.build(), "quick": quick}

    def run(self, rows):
        """Measures rows that have their commands in common together. The exit status."""
        if os.getloadavg()[0] > 0.5 and not self.quick:
            say(f"other programs are running (load {os.getloadavg()[0]:.1f}): read the figures so")
        groups = {}
        for row in rows:
            groups.setdefault((row.ours, row.peer_command, row.runs), []).append(row)
        start, failed = time.monotonic(), 0
        for (ours, peer, runs), group in groups.items():
            began = time.monotonic()
            try:
                pairs = self.measure(ours, peer, 1 if self.quick else runs)
            except Failure as reason:
                is_left_out = isinstance(reason, NotHere)
                failed += not is_left_out
                say(f"{group[0].name}: {'left out: ' if is_left_out else ''}{reason}")
                continue
            for row in group:
                try:
                    self.write(row, pairs, (time.monotonic() - began) / len(group))
                except Failure as reason:
                    failed += 1
                    say(f"{row.name}: {reason}")
            say(f"{group[0].name}: {time.monotonic() - began:.1f} s, {len(group)} rows")
        say(f"{len(groups)} measurements in {(time.monotonic() - start) / 60:.1f} minutes, "
            f"{failed} failed")
        return 1 if failed else 0

    def measure(self, ours, peer, runs):
        """[(ours, peer)] of runs in turn; each is (output, its JSON, seconds), or None."""
        return [(self.output_of(ours), self.output_of(peer) if peer else None)
                for _ in range(runs)]

    def sized(self, text):
        """A command or a path to a figure, as this session has it."""
        for pattern, replacement in QUICK if self.quick else ():
            text = re.sub(pattern, replacement, text)
        return text

    def output_of(self, command):
        for name, maker in INPUTS.items():
            if name in command and command != maker and not (self.inputs / name).exists():
                self.output_of(maker)
        command = self.sized(command)
        if "&&" in command:
            if self.quick:
                raise NotHere("it builds everything, whatever the sizes")
            words = ["bash", "-c", command]
        else:
            words = [word for part in shlex.split(command) for word in self.resolve(part)]
        has_facts = "convert" not in words and any(word.endswith("/cli/grappa") for word in words)
        if has_facts:
            words += ["--json", "-", "--quiet"]
        start = time.monotonic()
        done = self.execute(words)
        elapsed = time.monotonic() - start
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["it said nothing"]
            reason = next((line for line in lines if line.startswith("grappa:")), lines[-1])
            is_missing = re.search("grappa: --baseline|without a plug-in|No module named", reason)
            kind = NotHere if is_missing else Failure
            raise kind(f"{command}: {reason} (status {done.returncode})")
        return done.stdout, json.loads(done.stdout) if has_facts else None, elapsed

    def execute(self, words):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("GRAPPA_") or name.startswith("GRAPPA_BASELINE_")}
        # Open MPI wants to be told that root is meant.
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                        "CCACHE_DISABLE": "1", "REPOSITORY": str(self.source)}
        try:
            return subprocess.run(words, cwd=self.inputs, env=environment, capture_output=True,
                                  text=True, timeout=SECONDS)
        except FileNotFoundError:
            raise NotHere(f"there is no program '{words[0]}'") from None
        except subprocess.TimeoutExpired:
            raise Failure(f"{shlex.join(words)}: not over after {SECONDS} s") from None

    def resolve(self, word):
        if word == "grappa":
            return [str(self.tool)]
        if level := re.fullmatch(r"package/(.*)/grappa", word):
            program = self.source / "build/package" / level[1] / "cli/grappa"
            if not program.is_file() or subprocess.run([program, "--version"], check=False,
                                                       capture_output=True).returncode:
                raise NotHere(f"{program} is not there (scripts/package), or not for this processor")
            return [str(program)]
        if word.startswith("baseline/"):
            python = self.source / "build/baselines/bin/python3"
            if not python.is_file():
                raise NotHere("build/baselines is not there (scripts/setup --baselines)")
            return [str(python),
                    str(self.source / "bench/baselines" / word.removeprefix("baseline/"))]
        if word.startswith("gap/"):
            if not self.gap:
                raise NotHere("GAP's folder was not given (--gap)")
            return [str(self.gap / word.removeprefix("gap/"))]
        return [word]

    def write(self, row, pairs, seconds):
        """The record of a row."""
        def of(figure, runs):
            try:
                found = [value for run in runs for value in samples(self.sized(figure), *run)]
            except (KeyError, ValueError, TypeError) as error:
                raise Failure(f"'{figure}' is not in what was printed ({error})") from None
            if not found:
                raise Failure(f"'{figure}' is not in what was printed")
            return found

        ours = [run for run, _ in pairs]
        record = {"name": row.name, **self.facts, "seconds": seconds,
                  "date": datetime.date.today().isoformat(),
                  "ours": {"command": row.ours} | summary(of(row.figure, ours))}
        if row.peer:
            theirs = [run for _, run in pairs] if row.peer_command else ours
            # With a program of its own a run is one sample, as ours beside it; else each trial.
            mine, other = record["ours"]["samples"], of(row.peer_figure or row.figure, theirs)
            if row.peer_command:
                mine, other = ([statistics.median(of(figure, [run])) for run in runs]
                               for figure, runs in ((row.figure, ours),
                                                    (row.peer_figure or row.figure, theirs)))
            record["ours"] |= summary(mine)
            record["peer"] = {"command": row.peer_command or row.ours} | summary(other)
            record["ratio"] = summary([a / b if row.more else b / a
                                       for a, b in zip(mine, other, strict=True)])
        target = self.records / f"{row.name}.json"
        target.with_suffix(".new").write_text(json.dumps(record, indent=1) + "\n")
        target.with_suffix(".new").rename(target)

    def build(self):
        """What tells builds apart, and how a person names them."""
        programs = [self.tool, self.tool.parent.parent / "bench/grappa-bench"]
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in programs if path.is_file()))
        version = self.execute([str(self.tool), "--version"]).stdout.strip()
        try:
            commit = self.execute(["git", "-C", str(self.source), "rev-parse", "--short", "HEAD"])
        except NotHere:  # an archive of the sources, on a machine without git
            return {"version": version, "digest": digest.hexdigest()[:16], "commit": ""}
        return {"version": version, "digest": digest.hexdigest()[:16],
                "commit": commit.stdout.strip()}


def summary(values):
    return {"samples": values, "median": statistics.median(values), "min": min(values),
            "max": max(values)}


def machine():
    information = Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", information)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {"processor": model[1] if model else platform.machine(),
            "processors": len(os.sched_getaffinity(0)), "memory_gib": round(memory),
            "kernel": platform.release()}


def say(text):
    print(f"benchmarks: {text}", file=sys.stderr, flush=True)
