"""Functions that tests run in other processes, which import this module."""

from __future__ import annotations

import os
import time

from isthmus_bench.speed.gpu.processes import READY


def count(argument, send):
    for number in range(argument):
        send(READY)
        send(number)


def stop_answering(argument, send):
    send(1)
    send(READY)
    time.sleep(60)


def end_badly(argument, send):
    if argument == "exit":
        os._exit(3)
    raise KeyError("no\nsuch key")
