"""The first order with the Python client: the balance, the packages, an order, and the same order again.

SELLTHROUGH_URL=https://sell.example.com SELLTHROUGH_KEY=sk_test_… python3 first_order.py ada@example.com
"""

import os
import sys

from sellthrough import InsufficientCreditError, Sellthrough

if len(sys.argv) != 2:
    sys.exit("usage: first_order.py <e-mail address or username>")
customer = sys.argv[1]
client = Sellthrough(os.environ["SELLTHROUGH_URL"], os.environ["SELLTHROUGH_KEY"])

balance = client.get_balance()
print(f"balance: {balance['balance']} {balance['currency']}")

for package in client.list_packages()["data"]:
    prices = ", ".join(f"{each['price']} {each['period']}" for each in package["prices"])
    print(f"{package['id']} {package['name']}: {prices}")

for attempt in ("first", "again"):
    try:
        # Your own name for this order. No matter what happens on the way, send it again with the same key: it is charged once.
        key = f"first-order-of-{customer}"
        placed = client.place_order({"package_id": 1, "customer": customer}, idempotency_key=key)
    except InsufficientCreditError as error:
        sys.exit(f"The balance is {error.balance}, the order needs {error.required}.")
    order = placed["order"]
    what = "the same order" if placed["replayed"] else f"order {order['id']}"
    until = f"{order['package']['name']} until {order['expires_at']}"
    print(f"{attempt}: {what}, {until}, {placed['balance']} left")
