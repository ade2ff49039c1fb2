"""The package as a prefix for programs in C++: python -m grappa --cmake-dir."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import grappa

SOURCE = Path(os.environ.get("GRAPPA_SOURCE_DIR", Path(__file__).resolve().parents[2]))
IS_INSTALLED = list(Path(grappa.__file__).parent.glob("lib*/cmake"))


def cmake_folder():
    return subprocess.run([sys.executable, "-m", "grappa", "--cmake-dir"], capture_output=True,
                          text=True)


class CMake(unittest.TestCase):
    @unittest.skipUnless(IS_INSTALLED, "the package is not installed, but in the folder of a build")
    def test_a_program_is_built_with_it(self):
        folder = cmake_folder().stdout.strip()
        with tempfile.TemporaryDirectory() as build:
            for command in (["cmake", "-S", SOURCE / "tests/install", "-B", build, "-G", "Ninja",
                             f"-DGrappa_DIR={folder}", "-DCMAKE_BUILD_TYPE=Release"],
                            ["cmake", "--build", build], [Path(build, "outside")]):
                done = subprocess.run(command, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("counted 10000 of 10000", done.stdout)

    @unittest.skipIf(IS_INSTALLED, "the package is installed")
    def test_of_a_build_there_is_none(self):
        done = cmake_folder()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, "^grappa: the package in .* is not installed: .*\n$")


if __name__ == "__main__":
    unittest.main()
