"""Who may come in at a server, and what nobody can do to it, in bytes that no client sends."""

import importlib
import importlib.util
import json
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np

import grappa as gp
from grappa.serving import addresses, frames, greeting, operations, values

sys.path.insert(0, str(Path(__file__).parent))
from server_process import TOKEN, Server, ask  # noqa: E402

ENVIRONMENT = {**os.environ, "GRAPPA_TOKEN": TOKEN}


def call(operation, *arguments, dropped=()):
    return ["call", operation, list(arguments), list(dropped)]


class Strangers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(env=ENVIRONMENT)
        cls.addClassCleanup(cls.server.end)

    def setUp(self):
        self.server._said.clear()
        self.addCleanup(self.lives)

    def lives(self):
        with self.server.connect() as cluster:
            self.assertEqual(len(cluster.kron(3)), 8)
        self.assertIsNone(self.server.process.poll())

    def open(self, admitted=True):
        made = self.server.raw(admitted)
        self.addCleanup(made.close)
        return made

    # ---- before the token

    def test_a_wrong_token_is_refused_and_logged(self):
        with self.assertRaisesRegex(PermissionError, "another token"):
            gp.connect(self.server.address, token="the token of somebody else")
        self.server.wait_for(r"refused 127\.0\.0\.1:\d+: wrong token")

    def test_a_stranger_is_refused_and_logged(self):
        for said in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02" * 100, b"\0" * 1000,
                     b"a" * 100_000, b"\n", b"0 " + b"0" * 64 + b"\n"):
            self.server._said.clear()
            stranger = self.open(admitted=False)
            stranger.sendall(said)
            self.server.wait_for(r"refused 127\.0\.0\.1:\d+: no client of Grappa")

    def test_who_says_nothing_or_drips_is_refused_in_time(self):
        for drip in (b"", b"a"):
            self.server._said.clear()
            stranger = self.open(admitted=False)
            start = time.monotonic()
            while time.monotonic() < start + 7 and "refused" not in self.server.said():
                try:
                    stranger.sendall(drip)
                except OSError:
                    break
                time.sleep(0.2)
            self.server.wait_for(r"refused 127\.0\.0\.1:\d+: silence", 1)

    def test_more_connections_than_there_may_be(self):
        strangers = [self.open(admitted=False) for _ in range(260)]
        self.server.wait_for("refused .*: 256 connections are open", 4)
        for stranger in strangers:
            stranger.close()
        end = time.monotonic() + 10
        while self.server.said().count("refused") < 260 and time.monotonic() < end:
            time.sleep(0.01)

    def test_a_proof_is_good_for_one_connection(self):
        said = []

        class Recorder(socket.socket):
            def sendall(self, data):
                said.append(data)
                super().sendall(data)

        with Recorder() as first:
            first.connect(addresses.parse(self.server.address))
            greeting.enter(first, TOKEN, 20)
        again = self.open(admitted=False)
        again.sendall(said[0])
        self.server.wait_for("refused .* wrong token")
        self.assertNotIn(TOKEN.encode(), b"".join(said))

    def test_a_server_without_the_token_is_no_server(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        for answers, kind in (([b"grappa/1 " + b"0" * 64 + b"\n", b"ok " + b"0" * 64 + b"\n"],
                               PermissionError), ([b"SSH-2.0-OpenSSH\r\n"], ConnectionError),
                              ([b""], ConnectionError)):
            with self.subTest(answers=answers):
                def answer(answers=answers):
                    with listener.accept()[0] as connection:
                        for each in answers:
                            connection.sendall(each)
                        connection.recv(1000)

                thread = threading.Thread(target=answer)
                thread.start()
                with self.assertRaises(kind):
                    gp.connect("127.0.0.1:%d" % listener.getsockname()[1], token=TOKEN, timeout=2)
                thread.join()

    def test_only_the_interface_that_is_named_is_open(self):
        port = addresses.parse(self.server.address)[1]
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port), 5)

    # ---- with the token

    def test_bytes_that_are_no_message(self):
        chance = random.Random(1)
        prefix = struct.Struct(">4sQIQ")
        mark = frames.packed(1, None)[0][:4]
        wrong = [chance.randbytes(1000), prefix.pack(b"none", 1, 0, 0),
                 prefix.pack(mark, 1, 1 << 31, 0)]
        for text in (b"", b"{", b"nonsense", b"[" * 100_000, b'"\xff"', b"null", b"1e999", b"{}", b"[]",
                     b'{"array": ["<f8", [1000], 0]}', b'{"array": ["<f8", [-1], 0]}',
                     b'{"array": ["O", [1], 0]}', b'{"array": 1}', b'{"tuple": 1}', b'{"handle": -1}',
                     b'{"handle": [1]}', b'{"texts": []}', b'{"dict": [1]}', b'{"dict": [[[], 1]]}',
                     b'{"other": 1}', b'{"a": 1, "b": 2}', b'["call"]', b'["call", [], [], []]',
                     b'["call", "__import__", ["os"], []]', b'["call", "nothing", [], ["x"]]',
                     b'["call", "nothing", {}, []]', b'["cancel", 1]', b"9" * 5000):
            wrong.append(prefix.pack(mark, 1, len(text), 0) + text)
        for bytes_ in wrong:
            client = self.open()
            client.sendall(bytes_)
            client.settimeout(20)
            try:
                self.assertEqual(client.recv(1000), b"", bytes_)
            except ConnectionResetError:  # it has not read all of it
                pass

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "needs pyarrow")
    def test_arrays_are_streams_of_arrow(self):
        pyarrow = importlib.import_module("pyarrow.ipc")
        for dtype in values.DTYPES:
            for count in (0, 1, 7, 64, 1000):
                array = np.arange(count).astype(dtype)
                _, pieces = values.packed(array)
                stream = b"".join(pieces)
                self.assertEqual(len(stream) % 64, 0)
                table = pyarrow.open_stream(stream).read_all()
                table.validate(full=True)
                self.assertEqual(table.column_names, ["values"])
                self.assertEqual(table["values"].to_pylist(), array.tolist(), dtype)

    def test_values_go_and_come_back(self):
        for value in (None, True, -7, 1 << 80, 0.1, float("inf"), "ö\udcff", b"\0\xff", (1, "a", ()), [],
                      {"a": 1, 2: (None,)}, [str(i) + "ä\udc80" for i in range(100)], values.Handle(3)):
            text, pieces = values.packed(value)
            back = values.unpacked(text, np.frombuffer(b"".join(pieces), np.uint8))
            self.assertEqual((back, type(back)), (value, type(value)))
        for array in (np.zeros((3, 0)), np.arange(6).reshape(2, 3)[:, ::-1], np.arange(9)[::2],
                      np.arange(5).astype(">i4"), np.array([True, False])):
            text, pieces = values.packed([array, array])
            for back in values.unpacked(text, np.frombuffer(b"".join(pieces), np.uint8)):
                self.assertEqual((back.shape, back.dtype.itemsize), (array.shape, array.dtype.itemsize))
                self.assertTrue((back == array).all())
        for wrong in (object(), np.array([None]), {1j: 1}, np.array(["a"])):
            with self.assertRaises(TypeError):
                values.packed(wrong)

    def test_half_a_message(self):
        client = self.open()
        client.sendall(frames.packed(1, call("nothing"))[0][:-3])
        client.close()
        self.server.wait_for("has left: the other side has closed")

    def test_mutated_messages(self):
        chance = random.Random(2)
        good = b"".join(frames.packed(1, call("run_query", "select * from t", [
            ("t", 2, [("x", "bigint", np.arange(2), None),
                      ("s", "text", (np.array([0, 1, 2]), np.frombuffer(b"ab", np.uint8)), None)])],
            0)))
        for _ in range(300):
            bad = bytearray(good)
            for _ in range(chance.randrange(1, 4)):
                bad[chance.randrange(24, len(bad))] = chance.randrange(256)
            client = self.open()
            client.sendall(bad)
            client.shutdown(socket.SHUT_WR)
            while client.recv(1 << 16):
                pass

    def test_more_data_than_there_is_room_for(self):
        client = self.open()
        text = json.dumps(call("nothing")).encode()
        client.sendall(struct.pack(">4sQIQ", frames._MARK, 1, len(text), 1 << 60) + text + b"0" * 1000)
        time.sleep(0.3)
        words = Path(f"/proc/{self.server.process.pid}/statm").read_text().split()
        self.assertLess(int(words[1]) * os.sysconf("SC_PAGESIZE"), 4 << 30)

    def test_what_there_is_no_room_for_is_passed_over(self):
        one, other = socket.socketpair()
        room, frames._room = frames._room, lambda: 1400
        self.addCleanup(setattr, frames, "_room", room)
        with one, other:
            for number, size in ((1, 200), (2, 100)):
                frames.send(one, frames.packed(number, np.zeros(size)))
            with self.assertRaises(frames.TooLarge) as raised:
                frames.receive(other)
            self.assertEqual((raised.exception.number, isinstance(raised.exception, MemoryError)), (1, True))
            self.assertEqual(len(frames.receive(other)[1]), 100)

    def test_two_calls_at_once(self):
        client = self.open()
        busy = call("run_query", "select count(*) from range(100000000) t(x)", [], 0)
        client.sendall(b"".join(b"".join(frames.packed(n, busy)) for n in range(3)))
        self.server.wait_for("a call before the answer to the last one|has left")

    def test_arguments_that_no_client_gives(self):
        client = self.open()
        handle = ask(client, 1, call("make_array", "int64", 10))[1][1]
        large = ask(client, 2, call("make_array", "int64", 1000))[1][1]
        chosen = ask(client, 3, call("array_indices", large, np.array([999])))[1][1]
        text = np.frombuffer(b"ab", np.uint8)
        wrong = [call("array_read", handle, 0, 1, 11, "int64"), call("array_read", handle, 9, 2, 2, "int64"),
                 call("array_read", handle, 1, 1 << 61, 9, "int64"),
                 call("array_read", handle, -1, 1, 1, "int64"), call("array_read", handle, 0, 1, 1, "O"),
                 call("array_read", handle, 0, 1, 10, "float32"), call("array_gather", handle, "int64"),
                 call("array_update", handle, "add", 5, 1, 6, np.arange(1)),
                 call("array_update", handle, "add", 0, 1, 10, np.arange(9)),
                 call("array_scatter", chosen, "add", np.arange(2)),
                 call("array_scatter", chosen, "nonsense", np.arange(1)),
                 call("array_histogram", handle, np.array([3.0])), call("array_sort", values.Handle(99)),
                 call("array_sort", chosen), call("array_sort", 1), call("graph_edges", handle),
                 call("make_array", "int64", -1), call("make_array", "object", 1),
                 call("graph_of_edges", np.arange(3), np.arange(3), None, 2, True),
                 call("graph_of_edges", np.arange(3), np.arange(2), None, 3, True),
                 call("graph_of_edges", np.arange(3), np.arange(3), np.ones(2), 3, True),
                 call("graph_of_rows", np.array([0, 5, 3]), np.arange(3), None, True, False),
                 call("graph_of_edges", np.zeros((2, 2), int), np.zeros((2, 2), int), None, 3, True),
                 call("run_query", "select * from t", [("t", 2, [("s", "text", (
                     np.array([0, 1, 1000]), text), None)])], 0),
                 call("run_query", "select * from t", [("t", 2, [("s", "text", (
                     np.array([0, 2, 1]), text), None)])], 0),
                 call("run_query", "select * from t", [("t", 1000, [("x", "bigint", np.arange(2), None)])], 0),
                 call("run_query", 7, [], 0), call("run_query"), call("nothing", 1), call("kmeans", 1, 2),
                 call("kmeans", np.ones((3, 2)), 0, "", None, 0, 1, 0.0),
                 call("kmeans", np.ones((3, 2)), 2, "", np.ones((2, 3)), 0, 1, 0.0),
                 call("read_graph", "no such file", "", None, 1),
                 call("run_datalog", ".decl s(x: symbol)", ".", [("s", 2, [("x", "text", (
                     np.array([0, 2, 1]), text), None)])], [0])]
        for number, each in enumerate(wrong, 4):
            answer = ask(client, number, each)
            self.assertEqual((answer[0], answer[1][0]), (number, "failed"), each)
        self.assertEqual(ask(client, 1000, call("array_read", handle, 0, 1, 10, "int64"))[1][1].sum(), 0)

    def test_objects_are_of_one_client_alone(self):
        first, second = self.open(), self.open()
        handle = ask(first, 1, call("make_array", "int64", 10))[1][1]
        self.assertEqual(ask(second, 1, call("array_sort", handle))[1][0], "failed")

    def test_the_kernels_help_is_the_tools(self):
        client = self.open()
        graph = ask(client, 1, call("read_graph", "grid:2x2", "", None, 1))[1][1][0]
        for words in (["--help"], ["-h"], ["--nonsense"], [1], None):
            self.assertEqual(ask(client, 2, call("graph_run", graph, "cc", words, False))[1][0], "failed")

    def test_what_can_be_asked_for_is_known(self):
        self.assertTrue(all(name.isidentifier() and not name.startswith("_") for name in operations.ALL))
        self.assertNotIn("pickle", "".join(path.read_text() for path in
                                           Path(operations.__file__).parent.glob("*.py")))


class Command(unittest.TestCase):
    def serve(self, *words, **environment):
        made = {name: text for name, text in os.environ.items() if name != "GRAPPA_TOKEN"}
        done = subprocess.run([sys.executable, "-m", "grappa", "serve", *words], timeout=60, text=True,
                              capture_output=True, env={**made, **environment})
        return done.returncode, done.stdout, done.stderr

    def test_what_is_wrong_is_one_line(self):
        for words, environment, said in (
                (["--listen", "1.2.3.4:0"], {}, "1.2.3.4:0: "), (["--listen", "a:b:c"], {}, "no address"),
                ([], {"GRAPPA_TOKEN": "short"}, "at least 16 characters"),
                (["--token-file", "/none"], {}, "/none"), (["--memory", "much"], {}, "no size"),
                (["--cores", "0"], {}, "cores")):
            status, out, err = self.serve(*words, **environment)
            self.assertEqual((status, out, err.count("\n")), (2, "", 1), err)
            self.assertIn(said, err)
        self.assertEqual(self.serve("--nonsense")[0], 2)
        self.assertIn("--token-file", self.serve("--help")[1])

    def test_a_taken_port(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            status, _, err = self.serve("--listen", "127.0.0.1:%d" % taken.getsockname()[1])
        self.assertEqual((status, "in use" in err), (2, True), err)

    def test_a_token_is_made_and_printed_once(self):
        made = {name: text for name, text in os.environ.items() if name != "GRAPPA_TOKEN"}
        server = Server(env=made)
        self.assertGreaterEqual(len(server.token), 24)
        with server.connect() as cluster:
            self.assertEqual(cluster.cores, server.cores)
        server.end()
        self.assertNotIn(server.token, server.said())

    def test_a_token_of_a_file(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(TOKEN + "\n")
            file.flush()
            server = Server("--token-file", file.name)
            self.addCleanup(server.end)
            server.connect().close()

    def test_what_connect_refuses(self):
        for address, token, kind in (("host:port", TOKEN, ValueError), ("localhost:1", "short", ValueError),
                                     ("localhost:1", TOKEN, ConnectionError)):
            with self.assertRaises(kind):
                gp.connect(address, token=token)
        before = os.environ.pop("GRAPPA_TOKEN", None)
        try:
            with self.assertRaisesRegex(ValueError, "GRAPPA_TOKEN"):
                gp.connect("localhost:1")
        finally:
            if before:
                os.environ["GRAPPA_TOKEN"] = before


if __name__ == "__main__":
    unittest.main()
