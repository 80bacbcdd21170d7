"""An editor, as far as the server can tell: JSON-RPC with a real process."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path

COMMAND = Path(sys.executable).with_name("thalweg")
_MOST = 30.0


class Editor:
    """Starts the server, asks and listens."""

    def __init__(self, encoding="utf-16", snippets=True):
        self._process = subprocess.Popen(
            [COMMAND, "language-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._heard: queue.Queue[dict] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self._number = 0
        self._version = 0
        self.published: dict[str, list[dict]] = {}
        item = {"snippetSupport": snippets}
        capabilities = {
            "general": {"positionEncodings": [encoding]},
            "textDocument": {"completion": {"completionItem": item}},
        }
        self.abilities = self.ask("initialize", processId=None, rootUri=None, capabilities=capabilities)["capabilities"]
        self.tell("initialized")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ask("shutdown")
        self.tell("exit")
        self.code = self._process.wait(_MOST)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            pipe.close()

    def open(self, uri, text):
        """Open a document; what is wrong with it."""
        self._version = 1
        document = {"uri": uri, "languageId": "thalweg", "version": 1, "text": text}
        return self._told_about(uri, "textDocument/didOpen", textDocument=document)

    def change(self, uri, text):
        """Put another text in place of a document's; what is wrong with it."""
        self._version += 1
        document = {"uri": uri, "version": self._version}
        return self._told_about(uri, "textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])

    def at(self, method, uri, line, character, **more):
        """Ask about a place."""
        place = {"line": line, "character": character}
        return self.ask(f"textDocument/{method}", textDocument={"uri": uri}, position=place, **more)

    def ask(self, method, **params):
        """Ask, and wait for the answer."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            heard = self._heard.get(timeout=_MOST)
            if heard.get("id") == self._number and "method" not in heard:
                assert "error" not in heard, heard
                return heard["result"]
            self._take(heard)

    def tell(self, method, **params):
        """Tell, and wait for nothing."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def _told_about(self, uri, method, **params):
        self.published.pop(uri, None)
        self.tell(method, **params)
        while uri not in self.published:
            self._take(self._heard.get(timeout=_MOST))
        return self.published[uri]

    def _take(self, heard):
        if heard.get("method") == "textDocument/publishDiagnostics":
            self.published[heard["params"]["uri"]] = heard["params"]["diagnostics"]

    def _send(self, message):
        body = json.dumps(message).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _listen(self):
        out = self._process.stdout
        while True:
            length = None
            while (line := out.readline().strip()) or length is None:
                if not line:
                    return
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            self._heard.put(json.loads(out.read(length)))
