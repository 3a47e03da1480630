"""What the generated operations are made of: a call, and the walks through pages of lists and the event feed."""

from __future__ import annotations

import time
from typing import Any, Callable, Iterator, Mapping, Optional
from urllib.parse import quote

from ._transport import Call, CallOptions, Transport
from .errors import SellthroughError

_WALKED_PAGE_ITEMS = 100
_EVENTS_PER_ANSWER = 100
_EVENT_WAIT_SECONDS = 20
_REST_SECONDS_MIN = 1.0
_REST_SECONDS_MAX = 30.0

# The service moves a test clock for 30 s or slightly more under load.
_MOVE_SECONDS = 45.0

GetPage = Callable[[Any], Any]


class Operations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        takes_key: bool = False,
        holds_keys: bool = False,
        is_slow: bool = False,
        idempotency_key: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Any:
        if options is None:
            options = CallOptions(_MOVE_SECONDS, 3 * _MOVE_SECONDS) if is_slow else CallOptions()
        return self._transport.send(Call(method, path, query, body, takes_key, holds_keys, idempotency_key, options))


def segment(value: Any) -> str:
    return quote(str(value), safe="")


def walk(get_page: GetPage, query: Optional[Mapping[str, Any]]) -> Iterator[Any]:
    """Every item of a list that is paged by cursor. Each item that existed at the start comes exactly once."""
    cursor: Optional[str] = ""
    while cursor is not None:
        page = get_page({"limit": _WALKED_PAGE_ITEMS, **(query or {}), "cursor": cursor})
        yield from page["data"]
        # A short or even empty page may have a next page.
        cursor = page.get("next_cursor")


def walk_numbered(get_page: GetPage, query: Optional[Mapping[str, Any]]) -> Iterator[Any]:
    """Every item of a list that is paged by number, newest first."""
    # An item's place counted from the oldest never changes, so an item at a higher place was seen before.
    last_place = float("inf")
    number = 1
    while True:
        page = get_page({"limit": _WALKED_PAGE_ITEMS, **(query or {}), "page": number})
        before = (page["page"] - 1) * page["per_page"]
        for index, item in enumerate(page["data"]):
            place = page["total"] - before - index
            if place < last_place:
                last_place = place
                yield item
        if not page["data"] or before + page["per_page"] >= page["total"]:
            return
        number += 1


def follow(get_page: GetPage, after: Optional[int], event_type: Optional[str]) -> Iterator[Any]:
    """Every event after ``after``, endlessly. Raises errors that a retry cannot fix, such as events_gone."""
    rest = _REST_SECONDS_MIN
    while True:
        query = {"after": after, "type": event_type, "limit": _EVENTS_PER_ANSWER, "wait": _EVENT_WAIT_SECONDS}
        try:
            page = get_page(query)
        except SellthroughError as error:
            if not error.retryable:
                raise
            time.sleep(max(rest, error.retry_after_seconds or 0))
            rest = min(rest * 2, _REST_SECONDS_MAX)
            continue
        rest = _REST_SECONDS_MIN
        for event in page["data"]:
            yield event
            after = event["id"]
        after = _first(page.get("next_after"), after)


def _first(own: Optional[int], otherwise: Optional[int]) -> Optional[int]:
    return otherwise if own is None else own
