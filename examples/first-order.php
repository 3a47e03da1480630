<?php
/**
 * The first order with the PHP client: the balance, the packages, an order, and the same order again.
 *
 * SELLTHROUGH_URL=https://sell.example.com SELLTHROUGH_KEY=sk_test_… php first-order.php ada@example.com
 */

declare(strict_types=1);

use Sellthrough\Client\InsufficientCreditException;
use Sellthrough\Client\Sellthrough;

require __DIR__ . '/vendor/autoload.php';

function stop(string $sentence): never
{
    fwrite(STDERR, "$sentence\n");
    exit(1);
}

$customer = $argv[1] ?? stop('usage: first-order.php <e-mail address or username>');
$client = new Sellthrough((string) getenv('SELLTHROUGH_URL'), (string) getenv('SELLTHROUGH_KEY'));

['balance' => $balance, 'currency' => $currency] = $client->getBalance();
echo "balance: $balance $currency\n";

foreach ($client->listPackages()['data'] as $package) {
    $prices = array_map(static fn (array $each): string => "{$each['price']} {$each['period']}", $package['prices']);
    echo "{$package['id']} {$package['name']}: ", implode(', ', $prices), "\n";
}

foreach (['first', 'again'] as $attempt) {
    try {
        // Your own name for this order. No matter what happens on the way, send it again with the same key: it is charged once.
        $placed = $client->placeOrder(
            ['package_id' => 1, 'customer' => $customer],
            idempotencyKey: "first-order-of-$customer"
        );
    } catch (InsufficientCreditException $error) {
        stop("The balance is {$error->balance()}, the order needs {$error->required()}.");
    }
    $order = $placed['order'];
    $what = $placed['replayed'] ? 'the same order' : "order {$order['id']}";
    echo "$attempt: $what, {$order['package']['name']} until {$order['expires_at']}, {$placed['balance']} left\n";
}
