"""The real time, for a server whose tests freeze the time of their program."""

import datetime
import time
from typing import TypeAlias


class RealTime:
    """The functions and the class of the standard library, whoever replaces them in modules.

    freezegun replaces attributes of modules, and none of classes. The package imports this
    module first, so that all others may be imported while time is frozen.
    """

    perf_counter = time.perf_counter
    time_ns = time.time_ns
    sleep = time.sleep
    Datetime: TypeAlias = datetime.datetime
