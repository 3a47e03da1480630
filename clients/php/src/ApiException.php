<?php

declare(strict_types=1);

namespace Sellthrough\Client;

/** The service answered with an error. Codes without a class of their own are of this class. */
class ApiException extends SellthroughException
{
    private const BY_CODE = [
        'insufficient_credit' => InsufficientCreditException::class,
        'rate_limited' => RateLimitedException::class,
        'order_failed' => OrderFailedException::class,
        'price_changed' => PriceChangedException::class,
        'idempotency_conflict' => IdempotencyConflictException::class,
    ];

    /**
     * @internal The class of an error answer: by its code, else by its status, else by its details.
     * @param array<string, mixed> $details
     * @return class-string<ApiException>
     */
    final public static function classOf(string $code, ?int $status, array $details): string
    {
        return self::BY_CODE[$code] ?? match (true) {
            $status === 404 => NotFoundException::class,
            $status === 401, $status === 403 => AccessDeniedException::class,
            isset($details['field'], $details['reason']) => InvalidFieldException::class,
            default => self::class,
        };
    }
}
