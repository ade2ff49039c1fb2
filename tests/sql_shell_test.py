"""The shell of `grappa sql`, on a terminal of its own."""

import fcntl
import gzip
import itertools
import json
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

from cli_tool import SECONDS, TOOL, ToolTest, clean_environment

CTRL_C, CTRL_D, UP = b"\x03", b"\x04", b"\x1b[A"
PROMPT = "sql> "
# More rows than anybody waits for, of a table t with 100,000.
TABLE = ("create table d as select * from (values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) v(x);"
         "create table t as select a.x + 10 * b.x + 100 * c.x + 1000 * e.x + 10000 * f.x as x"
         " from d a, d b, d c, d e, d f;")
ENDLESS = {
    "cross join": "select count(*) from t a, t b, t c;",
    "condition": "select count(*) from t a join t b on a.x < b.x join t c on b.x < c.x;",
    "aggregation": "select a.x, b.x, count(*) from t a, t b, t c group by 1, 2;",
    "sort": "select a.x, b.x from t a, t b where a.x < 60 order by (a.x * b.x) % 7919, 1, 2;",
    "recursion": "with recursive r(n) as (select 1 union all select n + 1 from r) select max(n) from r;",
}
HAS_EDITOR = b"/libedit.so" in subprocess.run(["ldd", TOOL], capture_output=True, check=True).stdout


def shown(text):
    """What a terminal shows of it, without what moves the cursor."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()=>][0-9A-B]?|\r", "", text)


class Shell:
    """A session; used as a context, which ends it."""

    def __init__(self, test, *arguments, state=None):
        self.test = test
        end, other_end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 250, 0, 0))
        environment = clean_environment() | {"TERM": "xterm",
                                             "XDG_STATE_HOME": str(state or test.folder / "state")}
        self.process = subprocess.Popen([TOOL, "sql", *map(str, arguments)], cwd=test.folder,
                                        env=environment, stdin=other_end, stdout=other_end,
                                        stderr=other_end, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(other_end)
        self.terminal = end
        self.text = ""
        self.wait_for(PROMPT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=SECONDS)
        os.close(self.terminal)

    def read_some(self, seconds):
        """Whether something was read."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        try:
            piece = os.read(self.terminal, 65536)
        except OSError:  # the other end is closed
            piece = b""
        self.text += piece.decode(errors="replace")
        return bool(piece)

    def wait_for(self, what, seconds=SECONDS):
        """The text up to there, which is taken."""
        end = time.monotonic() + seconds
        while what not in shown(self.text):
            left = end - time.monotonic()
            if left <= 0 or not self.read_some(left):
                if what in shown(self.text):
                    break
                self.test.fail(f"{what!r} was expected, there is {shown(self.text)!r}")
        text = shown(self.text)
        at = text.index(what) + len(what)
        self.text = text[at:]
        return text[:at]

    def type(self, keys):
        os.write(self.terminal, keys if isinstance(keys, bytes) else keys.encode())

    def ask(self, line):
        """What is shown for it, until the next prompt."""
        self.type(line + "\n")
        self.wait_for(line + "\n")
        text = self.wait_for(PROMPT).removesuffix(PROMPT)
        return text.removeprefix(line + "\n")  # echoed twice where the editor was not ready

    def value(self, query):
        """The one value that it gives, in CSV."""
        return self.ask(query).splitlines()[-1]

    def end(self):
        """The status with which it has ended."""
        while self.read_some(SECONDS):
            pass
        return self.process.wait(timeout=SECONDS)

    def bytes_in_memory(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Sessions(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("people.csv", "name,age\nAnn,34\nBob,12\n")

    def test_statements(self):
        with Shell(self, "--output", "csv") as shell:
            self.assertEqual(shell.ask("create table t as select 1 as a, 'x;' as b;"), "")
            shell.type("select a -- one;\n")
            shell.wait_for("...> ")
            shell.type(", b\n")
            shell.wait_for("...> ")
            self.assertEqual(shell.ask("from t; select 7;"), "a,b\n1,x;\n7\n7\n")
            self.assertEqual(shell.ask(""), "")
            self.assertEqual(shell.ask("-- nothing"), "")
            shell.type(CTRL_D)
            self.assertEqual(shell.end(), 0)

    def test_box(self):
        with Shell(self) as shell:
            self.assertIn("│ Bob", shell.ask("select * from 'people.csv';"))

    def test_errors_end_nothing(self):
        with Shell(self, "--output", "csv") as shell:
            self.assertIn("grappa: 1:8: there is no column nme; did you mean name?\n"
                          "select nme from 'people.csv';\n       ^\n",
                          shell.ask("select nme from 'people.csv';"))
            self.assertIn("grappa: 1:10: expected", shell.ask("select 1 select 2;"))
            self.assertIn("none.csv: cannot open", shell.ask("select * from 'none.csv';"))
            self.assertIn("division by zero", shell.ask("select 1 / 0;"))
            self.assertIn("no such command; the nearest is .tables", shell.ask(".table"))
            self.assertIn(".mode: auto, box, csv", shell.ask(".mode xml"))
            self.assertEqual(shell.value("select 2;"), "2")

    def test_commands(self):
        with Shell(self, "--table", "p=people.csv") as shell:
            shell.ask("create table t (a int, \"b c\" text);")
            self.assertEqual(shell.ask(".mode csv"), "")
            self.assertEqual(shell.ask(".tables"), "name\np\nt\n")
            self.assertEqual(shell.ask(".schema"), "CREATE TABLE t (a integer, \"b c\" varchar);\n"
                                                   "CREATE VIEW p AS SELECT * FROM 'people.csv';\n")
            self.assertEqual(shell.ask(".schema T"), "CREATE TABLE t (a integer, \"b c\" varchar);\n")
            self.assertIn("there is no table or view x", shell.ask(".schema x"))
            self.assertEqual(shell.ask(".timer on"), "")
            self.assertRegex(shell.ask("select 1;"), r"^1\n1\nTime: \d\.\d{3} s\n$")
            self.assertEqual(shell.ask(".timer off"), "")
            for command in (".help", ".mode", ".output", ".quit", ".read", ".schema", ".tables", ".timer"):
                self.assertIn(command, shell.ask(".help"))
            self.assertEqual(shell.ask(".mode json"), "")
            self.assertEqual(json.loads(shell.ask("select name from p where age > 20;")), [{"name": "Ann"}])
            shell.type(".quit\n")
            self.assertEqual(shell.end(), 0)

    def test_output(self):
        with Shell(self) as shell:
            shell.ask(".output out.csv")
            self.assertEqual(shell.ask("select 1 as a; select 2 as b;"), "")
            shell.ask(".output")
            self.assertEqual((self.folder / "out.csv").read_text(), "a\n1\nb\n2\n")
            shell.ask(".output none.csv")
            shell.ask("select 1 as a;")
            self.assertIn("none.csv: is not written", shell.ask("select 1 / 0;"))
            self.assertIn("no/such.csv", shell.ask(".output no/such.csv"))
            shell.ask(".output last.csv")
            shell.ask("select 3 as c;")
            shell.type(CTRL_D)
            self.assertEqual(shell.end(), 0)
        self.assertEqual((self.folder / "last.csv").read_text(), "c\n3\n")
        self.assertFalse((self.folder / "none.csv").exists())

    def test_output_over_what_was_read(self):
        with Shell(self) as shell:
            before = (self.folder / "people.csv").read_text()
            shell.ask(".output people.csv")
            self.assertEqual(shell.ask("select 1; select * from 'people.csv';"), "")
            self.assertIn(".output: people.csv is what is read", shell.ask(".output"))
            self.assertIn(".output: people.csv is what is read", shell.ask(".output people.csv"))
            self.assertIn("2", shell.ask("select 2;"))
        self.assertEqual((self.folder / "people.csv").read_text(), before)

    def test_read(self):
        self.write("deep.sql", "select 4 as d")
        self.write("all.sql", ".mode csv\nselect 1 as a;\nselect\n 2 as b; select nothing;\n"
                              ".read deep.sql\n.read loop.sql\nselect 5 as e")
        self.write("loop.sql", ".read loop.sql\n")
        with Shell(self) as shell:
            text = shell.ask(".read all.sql")
            self.assertEqual(re.findall(r"(?m)^\w$", text), list("a1b2d4e5"))
            self.assertIn("there is no column nothing", text)
            self.assertIn(".read: more than 20 files within files", text)
            self.assertIn("none.sql", shell.ask(".read none.sql"))

    def test_history(self):
        for keys in (b"", UP, UP + UP):
            with Shell(self, "--output", "csv") as shell:
                if not HAS_EDITOR:
                    self.skipTest("without libedit")
                if not keys:
                    shell.ask("select 11 as a;")
                    shell.type("select\n")
                    shell.wait_for("...> ")
                    shell.ask("22 as b;")
                else:
                    shell.type(keys + b"\n")
                    shell.wait_for({UP: "b\n22\n", UP + UP: "a\n11\n"}[keys])
                    shell.wait_for(PROMPT)
                shell.type(CTRL_D)
                self.assertEqual(shell.end(), 0)
            history = self.folder / "state/grappa/sql_history"
            self.assertEqual(history.read_text().splitlines()[:2], ["select 11 as a;", "select 22 as b;"])
            self.assertEqual(history.stat().st_mode & 0o777, 0o600)
            if keys == UP:  # one that was asked again is the last one
                history.write_text("select 11 as a;\nselect 22 as b;\n")

    def test_without_a_place_for_the_history(self):
        (self.folder / "file").write_text("")
        with Shell(self, "--output", "csv", state=self.folder / "file/below") as shell:
            self.assertEqual(shell.value("select 1;"), "1")

    def test_completion(self):
        if not HAS_EDITOR:
            self.skipTest("without libedit")
        with Shell(self, "--output", "csv") as shell:
            shell.type("selec\t max(age) from 'peop\t;\n")
            self.assertIn("34", shell.wait_for("34\n"))
            shell.wait_for(PROMPT)
            shell.type("select nam\t from 'people.csv' order by ag\t limit 1;\n")
            shell.wait_for("name\nBob\n")

    def test_ctrl_c_at_the_prompt(self):
        with Shell(self, "--output", "csv") as shell:
            shell.type("select 1,")
            time.sleep(0.2)
            shell.type(CTRL_C)
            shell.wait_for(PROMPT)
            shell.type("select 2,\n")
            shell.wait_for("...> ")
            shell.type(CTRL_C)
            shell.wait_for(PROMPT)
            self.assertEqual(shell.value("select 3 as a;"), "3")

    def test_waiting_costs_nothing(self):
        for machine in (("--cores", 2), ("--locales", 4)):
            with Shell(self, *machine) as shell:
                shell.ask("select 1;")
                time.sleep(0.5)
                before = shell.processor_seconds()
                time.sleep(2)
                self.assertLessEqual(shell.processor_seconds() - before, 0.05)
                self.assertIn("1", shell.ask("select 1;"))

    def test_what_needs_a_query(self):
        end, other_end = pty.openpty()
        for arguments in (("-o", "x.csv"), ("--analyze",), ("--trials", "3")):
            result = subprocess.run([TOOL, "sql", *arguments], cwd=self.folder, stdin=other_end,
                                    stdout=other_end, stderr=subprocess.PIPE, timeout=SECONDS, check=False)
            self.assertEqual(result.returncode, 2)
            self.assertIn(b"need a query", result.stderr)
        os.close(end)
        os.close(other_end)

    def test_without_a_terminal(self):
        self.assertEqual(self.succeed("sql", input="select 1 as a;\nselect 2 as b"), "a\n1\nb\n2\n")
        self.assertIn("1:8: there is no column x", self.run_tool("sql", input="select x").stderr)


class Cancelling(ToolTest):
    MACHINES = (("--cores", 2), ("--locales", 4), ("--locales", 4, "--simulation-mode", "deterministic"))

    def cancel(self, shell, query, after):
        """The seconds that it takes."""
        shell.type(query + "\n")
        shell.wait_for("\n")
        time.sleep(after)
        start = time.monotonic()
        shell.type(CTRL_C)
        text = shell.wait_for(PROMPT)
        self.assertIn("grappa: cancelled", text)
        return time.monotonic() - start

    def test_queries(self):
        moments = random.Random(7)
        for machine in self.MACHINES:
            with self.subTest(machine), Shell(self, "--output", "csv", "-q", *machine) as shell:
                shell.ask(TABLE)
                seconds = []
                memory = []
                for _ in range(3):
                    for query in ENDLESS.values():
                        seconds.append(self.cancel(shell, query, moments.uniform(0, 0.4)))
                        self.assertEqual(shell.value("select sum(x) from t;"), "4999950000")
                    memory.append(shell.bytes_in_memory())
                # Most within 100 ms, but others may use the machine.
                self.assertLess(sorted(seconds)[len(seconds) // 2], 0.3)
                self.assertLess(max(seconds), 5)
                # Blocks of 256 MiB in all wait for the next query (query/exec/block_memory.hpp).
                self.assertLess(memory[2], memory[0] + (256 + 64) * 2**20)

    def test_loading(self):
        text = b"a,b,c\n" + b"1234567,abcdefgh,1.5\n" * 8_000_000
        self.write("big.csv", text)
        self.write("big.csv.gz", gzip.compress(text, 1))
        for machine, name in itertools.product(self.MACHINES[:2], ("big.csv", "big.csv.gz")):
            with self.subTest(machine, file=name), Shell(self, "--output", "csv", "-q", *machine) as shell:
                self.cancel(shell, f"select count(*) from '{name}';", 0.02)
                self.assertEqual(shell.value(f"select count(*) from '{name}';"), "8000000")

    def test_statements_change_nothing(self):
        for machine in self.MACHINES[:2]:
            with self.subTest(machine), Shell(self, "--output", "csv", "-q", *machine) as shell:
                shell.ask(TABLE)
                for statement in (f"create table u as {ENDLESS['cross join']}", f"insert into t {ENDLESS['cross join']}"):
                    self.cancel(shell, statement, 0.2)
                self.assertEqual(shell.ask("show tables;"), "name\nd\nt\n")
                self.assertEqual(shell.value("select count(*) from t;"), "100000")

    def test_files_that_are_read(self):
        self.write("long.sql", "select 1 as one;\n" + ENDLESS["cross join"] + "\nselect 2 as two;\n")
        with Shell(self, "--output", "csv", "-q") as shell:
            shell.ask(TABLE)
            shell.type(".read long.sql\n")
            shell.wait_for("one\n1\n")
            time.sleep(0.2)
            shell.type(CTRL_C)
            text = shell.wait_for(PROMPT)
            self.assertIn("grappa: cancelled", text)
            self.assertNotIn("two", text)

    def test_outside_of_the_shell(self):
        self.write("endless.sql", TABLE + ENDLESS["cross join"])
        process = subprocess.Popen([TOOL, "sql", "-f", "endless.sql"], cwd=self.folder, env=clean_environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=SECONDS), (b"", b"grappa: interrupted\n"))
        self.assertEqual(process.returncode, 130)


class Waiting(ToolTest):
    """The line that shows how far a long query has come."""

    def test_shown_and_wiped(self):
        with Shell(self, "--output", "csv") as shell:
            shell.ask(TABLE)
            shell.type(ENDLESS["condition"] + "\n")
            self.assertRegex(shell.wait_for(" %"), r"grappa: query, 2\.\d s +\d+ %")
            shell.type(CTRL_C)
            while "cancelled" not in shell.text:
                shell.read_some(SECONDS)
            self.assertRegex(shell.text, r"\r\x1b\[Kgrappa: cancelled")

    def test_not_when_quiet(self):
        with Shell(self, "--output", "csv", "-q") as shell:
            shell.ask(TABLE)
            shell.type(ENDLESS["condition"] + "\n")
            time.sleep(3)
            shell.type(CTRL_C)
            self.assertNotIn("query,", shell.wait_for("cancelled"))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
