"""A real browser for tests: headless Chromium, spoken to through a pipe in its DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
]
PATIENCE = 60  # seconds for one answer


class Page:
    """One tab. What it loads, logs and throws is kept in `requests` and `complaints`."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read, self._buffer, self._last = write, read, b"", 0
        self._session: str | None = None
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._loaded = False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command, and its answer; what happens meanwhile is noted."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                return answer["result"]
            self._note(answer)

    def show(self, path: Path, width: int, scheme: str = "light", medium: str = "screen") -> None:
        """Open a file in a window this wide."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setScrollbarsHidden", hidden=True)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=medium, features=features)
        self.requests.clear()
        self.complaints.clear()
        self._loaded = False
        self.call("Page.navigate", url=path.as_uri())
        while not self._loaded:
            self._note(self._next())

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def screenshot(self, path: Path) -> None:
        """The whole page as a PNG."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def pdf(self) -> bytes:
        """The page as it prints."""
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"])

    def _next(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            assert time.monotonic() < deadline, "the browser does not answer"
            piece = os.read(self._read, 1 << 20)
            assert piece, "the browser has gone"
            self._buffer += piece
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, event: dict[str, Any]) -> None:
        method, params = event.get("method"), event.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"].partition(",")[0])  # of an inline image, not the image
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(params["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(" ".join(str(one.get("value")) for one in params["args"]))
        elif method == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])


@contextmanager
def browser(profile: Path) -> Iterator[Page]:
    """A browser with this empty folder as its profile; it ends with the block."""
    assert CHROMIUM
    to_browser, from_us = os.pipe()
    from_browser, to_us = os.pipe()

    def descriptors() -> None:  # the pipe is by convention its descriptors 3 and 4
        os.dup2(to_browser, 103)
        os.dup2(to_us, 104)
        os.dup2(103, 3)
        os.dup2(104, 4)

    process = subprocess.Popen(
        [CHROMIUM, *FLAGS, f"--user-data-dir={profile}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=descriptors,
        close_fds=False,
        start_new_session=True,
    )
    os.close(to_browser)
    os.close(to_us)
    try:
        yield Page(from_us, from_browser)
    finally:
        os.close(from_us)
        os.close(from_browser)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
