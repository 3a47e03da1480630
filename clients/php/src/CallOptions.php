<?php

declare(strict_types=1);

namespace Sellthrough\Client;

/** Options of one call, which override the client's. Null keeps the client's. */
final class CallOptions
{
    /**
     * @param float|null $timeoutSeconds the limit for one attempt, until its answer is read
     * @param float|null $totalTimeoutSeconds the limit for the whole call with its waits
     * @param int|null $retries 0 switches retries off
     */
    public function __construct(
        public readonly ?float $timeoutSeconds = null,
        public readonly ?float $totalTimeoutSeconds = null,
        public readonly ?int $retries = null
    ) {
    }
}
