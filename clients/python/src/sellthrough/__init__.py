"""Order plans from a Sellthrough service, with retries that never charge twice."""

from ._transport import VERSION as __version__
from ._transport import CallOptions, Retry
from .client import Sellthrough
from .errors import (
    AccessDeniedError,
    ApiError,
    IdempotencyConflictError,
    InsufficientCreditError,
    InvalidFieldError,
    NoAnswerError,
    NotFoundError,
    OrderFailedError,
    PriceChangedError,
    RateLimitedError,
    SellthroughError,
    WebhookVerificationError,
)
from .webhooks import verify_webhook

__all__ = [
    "AccessDeniedError",
    "ApiError",
    "CallOptions",
    "IdempotencyConflictError",
    "InsufficientCreditError",
    "InvalidFieldError",
    "NoAnswerError",
    "NotFoundError",
    "OrderFailedError",
    "PriceChangedError",
    "RateLimitedError",
    "Retry",
    "Sellthrough",
    "SellthroughError",
    "WebhookVerificationError",
    "__version__",
    "verify_webhook",
]
