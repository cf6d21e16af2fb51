"""A broker for tests: an existing one, Apache Kafka from Maven's jars, or librdkafka's emulation. Never none.

``STILLTRUE_KAFKA`` chooses: ``host:port`` uses that broker; ``apache`` insists on Apache Kafka (continuous integration
does); ``mock`` takes the emulation. Unset: Apache Kafka where ``java`` and ``mvn`` are, else the emulation. Which one
it was stands in pytest's summary. See ops/adr/0015.
"""

from __future__ import annotations

import asyncio
import base64
import fcntl
import logging
import os
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

from ops.distributed import STAGES
from ops.kafka.admin import admin, create_topics
from ops.kafka.topics import wanted, wanted_steps
from schemas.topics import TOPICS

ROOT = Path(__file__).resolve().parents[2]
POM = ROOT / "ops" / "kafka" / "pom.xml"
VERSION = "4.1.2"
READY_S = 180.0

PARTITIONS = 4
"""Of every topic, as the emulation has it: enough to be shared by two workers and a third."""

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


class Broker(Protocol):
    """A running broker.

    ``full``: it is Apache Kafka or as good: it creates, configures and deletes topics and has transactions.
    ``durable``: it is ours to kill, and comes back with what it had acknowledged.
    """

    bootstrap: str
    described: str
    full: bool
    durable: bool

    def make_topics(self, prefix: str) -> int:
        """Make all topics under a prefix no one has used; returns their number of partitions."""
        ...

    def drop_topics(self, prefix: str) -> None:
        """Delete those that were made: a broker with a thousand partitions is slow to come back."""
        ...

    def kill(self) -> None: ...
    def start(self) -> None: ...


class NoBrokerError(RuntimeError):
    """No broker could be had. The message says what was tried."""


class Existing:
    """Somebody's broker: used, never stopped. Tests keep to topics under prefixes of their own."""

    full = True
    durable = False

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self.described = f"the broker at {bootstrap} (STILLTRUE_KAFKA)"
        self.start()

    def start(self) -> None:
        """Wait until it answers."""
        wait_ready(self.bootstrap, lambda: None)

    def make_topics(self, prefix: str) -> int:
        """As our own command does."""
        return _create(self.bootstrap, prefix)

    def drop_topics(self, prefix: str) -> None:
        """All under the prefix."""
        _drop(self.bootstrap, prefix)

    def kill(self) -> None:
        """Not ours to kill."""
        raise NoBrokerError("an existing broker is not killed")


class Mock:
    """librdkafka's emulation, in this process. It makes topics by itself and keeps nothing."""

    full = False
    durable = False
    described = "librdkafka's mock cluster, NOT Apache Kafka (that needs java and mvn): some tests cannot run on it"

    def __init__(self) -> None:
        self._owner = Producer({"test.mock.num.brokers": 1, "logger": silent()})
        brokers = self._owner.list_topics(timeout=10).brokers
        broker = brokers[min(brokers)]
        self.bootstrap = f"{broker.host}:{broker.port}"

    def make_topics(self, prefix: str) -> int:
        """It makes a topic when somebody asks about it, always of four partitions."""
        client = AdminClient({"bootstrap.servers": self.bootstrap, "logger": silent()})
        for topic in TOPICS:
            client.list_topics(prefix + topic, timeout=10)
        return PARTITIONS

    def drop_topics(self, prefix: str) -> None:
        """It cannot."""

    def start(self) -> None:
        """It runs as long as this object."""

    def kill(self) -> None:
        """Killing it would lose everything."""
        raise NoBrokerError("the mock cluster keeps nothing")


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
        return _create(self.bootstrap, prefix)

    def drop_topics(self, prefix: str) -> None:
        """All under the prefix."""
        _drop(self.bootstrap, prefix)

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


@contextmanager
def broker() -> Generator[Broker]:
    """The broker of this test session.

    Raises:
        NoBrokerError: the one that was asked for cannot be had.
    """
    choice = os.environ.get("STILLTRUE_KAFKA", "")
    if ":" in choice:
        yield Existing(choice)
        return
    able = shutil.which("java") is not None and shutil.which("mvn") is not None
    if choice == "mock" or (not choice and not able):
        yield Mock()
        return
    if not able:
        raise NoBrokerError("STILLTRUE_KAFKA=apache needs java (17 or later) and mvn")
    jars = fetch_jars()
    with tempfile.TemporaryDirectory(prefix="stilltrue-kafka-") as directory:
        apache = Apache(jars, Path(directory))
        try:
            apache.start()
            yield apache
        finally:
            apache.kill()  # nothing in its directory is wanted any more, and SIGTERM takes it 20 s


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


def wait_ready(bootstrap: str, check_alive: Callable[[], None]) -> None:
    """Until the broker answers an admin call, and leads all partitions it has."""
    deadline = time.monotonic() + READY_S
    while True:
        check_alive()
        try:
            if _answers(bootstrap):
                return
        except KafkaException as error:
            if time.monotonic() > deadline:
                raise NoBrokerError(f"no answer from {bootstrap} within {READY_S:.0f} s: {error}") from error
        if time.monotonic() > deadline:
            raise NoBrokerError(f"no answer from {bootstrap} within {READY_S:.0f} s")
        time.sleep(0.1)


def _answers(bootstrap: str) -> bool:
    host, port = bootstrap.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
    except OSError:
        return False
    options: dict[str, Any] = {"bootstrap.servers": bootstrap, "logger": silent()}
    told = AdminClient(options).list_topics(timeout=5)
    led = all(partition.leader >= 0 for topic in told.topics.values() for partition in topic.partitions.values())
    return bool(told.brokers) and led


def silent() -> logging.Logger:
    """Takes what librdkafka says about lost connections, which tests cause on purpose."""
    logger = logging.getLogger("tests.kafka")
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return logger


def alter(bootstrap: str, topic: str, **config: str) -> None:
    """Change a topic's configuration (``_`` for ``.``); returns when the broker tells the new values."""
    client = AdminClient({"bootstrap.servers": bootstrap, "logger": silent()})
    values = {name.replace("_", "."): value for name, value in config.items()}
    changes = [ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET) for name, value in values.items()]
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=changes)
    client.incremental_alter_configs([resource])[resource].result(30)
    asked = ConfigResource(ResourceType.TOPIC, topic)
    deadline = time.monotonic() + READY_S
    while True:
        told = client.describe_configs([asked])[asked].result(30)
        if all(told[name].value == value for name, value in values.items()):
            return
        assert time.monotonic() < deadline, f"{topic} was not altered"
        time.sleep(0.1)


def fresh_prefix() -> str:
    """A prefix that no other test has used on any broker."""
    return f"t{uuid.uuid4().hex[:12]}."


def _create(bootstrap: str, prefix: str) -> int:
    """As ``topics create`` makes them (its own test runs that); in a thread, since the test may run a loop."""

    async def make() -> None:
        async with admin(bootstrap) as client:
            topics = (*wanted(prefix, PARTITIONS, 1), *wanted_steps(prefix, STAGES, PARTITIONS, 1))
            await create_topics(client, topics)

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, make()).result(120)
    return PARTITIONS


def _drop(bootstrap: str, prefix: str) -> None:
    client = AdminClient({"bootstrap.servers": bootstrap, "logger": silent()})
    names = [name for name in client.list_topics(timeout=30).topics if name.startswith(prefix)]
    for done in client.delete_topics(names).values() if names else ():
        done.result(30)


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
