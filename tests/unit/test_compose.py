"""The deployment's files: what can be known of them without an engine."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ops.cli.__main__ import build_parser
from ops.cli.world import Options
from ops.settings import Settings, load_settings
from tests.kit import apache

ROOT = Path(__file__).resolve().parents[2]
COMPOSE: Any = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = sorted(name for name, service in SERVICES.items() if "build" in service)
PROMETHEUS: Any = yaml.safe_load((ROOT / "ops" / "compose" / "prometheus.yml").read_text("utf-8"))
DOCKERFILE = (ROOT / "ops" / "Dockerfile").read_text("utf-8")


def settings() -> dict[str, str]:
    """The one file of settings."""
    lines = (ROOT / "ops" / "compose" / "settings.env").read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def pinned(requirements: str, package: str) -> str:
    """The version of a package in a requirements file."""
    found = re.search(rf"^{package}==(\S+)$", (ROOT / requirements).read_text("utf-8"), re.MULTILINE)
    assert found is not None, package
    return found.group(1)


def tag(service: str) -> str:
    """The tag of a service's image."""
    return SERVICES[service]["image"].rpartition(":")[2]


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_every_image_is_pinned(name: str) -> None:
    assert re.fullmatch(r"v?\d+\.\d+\.\d+", tag(name)), SERVICES[name]["image"]


def test_the_versions_are_those_the_code_is_tested_with() -> None:
    assert tag("kafka") == apache.VERSION
    assert tag("qdrant").removeprefix("v").split(".")[:2] == pinned("requirements.txt", "qdrant-client").split(".")[:2]
    assert tag("grafana") == pinned("requirements-ops.txt", "grafana-foundation-sdk").partition("!")[2]


def test_all_of_ours_are_one_image_with_one_file_of_settings() -> None:
    assert OURS == ["ask", "embed", "query", "serve", "topics", "view", "worker"]
    assert len({(s["image"], s["build"]["dockerfile"], s["env_file"]) for s in map(SERVICES.__getitem__, OURS)}) == 1


@pytest.mark.parametrize("name", OURS)
def test_our_commands_are_ones_we_have(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in settings().items():
        monkeypatch.setenv(key, value)
    options = build_parser().parse_args(SERVICES[name]["command"], namespace=Options())
    if name in ("ask", "embed", "query", "topics", "view", "worker"):
        assert getattr(options, "bootstrap") == "kafka:9092"  # noqa: B009 - options of several commands
    if name in ("ask", "embed", "view", "worker"):
        assert getattr(options, "metrics") == ("0.0.0.0", 9464)  # noqa: B009


def test_a_setting_that_no_code_reads_is_none() -> None:
    code = "".join(path.read_text("utf-8") for path in (ROOT / "ops").rglob("*.py"))
    assert all(f'"{name}"' in code for name in settings())


def test_the_query_node_reads_the_broker_and_the_server_that_is_deployed(monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in settings().items():
        monkeypatch.setenv(key, value)
    options = build_parser().parse_args(SERVICES["query"]["command"], namespace=Options())
    assert getattr(options, "kafka")  # noqa: B009 - options of serve
    assert getattr(options, "qdrant") == "http://qdrant:6333"  # noqa: B009
    embedded = build_parser().parse_args(SERVICES["serve"]["command"], namespace=Options())
    assert not getattr(embedded, "kafka"), "a broker in the settings alone makes no node"  # noqa: B009


def test_the_embed_workers_fill_the_server_that_is_deployed(monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in settings().items():
        monkeypatch.setenv(key, value)
    options = build_parser().parse_args(SERVICES["embed"]["command"], namespace=Options())
    assert getattr(options, "qdrant") == "http://qdrant:6333"  # noqa: B009
    assert getattr(options, "stages") == "embed"  # noqa: B009
    assert SERVICES["embed"]["depends_on"]["qdrant"]["condition"] == "service_healthy"


def test_who_asks_a_model_reads_the_settings_of_who_writes_the_questions() -> None:
    asking, writing = SERVICES["ask"], SERVICES["worker"]
    options = build_parser().parse_args(asking["command"], namespace=Options())
    assert getattr(options, "stages") == "ask"  # noqa: B009 - options of worker
    assert asking["command"][-2:] == writing["command"][-2:]
    assert asking["volumes"] == writing["volumes"]
    assert asking["environment"] == {"STILLTRUE_LLM_KEY": "${STILLTRUE_LLM_KEY:-}"}, "never a key in the file"


def test_the_settings_that_are_mounted_can_be_read_as_they_are_and_with_the_marks_off(tmp_path: Path) -> None:
    path = ROOT / "ops" / "compose" / "stilltrue.toml"
    assert load_settings(tmp_path, path) == Settings()
    lines = path.read_text("utf-8").splitlines()
    start = lines.index("# [llm]")
    (tmp_path / "with-model.toml").write_text("\n".join(line.removeprefix("# ") for line in lines[start:]))
    llm = load_settings(tmp_path, tmp_path / "with-model.toml").llm
    assert llm.model
    assert llm.endpoint


def mounted() -> Iterator[str]:
    """Paths of the repository that containers see."""
    for service in SERVICES.values():
        for volume in service.get("volumes", []):
            if volume.startswith("./"):
                assert volume.endswith(":ro"), volume
                yield volume.split(":")[0]
        yield from [service["env_file"]] if "env_file" in service else []


def test_what_is_mounted_is_there() -> None:
    paths = list(mounted())
    assert len(paths) > 5
    assert all((ROOT / path).exists() for path in paths)


def test_every_volume_is_declared_and_used() -> None:
    named = {v.split(":")[0] for s in SERVICES.values() for v in s.get("volumes", []) if not v.startswith((".", "/"))}
    assert named == set(COMPOSE["volumes"])


def test_everything_that_stays_up_has_a_health_check() -> None:
    assert {name for name, service in SERVICES.items() if "healthcheck" not in service} == {"topics"}


def test_who_is_waited_for_exists_and_can_become_what_is_waited_for() -> None:
    for service in SERVICES.values():
        for name, how in service.get("depends_on", {}).items():
            if how["condition"] == "service_healthy":
                assert "healthcheck" in SERVICES[name]
            else:
                assert how["condition"] == "service_completed_successfully"
                assert SERVICES[name]["restart"] == "no"


def test_no_port_is_open_to_other_machines() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_prometheus_scrapes_what_is_deployed_on_the_ports_it_listens_on() -> None:
    metrics_port = int(settings()["STILLTRUE_METRICS"].rpartition(":")[2])
    wanted = {
        "view": metrics_port,
        "worker": metrics_port,
        "embed": metrics_port,
        "ask": metrics_port,
        "query": 8080,
        "serve": 8080,
        "qdrant": 6333,
    }
    found: dict[str, int] = {}
    for job in PROMETHEUS["scrape_configs"]:
        for static in job.get("static_configs", []):
            found |= {host: int(port) for host, port in (target.split(":") for target in static["targets"])}
        for named in job.get("dns_sd_configs", []):
            found |= dict.fromkeys(named["names"], named["port"])
        assert job["job_name"] in SERVICES
    assert found == wanted
    assert set(found) <= set(SERVICES)


def test_grafana_is_given_the_data_source_its_dashboards_ask_for() -> None:
    provisioning = ROOT / "ops" / "compose" / "grafana" / "provisioning"
    source = yaml.safe_load((provisioning / "datasources" / "prometheus.yml").read_text("utf-8"))["datasources"][0]
    for path in (ROOT / "ops" / "dashboards").glob("*.json"):
        assert set(re.findall(r'"uid": "(\w+)"', path.read_text("utf-8"))) == {source["uid"]}
    board = yaml.safe_load((provisioning / "dashboards" / "stilltrue.yml").read_text("utf-8"))["providers"][0]
    assert f"./ops/dashboards:{board['options']['path']}:ro" in SERVICES["grafana"]["volumes"]


def test_the_image_holds_the_packages_and_runs_as_nobody_special() -> None:
    copied = [words[1:-1] for line in DOCKERFILE.splitlines() if (words := line.split()) and words[0] == "COPY"]
    names = {name for line in copied for name in line}
    assert {"schemas", "streams", "views", "query", "ops"} <= names
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert names == allowed
    assert all((ROOT / name).exists() for name in names)
    assert re.search(r"^USER stilltrue$", DOCKERFILE, re.MULTILINE)
    assert DOCKERFILE.index("USER stilltrue") < DOCKERFILE.index("ENTRYPOINT")


def test_the_image_installs_what_any_service_may_need() -> None:
    elsewhere = {
        "requirements-dev.txt",
        "requirements-ops.txt",
        "requirements-reference.txt",
        "requirements-test-llm.txt",
    }
    wanted = {path.name for path in ROOT.glob("requirements*.txt")} - elsewhere
    assert set(re.findall(r"-r (\S+)", DOCKERFILE)) == wanted


def test_the_image_is_started_as_the_script_does() -> None:
    entry = re.search(r"^ENTRYPOINT (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert entry is not None
    script = (ROOT / "stilltrue").read_text("utf-8").splitlines()[-1]
    assert yaml.safe_load(entry.group(1)) == ["python", *shlex.split(script.partition('python"')[2])[:-1]]
