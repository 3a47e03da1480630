<?php

declare(strict_types=1);

namespace Sellthrough\Client;

/** `idempotency_conflict`: the key was used for a different request. Nothing was done. */
final class IdempotencyConflictException extends ApiException
{
}
