"""A client of the reseller's API in one file: Python 3.9 or newer, standard library only.

Requests are sent again after a lost connection, 429 and 5xx, with the same idempotency key and never before
Retry-After is over; a refusal is raised as SellthroughError with its code.
"""

import http.client
import json
import random
import time
import urllib.error
import urllib.request
import uuid


class SellthroughError(Exception):
    def __init__(self, code, message, details=None, status=None, request_id=None):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.details = details or {}
        self.status = status
        self.request_id = request_id


class _RedirectIsAnError(urllib.request.HTTPRedirectHandler):
    """To follow one would send the API key to another address."""

    def redirect_request(self, *_):
        return None


class Sellthrough:
    def __init__(self, url, key, attempts=6, timeout=15):
        self._root = url.rstrip("/").removesuffix("/api/v1") + "/api/v1"
        self._key = key
        self._attempts = attempts
        self._timeout = timeout
        self._open = urllib.request.build_opener(_RedirectIsAnError).open

    def get(self, path):
        return self._send("GET", path)

    def post(self, path, body, idempotency_key=None):
        """Safe to repeat: every attempt carries the same key."""
        return self._send("POST", path, body, idempotency_key or str(uuid.uuid4()))

    def each(self, path):
        """Every item of a list, newest first. An item may come twice if others are added meanwhile: compare ids."""
        page, seen = 1, set()
        while True:
            answer = self.get(f"{path}?page={page}&limit=100")
            for item in answer["data"]:
                if item["id"] not in seen:
                    seen.add(item["id"])
                    yield item
            if page * answer["per_page"] >= answer["total"]:
                return
            page += 1

    def _send(self, method, path, body=None, idempotency_key=None):
        for attempt in range(1, self._attempts + 1):
            headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
            if idempotency_key is not None:
                headers["Idempotency-Key"] = idempotency_key
            data = None if body is None else json.dumps(body).encode()
            request = urllib.request.Request(self._root + path, data, headers, method=method)
            wait = 0.0
            try:
                with self._open(request, timeout=self._timeout) as response:
                    return json.load(response)
            except urllib.error.HTTPError as refusal:
                error = _error_of(refusal)
                if refusal.code != 429 and refusal.code < 500:
                    raise error from None
                after = refusal.headers.get("Retry-After", "")
                wait = float(after) if after.isdigit() else 0.0
            except (OSError, http.client.HTTPException, ValueError) as failure:
                # No answer, or half of one: the order may exist. Retry with the same key.
                error = SellthroughError("connection_lost", str(failure) or type(failure).__name__)
            if attempt < self._attempts:
                time.sleep(wait + random.uniform(0, min(8, 0.25 * 2**attempt)))
        raise error


def _error_of(refusal):
    request_id = refusal.headers.get("X-Request-Id")
    try:
        error = json.load(refusal)["error"]
        return SellthroughError(error["code"], error["message"], error["details"], refusal.code, request_id)
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
        return SellthroughError("unexpected_answer", f"HTTP {refusal.code}", None, refusal.code, request_id)
