"""Apache Kafka of a test's own: one process in KRaft mode, from Maven's jars."""

from __future__ import annotations

import base64
import fcntl
import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from pathlib import Path

from tests.kit.brokers import NoBrokerError, create, drop, wait_ready

ROOT = Path(__file__).resolve().parents[2]
POM = ROOT / "ops" / "kafka" / "pom.xml"
VERSION = "4.1.2"

SHORT_LIVED = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
"""For a Java that lives for minutes: what the second compiler would win, it takes first."""

CONFIG = """\
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs={data}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=4000
"""

LOGGING = """\
rootLogger.level=warn
rootLogger.appenderRef.out.ref=out
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=%d %p %c{1}: %m%n
"""


class Apache:
    """Apache Kafka in KRaft mode: one process, broker and controller, in a directory of its own, on loopback."""

    full = True
    durable = True
    described = f"Apache Kafka {VERSION} (KRaft, jars by Maven)"

    def __init__(self, jars: Path, directory: Path) -> None:
        self._directory = directory
        self._java = [_java(), "-cp", f"{jars}/*"]
        port, controller = _free_ports(2)
        self.bootstrap = f"127.0.0.1:{port}"
        self._config = directory / "server.properties"
        self._config.write_text(CONFIG.format(port=port, controller=controller, data=directory / "data"))
        self._logging = directory / "log4j2.properties"
        self._logging.write_text(LOGGING)
        self._process: subprocess.Popen[bytes] | None = None
        self._tool("format", "--standalone", "-t", _cluster_id(), "-c", str(self._config))

    def _tool(self, *arguments: str) -> str:
        log = f"-Dlog4j2.configurationFile={self._logging}"
        command = [*self._java, *SHORT_LIVED, log, "kafka.tools.StorageTool", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode != 0:
            raise NoBrokerError(f"{arguments[0]}: {done.stdout}{done.stderr}")
        return done.stdout

    def make_topics(self, prefix: str) -> int:
        """As our own command does."""
        return create(self.bootstrap, prefix)

    def drop_topics(self, prefix: str) -> None:
        """All under the prefix."""
        drop(self.bootstrap, prefix)

    def start(self) -> None:
        """Start on the same directory and ports as before; returns when it answers."""
        heap = ["-Xmx512M", f"-Dlog4j2.configurationFile={self._logging}"]
        command = [*_dies_with_us(), *self._java, *SHORT_LIVED, *heap, "kafka.Kafka", str(self._config)]
        with (self._directory / "broker.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        wait_ready(self.bootstrap, self._check_alive)

    def _check_alive(self) -> None:
        if self._process is None or self._process.poll() is not None:
            raise NoBrokerError(f"the broker ended: {(self._directory / 'broker.log').read_text()[-2000:]}")

    def kill(self) -> None:
        """kill -9."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=30)


def fetch_jars() -> Path:
    """The directory with the broker's jars, fetched by Maven the first time, outside the repository."""
    cache = Path(os.environ.get("STILLTRUE_CACHE") or Path.home() / ".cache" / "stilltrue")
    jars = cache / f"kafka-{VERSION}"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"kafka-{VERSION}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if jars.exists():
            return jars
        with tempfile.TemporaryDirectory(prefix="fetch-", dir=cache) as scratch:
            shutil.copy(POM, scratch)
            fetched = Path(scratch) / "jars"
            goal = ["dependency:copy-dependencies", f"-DoutputDirectory={fetched}", "-DincludeScope=runtime"]
            done = subprocess.run(
                ["mvn", "-B", "-q", *goal], cwd=scratch, capture_output=True, text=True, check=False, timeout=900
            )
            if done.returncode != 0:
                raise NoBrokerError(f"Maven could not fetch the broker's jars: {done.stdout[-2000:]}{done.stderr}")
            fetched.rename(jars)
    return jars


def _cluster_id() -> str:
    """As Kafka's own tool makes one, which takes a Java of its own: a UUID in base64 that is no option."""
    while True:
        made = base64.urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
        if not made.startswith("-"):
            return made


def _java() -> str:
    found = shutil.which("java")
    assert found is not None, "checked before"
    return found


def _dies_with_us() -> list[str]:
    """Where the system can, the broker is killed with the test process, however that ends."""
    return ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
