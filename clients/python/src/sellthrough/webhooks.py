"""Verifies webhook deliveries (Standard Webhooks) on the receiving server."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Mapping, Union

from .errors import WebhookVerificationError

_TOLERANCE_SECONDS = 300


def verify_webhook(body: Union[bytes, str], headers: Mapping[str, str], secret: str) -> Any:
    """Returns the event if ``secret`` signed it within the last five minutes.

    ``body`` must be as it came, not parsed. ``headers`` may have names in any case, or a WSGI environment's
    (``HTTP_WEBHOOK_ID``). During a rotation both secrets work. Raises WebhookVerificationError.
    """
    found = {re.sub("^http-", "", str(name).lower().replace("_", "-")): value for name, value in headers.items()}
    event_id, timestamp, signatures = (
        _header(found, name) for name in ("webhook-id", "webhook-timestamp", "webhook-signature")
    )
    is_number = re.fullmatch("[0-9]{1,12}", timestamp) is not None
    if not is_number or abs(time.time() - int(timestamp)) > _TOLERANCE_SECONDS:
        raise WebhookVerificationError("webhook-timestamp is more than five minutes away: check the clock.")
    data = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{event_id}.{timestamp}.".encode() + data
    expected = base64.b64encode(hmac.new(_key_of(secret), signed, hashlib.sha256).digest())
    # There are several signatures while a secret is replaced.
    for signature in signatures.split(" "):
        version, _, encoded = signature.partition(",")
        if version == "v1" and hmac.compare_digest(encoded.encode(), expected):
            return json.loads(data)
    raise WebhookVerificationError("No signature is of this secret: check the secret, and that the body is as it came.")


def _header(found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    if not isinstance(value, str) or value == "":
        raise WebhookVerificationError(f"The header {name} is missing.")
    return value


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(re.sub("^whsec_", "", secret), validate=True)
    except binascii.Error:
        key = b""
    if key == b"":
        raise ValueError("A secret looks like whsec_….")
    return key
