"""The Python client's driver for the behaviour suite: JSON lines in and out. Argument: ``asyncio`` or ``blocking``."""

from __future__ import annotations

import sys
from pathlib import Path

try:
    import belfry  # noqa: F401
except ModuleNotFoundError:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))


def main() -> None:
    face = sys.argv[1] if len(sys.argv) > 1 else "asyncio"
    if face == "asyncio":
        import asyncio_driver

        asyncio_driver.main()
    elif face == "blocking":
        import blocking_driver

        blocking_driver.main()
    else:
        sys.exit(f"usage: driver.py asyncio|blocking, not {face}")


if __name__ == "__main__":
    main()
