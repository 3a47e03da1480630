"""The client of a Sellthrough service: one method for each operation of the API."""

from __future__ import annotations

import ssl
from typing import Callable, Optional

from ._operations import AdminOperations, ProductOperations, ResellerOperations, TestModeOperations
from ._transport import Retry, Transport


class Sellthrough(ResellerOperations):
    """``client = Sellthrough("https://sell.example.com", "sk_live_…")``. Threads may share a client.

    Orders and other changes carry an idempotency key, the same on every retry, so nothing is charged twice. Every method
    raises ``SellthroughError``. Amounts are decimal strings (``"12.50"``), times ISO 8601 in UTC.

    base_url: the service's address. A trailing ``/api/v1`` is accepted.
    api_key: ``sk_live_…``, or ``sk_test_…`` for test mode. Keep it on your server.
    timeout_seconds: the limit for one attempt, until its answer is read.
    total_timeout_seconds: the limit for a whole call with its waits. A longer Retry-After ends the call at once.
    retries: 0 switches retries off.
    backoff_seconds, backoff_max_seconds: the longest wait before the first retry, which doubles each time, and of any.
    on_retry: called before each retry, for your log.
    ssl_context: for a certificate authority of your own.
    """

    admin: AdminOperations
    """Needs an administrator's key; other keys get ``forbidden``."""
    product: ProductOperations
    """Needs a key with the scope ``product``."""
    test_mode: TestModeOperations
    """Needs a test key, ``sk_test_…``."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout_seconds: float = 15.0,
        total_timeout_seconds: float = 60.0,
        retries: int = 5,
        backoff_seconds: float = 0.25,
        backoff_max_seconds: float = 8.0,
        on_retry: Optional[Callable[[Retry], None]] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        transport = Transport(
            base_url,
            api_key,
            timeout_seconds,
            total_timeout_seconds,
            retries,
            backoff_seconds,
            backoff_max_seconds,
            on_retry,
            ssl_context,
        )
        super().__init__(transport)
        self.admin = AdminOperations(transport)
        self.product = ProductOperations(transport)
        self.test_mode = TestModeOperations(transport)
