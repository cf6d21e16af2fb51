"""What every ring needs: the signals a shell gives a foreground process.

A shell that starts the tests in the background makes them ignore SIGINT, and every process they start inherits that;
the tests of Ctrl-C would then wait for something that cannot come.
"""

from __future__ import annotations

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
