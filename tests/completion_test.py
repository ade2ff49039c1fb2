"""Completion in bash and zsh: what is offered is what the commands take.

bash is asked without a terminal: the script is loaded, and the words of a command line are handed to
its function. zsh is asked through a terminal of its own, where it is installed.
"""

import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

from cli_tool import SECONDS, ToolTest, clean_environment

ASK = r"""
source "$1"
compopt() { :; }    # belongs to a completion that a person has begun
while IFS= read -r line; do
  # As readline breaks a line into words; what ends in a blank is followed by an empty one.
  spaced=${line//=/ = } && spaced=${spaced//:/ : }
  read -ra COMP_WORDS <<<"$spaced"
  [[ $spaced == *' ' && $spaced != *[=:]' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _grappa
  printf '%s\n' "${COMPREPLY[*]}"
done
"""


class Completion(ToolTest):
    def setUp(self):
        super().setUp()
        for shell in ("bash", "zsh"):
            self.write(shell, self.succeed("completion", shell))

    def offers(self, *lines):
        """What bash offers at the end of each of these lines: a list of words each."""
        done = subprocess.run(["bash", "-c", ASK, "ask", self.folder / "bash"], cwd=self.folder,
                              env=clean_environment(), input="".join(f"{line}\n" for line in lines),
                              capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [line.split() for line in done.stdout.splitlines()]

    def offer(self, line):
        return self.offers(line)[0]


class Bash(Completion):
    def test_commands(self):
        self.assertEqual(self.offer("grappa bf"), ["bfs"])
        self.assertEqual(self.offer("./grappa pa"), ["pagerank"])
        listed = re.findall(r"(?m)^  ([a-z]+)  +\S", self.succeed("help"))
        self.assertGreater(len(listed), 15)
        self.assertEqual(sorted(self.offer("grappa ")), sorted(listed))
        self.assertEqual(sorted(self.offer("grappa help ")), sorted([*listed, "graphs"]))

    def test_options_are_those_of_the_help(self):
        listed = re.findall(r"(?m)^  ([a-z]+)  +\S", self.succeed("help"))
        commands = [name for name in listed if name not in ("bench", "completion", "help")]
        commands += ["bench gups", "bench uts"]
        for command, offered in zip(commands, self.offers(*(f"grappa {c} -" for c in commands))):
            shown = self.succeed(*command.split(), "--help")
            options = re.findall(r"(?m)^  (-\S+?)(?:, (-\S+))?(?: |$)", shown)
            options = [name for names in options for name in names if name]
            self.assertGreater(len(options), 20, command)
            self.assertEqual(sorted(offered), sorted(options), command)

    def test_an_option(self):
        self.assertEqual(self.offer("grappa bfs --so"), ["--source"])
        self.assertEqual(self.offer("grappa bfs g.txt --source 3 --loc"), ["--locales"])
        self.assertEqual(self.offer("grappa bench gups --tab"), ["--table"])

    def test_values(self):
        for line, words in (("grappa bfs --route ", "flat two-hop"),
                            ("grappa bfs --engine ", "direct sync async"),
                            ("grappa bfs --engine=s", "sync"),
                            ("grappa bfs g.txt --engine=", "direct sync async"),
                            ("grappa bfs --mpi o", "openmpi"),
                            ("grappa bfs --pin o", "on off"),
                            ("grappa convert --to mt", "mtx"),
                            ("grappa completion ", "bash zsh"),
                            ("grappa bfs --source ", "")):
            self.assertEqual(self.offer(line), words.split(), line)

    def test_benchmarks(self):
        self.assertEqual(self.offer("grappa bench gu"), ["gups"])
        listed = re.findall(r"(?m)^  ([a-z][a-z0-9-]*)  +\S", self.succeed("bench"))
        self.assertEqual(sorted(self.offer("grappa bench ")), sorted(listed))

    def test_files(self):
        for name in ("web.mtx", "web.txt.gz", "web.pdf", "notes.pdf"):
            self.write(name, "")
        (self.folder / "webs").mkdir()
        self.assertEqual(sorted(self.offer("grappa bfs we")), ["web.mtx", "web.txt.gz", "webs"])
        self.assertEqual(self.offer("grappa bfs --verify --source 3 web.m"), ["web.mtx"])
        self.assertEqual(self.offer("grappa bfs no"), ["notes.pdf"], "nothing else is there")
        self.assertEqual(self.offer("grappa bfs web.mtx we"), [], "one graph is enough")
        self.assertEqual(self.offer("grappa convert web.mtx not"), ["notes.pdf"])
        self.assertEqual(self.offer("grappa pagerank web.mtx --checkpoint we"), ["webs"])
        self.assertEqual(self.offer("grappa bfs kr"), ["kron:"])
        self.assertEqual(self.offer("grappa bfs kron:1"), [])


class Script(Completion):
    def test_another_shell_is_refused(self):
        self.assertIn("bash", self.refuse("completion", "fish"))
        self.assertIn("bash", self.refuse("completion"))


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(Completion):
    def setUp(self):
        super().setUp()
        self.write("web.mtx", "")

    def test_it_parses(self):
        done = subprocess.run(["zsh", "-n", self.folder / "zsh"], capture_output=True, text=True,
                              timeout=SECONDS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def start(self):
        process, self.terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            environment = clean_environment() | {"TERM": "dumb", "HOME": str(self.folder)}
            os.execvpe("zsh", ["zsh", "-f", "-i"], environment)
        self.addCleanup(os.waitpid, process, 0)
        self.addCleanup(os.close, self.terminal)

    def until(self, pattern):
        seen = ""
        end = time.monotonic() + SECONDS
        while not (found := re.search(pattern, seen)):
            self.assertGreater(end, time.monotonic(), f"no {pattern} in {seen!r}")
            if select.select([self.terminal], [], [], 1)[0]:
                seen += os.read(self.terminal, 4096).decode(errors="replace")
        return found

    def send(self, text):
        os.write(self.terminal, text.encode())

    def test_completes(self):
        self.start()
        self.send("PS1='' PS2=''; unsetopt zle_bracketed_paste beep; autoload -Uz compinit; "
                  "compinit -D -u; source ./zsh; print rea''dy\n")
        self.until("ready")
        for typed, completed in (("bf", "bfs"), ("bfs --so", "--source"), ("bfs --engine a", "async"),
                                 ("bfs --route=tw", "--route=two-hop"), ("bfs we", "web.mtx"),
                                 ("bench gu", "gups"), ("bench gups --tab", "--table")):
            # What is completed is printed by a command, and not echoed with what was typed.
            self.send("grappa() { print -r -- \"<$@>\" }; print o''k\n")
            self.until("ok")
            self.send(f"grappa {typed}\t\n")
            found = self.until(r"<([^>\r]*)>")[1].strip()
            self.assertTrue(found.endswith(completed), f"grappa {typed}<Tab>: {found}")
        self.send("exit\n")


if __name__ == "__main__":
    unittest.main()
