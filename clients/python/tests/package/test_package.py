"""The package as users get it: built twice with equal bytes, installed into a fresh environment, used as documented."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from belfry_server import BelfryServer

FOLDER = Path(__file__).resolve().parents[2]


def build(into: Path) -> dict[str, bytes]:
    """Builds wheel and sdist; returns their bytes by name."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1763596800"}
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(into)]
    subprocess.run(command, cwd=FOLDER, env=environment, check=True, capture_output=True)
    return {file.name: file.read_bytes() for file in into.iterdir()}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The python of an environment that has the wheel and nothing else."""
    folder = tmp_path_factory.mktemp("package")
    build(folder / "dist")
    wheel = next((folder / "dist").glob("*.whl"))
    venv.create(folder / "venv", with_pip=True)
    installed = folder / "venv/bin/python"
    command = [str(installed), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", str(wheel)]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return installed


def test_two_builds_have_equal_bytes(tmp_path: Path) -> None:
    first, second = build(tmp_path / "1"), build(tmp_path / "2")
    assert sorted(first) == ["belfry-0.1.0-py3-none-any.whl", "belfry-0.1.0.tar.gz"]
    assert first == second


def test_the_wheel_is_typed_and_has_no_dependencies(tmp_path: Path) -> None:
    build(tmp_path)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
        metadata = wheel.read("belfry-0.1.0.dist-info/METADATA").decode()
    assert {"belfry/py.typed", "belfry/blocking.py", "belfry/_engine.py"} <= names
    assert not [name for name in names if "test" in name]
    assert "Requires-Dist" not in metadata
    assert "Requires-Python: >=3.11" in metadata


def examples() -> list[str]:
    """Returns the complete programs of README.md."""
    found: list[str] = re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.S)
    return [code for code in found if "import" in code.split("\n")[0] and "ws://127.0.0.1:8800" in code]


@pytest.mark.parametrize("number", range(len(examples())))
def test_the_programs_of_the_readme_run(server: BelfryServer, python: Path, tmp_path: Path, number: int) -> None:
    program = tmp_path / "program.py"
    program.write_text(examples()[number].replace("ws://127.0.0.1:8800", server.url))
    command = [str(python), "-W", "error", "-X", "dev", str(program)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    # In its debug mode asyncio also warns of steps over 0.1 s. Their time depends on the load of the machine.
    slow_step = re.compile(r"Executing <.*> took [0-9.]+ seconds")
    warnings = [line for line in done.stderr.splitlines() if not slow_step.fullmatch(line)]
    assert (done.returncode, warnings) == (0, [])
    assert "Good morning" in done.stdout


def test_the_readme_has_programs_of_both_faces() -> None:
    assert len(examples()) == 2
