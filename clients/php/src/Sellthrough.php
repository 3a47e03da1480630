<?php

declare(strict_types=1);

namespace Sellthrough\Client;

use Closure;

/**
 * The client of a Sellthrough service: one method for each operation of the API, named as in openapi.json.
 *
 * `$client = new Sellthrough('https://sell.example.com', 'sk_live_…');`
 *
 * Orders and other changes carry an idempotency key, the same on every retry, so nothing is charged twice. Every method
 * throws SellthroughException. Amounts are decimal strings (`"12.50"`), times ISO 8601 in UTC.
 */
final class Sellthrough extends ResellerOperations
{
    /** Needs an administrator's key; other keys get `forbidden`. */
    public readonly AdminOperations $admin;
    /** Needs a key with the scope `product`. */
    public readonly ProductOperations $product;
    /** Needs a test key, `sk_test_…`. */
    public readonly TestModeOperations $testMode;

    /**
     * @param string $baseUrl the service's address. A trailing `/api/v1` is accepted
     * @param string $apiKey `sk_live_…`, or `sk_test_…` for test mode. Keep it on your server
     * @param float $timeoutSeconds the limit for one attempt, until its answer is read
     * @param float $totalTimeoutSeconds the limit for a whole call with its waits. A longer Retry-After ends the call
     *  at once
     * @param int $retries 0 switches retries off
     * @param float $backoffSeconds the longest wait before the first retry. It doubles each time
     * @param float $backoffMaxSeconds the longest wait before any retry, unless the service asks for more
     * @param (Closure(Retry): void)|null $onRetry called before each retry, for your log
     * @param array<int, mixed> $curlOptions more options of curl, such as CURLOPT_PROXY or CURLOPT_CAINFO
     * @throws \InvalidArgumentException for an address or a key that cannot be used
     */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter]
        string $apiKey,
        float $timeoutSeconds = 15.0,
        float $totalTimeoutSeconds = 60.0,
        int $retries = 5,
        float $backoffSeconds = 0.25,
        float $backoffMaxSeconds = 8.0,
        ?Closure $onRetry = null,
        array $curlOptions = []
    ) {
        $transport = new Transport(
            $baseUrl,
            $apiKey,
            $timeoutSeconds,
            $totalTimeoutSeconds,
            $retries,
            $backoffSeconds,
            $backoffMaxSeconds,
            $onRetry,
            $curlOptions
        );
        parent::__construct($transport);
        $this->admin = new AdminOperations($transport);
        $this->product = new ProductOperations($transport);
        $this->testMode = new TestModeOperations($transport);
    }
}
