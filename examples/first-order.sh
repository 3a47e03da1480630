#!/bin/sh
# The first order with curl: the balance, the packages, an order, and the same order again.
#
#   SELLTHROUGH_URL=https://sell.example.com SELLTHROUGH_KEY=sk_test_… sh first-order.sh ada@example.com
set -eu
customer=${1:?"usage: first-order.sh <e-mail address or username>"}

# --retry-all-errors: lost connections too; 4xx answers are not errors to curl and are not sent again, but 429 is, after
# its Retry-After. The key goes in through standard input: every user of the machine can read what is in arguments.
api() {
  path=$1
  shift
  printf 'header = "Authorization: Bearer %s"\n' "$SELLTHROUGH_KEY" |
    curl --config - --silent --show-error --max-time 15 \
      --retry 5 --retry-all-errors --retry-max-time 60 \
      --write-out '\nHTTP %{http_code}\n' "$@" "$SELLTHROUGH_URL/api/v1$path"
}

api /balance
api /packages

# Your own name for this order. No matter what happens on the way, send it again with the same key: it is charged once.
order() {
  api /orders --header "Idempotency-Key: first-order-of-$customer" \
    --data "{\"package_id\": 1, \"customer\": \"$customer\"}"
}
order
order
