"""How many heaps the threads of a server use: malloc itself is asked, in a process of its own."""

import platform
import subprocess
import sys

import pytest

COUNT_HEAPS = """
import ctypes, sys, tempfile, threading
from trackdown.index import share_heaps

if "share" in sys.argv:
    share_heaps()
libc, gate = ctypes.CDLL(None), threading.Barrier(12)
libc.malloc.restype, libc.fopen.restype = ctypes.c_void_p, ctypes.c_void_p


def work():
    gate.wait()
    libc.malloc(1000)
    gate.wait()


threads = [threading.Thread(target=work) for _ in range(12)]
[one.start() for one in threads]
[one.join() for one in threads]
with tempfile.NamedTemporaryFile() as file:
    stream = ctypes.c_void_p(libc.fopen(file.name.encode(), b"w"))
    libc.malloc_info(0, stream)
    libc.fclose(stream)
    print(file.read().count(b"<heap nr="))
"""


def heaps(*words: str) -> int:
    """The heaps of a process with twelve threads."""
    command = [sys.executable, "-c", COUNT_HEAPS, *words]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="malloc is not glibc's")
def test_threads_share_two_heaps() -> None:
    assert heaps() > 2
    assert heaps("share") == 2
