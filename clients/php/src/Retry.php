<?php

declare(strict_types=1);

namespace Sellthrough\Client;

/** What `onRetry` receives before each retry. */
final class Retry
{
    /** @param int $retry 1 for the first retry */
    public function __construct(
        public readonly int $retry,
        public readonly float $delaySeconds,
        public readonly SellthroughException $error
    ) {
    }
}
