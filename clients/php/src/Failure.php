<?php

declare(strict_types=1);

namespace Sellthrough\Client;

/** @internal Why one attempt failed. */
final class Failure
{
    /**
     * @param 'not sent'|'refused'|'unknown' $outcome not sent: nothing reached the service. refused: it did nothing.
     *  unknown: it may have done it
     * @param array<string, mixed> $details
     * @param bool $isOfService whether the code comes from the service
     */
    public function __construct(
        public readonly string $code,
        public readonly string $message,
        public readonly string $requestId,
        public readonly string $outcome,
        public readonly ?int $status = null,
        public readonly array $details = [],
        public readonly ?int $retryAfterSeconds = null,
        public readonly bool $isOfService = false
    ) {
    }
}
