"""Sends one request and retries it while that is safe and there is time.

Invariant: every attempt of a call has the same idempotency key. A change without a key is retried only if the service
certainly did not carry it out.
"""

from __future__ import annotations

import base64
import http.client
import io
import json
import math
import os
import random
import re
import socket
import ssl
import time
import uuid
from dataclasses import dataclass, field
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Mapping, Optional
from urllib.parse import SplitResult, unquote, urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

from .errors import InvalidFieldError, NoAnswerError, SellthroughError, api_error_class

VERSION = "0.2.0"


@dataclass(frozen=True)
class CallOptions:
    """Options of one call, which override the client's. None keeps the client's."""

    timeout_seconds: Optional[float] = None
    """The limit for one attempt, until its answer is read."""
    total_timeout_seconds: Optional[float] = None
    """The limit for the whole call with its waits."""
    retries: Optional[int] = None
    """0 switches retries off."""


@dataclass(frozen=True)
class Retry:
    """What ``on_retry`` receives before each retry."""

    retry: int
    """1 for the first retry."""
    delay_seconds: float
    error: SellthroughError


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    query: Optional[Mapping[str, Any]] = None
    body: Optional[Mapping[str, Any]] = None
    takes_key: bool = False
    holds_keys: bool = False
    """The items of the body have their own idempotency keys."""
    idempotency_key: Optional[str] = None
    options: CallOptions = field(default_factory=CallOptions)


@dataclass
class _Failure:
    code: str
    message: str
    request_id: str
    outcome: str
    """not sent: nothing reached the service. refused: it did nothing. unknown: it may have done it."""
    status: Optional[int] = None
    details: Mapping[str, Any] = field(default_factory=dict)
    retry_after_seconds: Optional[int] = None
    cause: Optional[BaseException] = None
    is_of_service: bool = False


class _Failed(Exception):
    def __init__(self, failure: _Failure) -> None:
        super().__init__(failure.code)
        self.failure = failure


class Transport:
    def __init__(
        self,
        base_url: str,
        api_key: str,
        timeout_seconds: float,
        total_timeout_seconds: float,
        retries: int,
        backoff_seconds: float,
        backoff_max_seconds: float,
        on_retry: Optional[Callable[[Retry], None]],
        ssl_context: Optional[ssl.SSLContext],
    ) -> None:
        # Check the key here: one that a header cannot carry would look like a lost connection.
        if re.fullmatch(r"[!-~]+", api_key or "") is None:
            raise ValueError('Sellthrough needs an api_key: sk_live_…, from the panel under "API access".')
        self._root = _root_of(base_url)
        self._address = urlsplit(self._root)
        self._api_key = api_key
        self._timeout_seconds = timeout_seconds
        self._total_timeout_seconds = total_timeout_seconds
        self._retries = retries
        self._backoff_seconds = backoff_seconds
        self._backoff_max_seconds = backoff_max_seconds
        self._on_retry = on_retry
        self._ssl_context = ssl_context

    def send(self, call: Call) -> dict[str, Any]:
        """Returns the answer's body; if the call takes a key, with ``replayed``. Raises SellthroughError."""
        options = call.options
        deadline = time.monotonic() + _first(options.total_timeout_seconds, self._total_timeout_seconds)
        # The service may answer only after the seconds of `wait`.
        attempt_seconds = _first(options.timeout_seconds, self._timeout_seconds) + int((call.query or {}).get("wait") or 0)
        retries = _first(options.retries, self._retries)
        call_id = str(uuid.uuid4())
        key = self._key_of(call, call_id)
        body = None if call.body is None else json.dumps(call.body).encode()
        may_have_happened = False
        attempt = 0
        while True:
            attempt += 1
            try:
                timeout = min(attempt_seconds, deadline - time.monotonic())
                return self._attempt(call, body, key, f"{call_id}.{attempt}", timeout)
            except _Failed as failed:
                failure = failed.failure
            may_have_happened |= call.method != "GET" and failure.outcome == "unknown"
            repeats = _is_repeatable(call, failure)
            error = _error_of(failure, key, attempt, repeats, may_have_happened)
            if not repeats or attempt > retries:
                raise error from failure.cause
            delay = retry_delay_seconds(
                attempt, failure.retry_after_seconds, self._backoff_seconds, self._backoff_max_seconds, random.random()
            )
            if time.monotonic() + delay >= deadline:
                raise error from failure.cause
            if self._on_retry is not None:
                self._on_retry(Retry(attempt, delay, error))
            time.sleep(delay)

    def _key_of(self, call: Call, call_id: str) -> Optional[str]:
        if not call.takes_key:
            return None
        in_body = (call.body or {}).get("idempotency_key")
        key = call.idempotency_key if call.idempotency_key is not None else in_body
        if key is None:
            return _new_key()
        if isinstance(key, str) and re.fullmatch(r"[!-~]{1,80}", key) is not None:
            return key
        # Some invalid keys cannot be sent in a header; they would look like a lost connection.
        reason = "must be 1 to 80 visible ASCII characters"
        raise InvalidFieldError(
            f"`idempotency_key` {reason}.",
            code="invalid_idempotency_key",
            details={"field": "idempotency_key", "reason": reason},
            request_id=call_id,
            idempotency_key=str(key),
            attempts=0,
        )

    def _attempt(self, call: Call, body: Optional[bytes], key: Optional[str], request_id: str, timeout: float) -> dict[str, Any]:
        headers = {
            "Authorization": f"Bearer {self._api_key}",
            "Accept": "application/json",
            "X-Request-Id": request_id,
            "User-Agent": f"sellthrough-python/{VERSION}",
            "Connection": "close",
        }
        if body is not None:
            headers["Content-Type"] = "application/json"
        if key is not None:
            headers["Idempotency-Key"] = key
        given = {name: _text(value) for name, value in (call.query or {}).items() if value is not None}
        target = self._address.path + call.path + (f"?{urlencode(given)}" if given else "")
        deadline = time.monotonic() + timeout
        was_sent = False
        # A new connection for each attempt: none can have been closed by the service before it is used.
        connection, target = self._connection(target, headers, deadline)
        try:
            if timeout <= 0:
                raise socket.timeout()
            connection.connect()
            was_sent = True
            connection.sock.settimeout(_time_left(deadline))
            connection.request(call.method, target, body, headers)
            response = connection.getresponse()
            # Read the body inside the attempt, so that an answer that breaks off counts as a lost connection.
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            outcome = "unknown" if was_sent else "not sent"
            if isinstance(error, (socket.timeout, TimeoutError)) or time.monotonic() >= deadline:
                message = f"No answer within {max(0.0, timeout):.3g} seconds."
                raise _Failed(_Failure("timeout", message, request_id, outcome, cause=error)) from None
            message = f"The connection to {self._root} failed: {error or type(error).__name__}."
            raise _Failed(_Failure("connection_lost", message, request_id, outcome, cause=error)) from None
        finally:
            connection.close()
        return _read(call, response, text, request_id)

    def _connection(
        self, target: str, headers: dict[str, str], deadline: float
    ) -> tuple[http.client.HTTPConnection, str]:
        """A connection that is not open yet, and what to request. Follows HTTP_PROXY, HTTPS_PROXY and NO_PROXY."""
        address = self._address
        host, port = address.hostname or "", address.port
        is_secure = address.scheme == "https"
        timeout = max(0.001, deadline - time.monotonic())
        proxy = None if proxy_bypass(host) else getproxies().get(address.scheme)
        via = urlsplit(proxy if "://" in proxy else f"http://{proxy}") if proxy else None
        to_host, to_port = (host, port) if via is None else (via.hostname or "", via.port)
        connection: http.client.HTTPConnection
        if is_secure:
            context = self._ssl_context or ssl.create_default_context()
            connection = http.client.HTTPSConnection(to_host, to_port, timeout=timeout, context=context)
        else:
            connection = http.client.HTTPConnection(to_host, to_port, timeout=timeout)
        connection.response_class = _response_class(deadline)
        if via is not None:
            login = _proxy_login(via)
            if is_secure:
                connection.set_tunnel(host, port, login)
            else:
                headers.update(login)
                target = f"{address.scheme}://{address.netloc}{target}"
        return connection, target


def retry_delay_seconds(
    retry: int, retry_after_seconds: Optional[int], backoff_seconds: float, backoff_max_seconds: float, chance: float
) -> float:
    """Exponential backoff with full jitter, but at least the wait that the service asked for."""
    # Retries beyond 1,000 would overflow a float.
    jitter = chance * min(backoff_max_seconds, backoff_seconds * 2.0 ** min(retry - 1, 1000))
    # Add the jitter on top, so that clients that were refused together do not return together.
    return (retry_after_seconds or 0) + jitter


def _error_of(
    failure: _Failure, key: Optional[str], attempts: int, retryable: bool, may_have_happened: bool
) -> SellthroughError:
    kind: type[SellthroughError] = NoAnswerError
    if failure.is_of_service:
        kind = api_error_class(failure.code, failure.status, failure.details)
    return kind(
        failure.message,
        code=failure.code,
        details=failure.details,
        status=failure.status,
        request_id=failure.request_id,
        idempotency_key=key,
        attempts=attempts,
        retryable=retryable,
        retry_after_seconds=failure.retry_after_seconds,
        may_have_happened=may_have_happened,
    )


def _is_repeatable(call: Call, failure: _Failure) -> bool:
    if failure.code == "rate_limited" and _never_passes(call.body, failure.details):
        return False
    if failure.outcome == "not sent" or failure.status == 429:
        return True
    # Retry only what cannot take effect twice: GET, PATCH, PUT, DELETE, and requests with an idempotency key.
    return failure.outcome == "unknown" and (call.method != "POST" or call.takes_key or call.holds_keys)


def _never_passes(body: Optional[Mapping[str, Any]], details: Mapping[str, Any]) -> bool:
    orders, orders_max = (body or {}).get("orders"), details.get("orders_max")
    return isinstance(orders, (list, tuple)) and isinstance(orders_max, int) and len(orders) > orders_max


def _read(call: Call, response: http.client.HTTPResponse, text: bytes, request_id: str) -> dict[str, Any]:
    status = response.status
    shown = response.getheader("X-Request-Id") or request_id
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    if 200 <= status < 300 and isinstance(body, dict):
        if call.takes_key:
            body["replayed"] = response.getheader("Idempotent-Replayed") == "true"
        return body
    retry_after = _retry_after(response.getheader("Retry-After"))
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, dict) and isinstance(error.get("code"), str):
        details = error.get("details")
        raise _Failed(
            _Failure(
                error["code"],
                str(error.get("message") or error["code"]),
                shown,
                "unknown" if status >= 500 or status < 400 else "refused",
                status,
                details if isinstance(details, dict) else {},
                retry_after,
                is_of_service=True,
            )
        )
    is_redirect = 300 <= status < 400
    if is_redirect:
        # Not followed: that would send the key to another address.
        message = f"The address redirects to {response.getheader('Location')}. Use the address it leads to as base_url."
    else:
        start = repr(text[:80].decode("utf-8", "replace")) if text else "an empty body"
        message = f"The answer did not come from the service: HTTP {status} with {start}."
    # A proxy sends 408 or 425 when a request did not get through, so these do not count as refusals.
    is_refused = is_redirect or (400 <= status < 500 and status not in (408, 425))
    outcome = "refused" if is_refused else "unknown"
    raise _Failed(_Failure("unexpected_answer", message, shown, outcome, status, {}, retry_after))


def _retry_after(text: Optional[str]) -> Optional[int]:
    """Accepts seconds or a date. Returns None for anything else."""
    if text is None:
        return None
    if re.fullmatch(r"\s*[0-9]{1,9}\s*", text) is not None:
        return int(text)
    try:
        until = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError):
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=timezone.utc)
    return max(0, math.ceil(until.timestamp() - time.time()))


def _new_key() -> str:
    """A UUIDv7, so that new keys are adjacent in the service's index."""
    bits = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10), "big")
    return str(uuid.UUID(int=bits & ~(0xF000 << 64) & ~(0xC000 << 48) | (0x7000 << 64) | (0x8000 << 48)))


def _root_of(base_url: str) -> str:
    root = re.sub(r"/api/v1$", "", str(base_url).rstrip("/"))
    if re.match(r"https?://[^/]", root, re.IGNORECASE) is None:
        raise ValueError(f'base_url must look like https://sell.example.com, not "{base_url}".')
    return root


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _first(own: Any, otherwise: Any) -> Any:
    return otherwise if own is None else own


def _time_left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise socket.timeout("timed out")
    return left


def _proxy_login(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    login = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": "Basic " + base64.b64encode(login.encode()).decode()}


class _DeadlineReader(io.RawIOBase):
    """Reads a socket until the deadline of the attempt. A socket's own timeout starts again with each byte."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, deadline: float) -> None:
        super().__init__()
        self._raw = raw
        self._sock = sock
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        self._sock.settimeout(_time_left(self._deadline))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


def _response_class(deadline: float) -> Any:
    class Response(http.client.HTTPResponse):
        def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
            super().__init__(sock, *args, **kwargs)
            self.fp = io.BufferedReader(_DeadlineReader(self.fp.detach(), sock, deadline))

    return Response
