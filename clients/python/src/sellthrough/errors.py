"""The errors of a call. Decide by class or by ``code``, which is stable, never by the message.

``SellthroughError`` has two kinds: ``ApiError`` if the service answered, ``NoAnswerError`` if it did not.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional


class SellthroughError(Exception):
    """A call failed.

    ``may_have_happened`` says whether an order may have been placed. If it is true, repeat the call with
    ``idempotency_key``: you get the placed order, or place it now.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        request_id: str,
        details: Optional[Mapping[str, Any]] = None,
        status: Optional[int] = None,
        idempotency_key: Optional[str] = None,
        attempts: int = 1,
        retryable: bool = False,
        retry_after_seconds: Optional[int] = None,
        may_have_happened: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        """An error code of the API, or ``connection_lost``, ``timeout``, ``unexpected_answer``."""
        self.message = message
        """For people."""
        self.details: Mapping[str, Any] = details or {}
        self.status = status
        """The HTTP status; None without an answer."""
        self.request_id = request_id
        """The X-Request-Id of the last attempt. Quote it to support."""
        self.idempotency_key = idempotency_key
        """Pass it to the same call again to never charge twice. None if the call takes no key."""
        self.attempts = attempts
        """How many times the request was sent."""
        self.retryable = retryable
        """True if the same call with the same key may succeed later. For insufficient_credit it is False: add funds first."""
        self.retry_after_seconds = retry_after_seconds
        """The wait that the service asked for, or None."""
        self.may_have_happened = may_have_happened
        """True if the order may have been placed: repeat with ``idempotency_key`` to find out. False: nothing was done."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class NoAnswerError(SellthroughError):
    """The service's answer is missing or incomplete: ``connection_lost``, ``timeout``, ``unexpected_answer``."""


class ApiError(SellthroughError):
    """The service answered with an error. Codes without a class of their own are of this class."""


class InsufficientCreditError(ApiError):
    """``insufficient_credit``: nothing was charged. Add funds, then repeat the call with the same key."""

    @property
    def balance(self) -> str:
        """A decimal string, such as ``"3.00"``."""
        return str(self.details.get("balance", ""))

    @property
    def required(self) -> str:
        """The amount that the order needs after any refund, as a decimal string."""
        return str(self.details.get("required", ""))

    @property
    def currency(self) -> str:
        return str(self.details.get("currency", ""))


class RateLimitedError(ApiError):
    """``rate_limited``: the client has waited and retried as long as its limits allow."""


class OrderFailedError(ApiError):
    """``order_failed``: ``reason`` says why, such as ``plan_not_running``. Expect new reasons."""

    @property
    def reason(self) -> str:
        return str(self.details.get("reason", ""))


class PriceChangedError(ApiError):
    """``price_changed``: the order costs more than ``max_charge``. Nothing was charged."""


class IdempotencyConflictError(ApiError):
    """``idempotency_conflict``: the key was used for a different request. Nothing was done."""


class InvalidFieldError(ApiError):
    """The service refused a field of the request, for example with ``invalid_customer`` or ``validation_failed``."""

    @property
    def field(self) -> str:
        return str(self.details.get("field", ""))

    @property
    def reason(self) -> str:
        return str(self.details.get("reason", ""))


class NotFoundError(ApiError):
    """Status 404, such as ``order_not_found``, also for an id that belongs to another account."""


class AccessDeniedError(ApiError):
    """Status 401 or 403: the key is unknown or revoked, lacks a scope, or may not be used from here."""


class WebhookVerificationError(Exception):
    """The delivery does not come from the service, or is too old. Answer 400, and the service sends it again."""


_BY_CODE = {
    "insufficient_credit": InsufficientCreditError,
    "rate_limited": RateLimitedError,
    "order_failed": OrderFailedError,
    "price_changed": PriceChangedError,
    "idempotency_conflict": IdempotencyConflictError,
}


def api_error_class(code: str, status: Optional[int], details: Mapping[str, Any]) -> type[ApiError]:
    """The class of an error answer: by its code, else by its status, else by its details."""
    if code in _BY_CODE:
        return _BY_CODE[code]
    if status == 404:
        return NotFoundError
    if status in (401, 403):
        return AccessDeniedError
    return InvalidFieldError if "field" in details and "reason" in details else ApiError
