"""What every ring needs: the signals a shell gives a foreground process, and time.

A shell that starts the tests in the background makes them ignore SIGINT, and every process they start inherits that;
the tests of Ctrl-C would then wait for something that cannot come. A generated example may take as long as it takes:
how fast a loaded machine is says nothing about the code.
"""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("any speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any speed")
