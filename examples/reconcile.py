"""Compares your own books with the service: every order, every charge, every top-up, and the balance.

SELLTHROUGH_URL=… SELLTHROUGH_KEY=… python3 reconcile.py books.csv ledger.csv

books.csv is yours:  kind,name,amount   with a line "order,<idempotency key>,<price less refund>" for each order and
                                        "top-up,<your note>,<amount>" for each payment to the operator.
ledger.csv is the service's: "Export CSV" on the ledger page of your panel.

Prints a line for each difference. Exits with 0 when there is none, 1 when there are some.
"""

import csv
import os
import sys
from collections import Counter
from decimal import Decimal

from sellthrough import Sellthrough

if len(sys.argv) != 3:
    sys.exit("usage: reconcile.py books.csv ledger.csv")
with open(sys.argv[1], newline="", encoding="utf-8") as file:
    books = list(csv.DictReader(file))
with open(sys.argv[2], newline="", encoding="utf-8") as file:
    ledger = list(csv.DictReader(file))

client = Sellthrough(os.environ["SELLTHROUGH_URL"], os.environ["SELLTHROUGH_KEY"])
balance = Decimal(client.get_balance()["balance"])
orders = {order["idempotency_key"]: order for order in client.each_order()}
differences = []

# 1. Each order of mine is in the service with my amount, and no other is.
mine = {line["name"]: Decimal(line["amount"]) for line in books if line["kind"] == "order"}
for key in sorted(mine.keys() | orders.keys()):
    if key not in orders:
        differences.append(f"order {key}: {mine[key]} in the books, not at the service")
        continue
    charged = Decimal(orders[key]["price"]) - Decimal(orders[key]["refund"])
    if key not in mine:
        differences.append(f"order {key}: {charged} at the service, not in the books")
    elif mine[key] != charged:
        differences.append(f"order {key}: {mine[key]} in the books, {charged} at the service")

# 2. The ledger charges each order with what the order says.
charged_by_ledger = Counter()
for entry in ledger:
    if entry["order_id"] != "":
        charged_by_ledger[int(entry["order_id"])] -= Decimal(entry["amount"])
for order in orders.values():
    charged = Decimal(order["price"]) - Decimal(order["refund"])
    if charged_by_ledger.pop(order["id"], Decimal(0)) != charged:
        differences.append(f"order {order['idempotency_key']}: the ledger does not charge {charged}")
for order_id in charged_by_ledger:
    differences.append(f"order {order_id}: in the ledger, not among the orders")

# 3. What I paid in is what was credited, amount by amount.
paid = Counter(Decimal(line["amount"]) for line in books if line["kind"] == "top-up")
credited = Counter(Decimal(entry["amount"]) for entry in ledger if entry["order_id"] == "")
for amount in sorted((paid - credited).elements()):
    differences.append(f"top-up {amount}: paid, not credited")
for amount in sorted((credited - paid).elements()):
    differences.append(f"top-up {amount}: credited, not in the books")

# 4. The ledger adds up to the balance. (An order placed since the export shows here, and above.)
total = sum((Decimal(entry["amount"]) for entry in ledger), Decimal(0))
if total != balance:
    differences.append(f"balance {balance}: the ledger adds up to {total}")

print(f"{len(mine)} orders and {sum(paid.values())} top-ups in the books, {len(ledger)} entries in the ledger")
print("\n".join(differences) if differences else f"no difference, balance {balance}")
sys.exit(1 if differences else 0)
