"""Runs calls of the Python client for php-and-python-clients.test.ts: one JSON command a line, one JSON answer a line."""

import inspect
import itertools
import json
import re
import sys

import sellthrough
from sellthrough import CallOptions, Sellthrough, SellthroughError, WebhookVerificationError, verify_webhook
from sellthrough._transport import retry_delay_seconds


class Stopped(Exception):
    pass


def snake(name):
    return re.sub("[A-Z]", lambda letter: "_" + letter.group().lower(), name)


def group_of(client, name):
    return client if name == "reseller" else getattr(client, snake(name))


def run(command):
    if "delay" in command:
        return {"answer": retry_delay_seconds(*command["delay"])}
    if "verify" in command:
        try:
            return {"answer": verify_webhook(*command["verify"])}
        except WebhookVerificationError as error:
            return {"error": {"message": str(error)}}
    retries = []

    def on_retry(retry):
        retries.append({"delay": retry.delay_seconds, "code": retry.error.code})
        if command.get("stops"):
            raise Stopped

    settings = {snake(name): value for name, value in command.get("settings", {}).items()}
    try:
        client = Sellthrough(command["address"], command["key"], **{"backoff_seconds": 0.001, **settings}, on_retry=on_retry)
    except ValueError as error:
        return {"error": {"message": str(error)}}
    group = group_of(client, command.get("group", "reseller"))
    if "methods" in command:
        public = [name for name, _ in inspect.getmembers(type(group), inspect.isfunction) if not name.startswith("_")]
        return {"answer": public, "repr": repr(client)}
    named = {}
    if "idempotencyKey" in command:
        named["idempotency_key"] = command["idempotencyKey"]
    if "options" in command:
        named["options"] = CallOptions(**{snake(name): value for name, value in command["options"].items()})
    try:
        answer = getattr(group, snake(command["call"]))(*command.get("args", []), **named)
        if "take" in command:
            answer = list(itertools.islice(answer, command["take"]))
        return {"answer": answer, "retries": retries}
    except Stopped:
        return {"stopped": True, "retries": retries}
    except SellthroughError as error:
        facts = dict(vars(error))
        facts["class"] = re.sub("Error$", "", type(error).__name__)
        facts["text"] = f"{error} {error!r}"
        facts["own"] = {name: getattr(error, name, None) for name in ("required", "reason", "field")}
        return {"error": facts, "retries": retries}


for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
