<?php

declare(strict_types=1);

namespace Sellthrough\Client;

/** @internal One call of an operation, as its method describes it. */
final class Call
{
    /**
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $body
     * @param bool $holdsKeys the items of the body have their own idempotency keys
     */
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        public readonly array $query,
        public readonly ?array $body,
        public readonly bool $takesKey,
        public readonly bool $holdsKeys,
        public readonly ?string $idempotencyKey,
        public readonly CallOptions $options
    ) {
    }
}
