<?php

declare(strict_types=1);

namespace Sellthrough\Client;

use RuntimeException;

/**
 * A call failed: an ApiException if the service answered, a NoAnswerException if it did not. Decide by class or by
 * `$errorCode`, which is stable, never by the message.
 */
abstract class SellthroughException extends RuntimeException
{
    /**
     * @param string $errorCode an error code of the API (see ErrorCode), or `connection_lost`, `timeout`,
     *  `unexpected_answer`
     * @param array<string, mixed> $details
     * @param int|null $status the HTTP status; null without an answer
     * @param string $requestId the X-Request-Id of the last attempt. Quote it to support
     * @param string|null $idempotencyKey pass it to the same call again to never charge twice. Null if the call takes
     *  no key
     * @param int $attempts how many times the request was sent
     * @param bool $retryable true if the same call with the same key may succeed later. For insufficient_credit it is
     *  false: add funds first
     * @param int|null $retryAfterSeconds the wait that the service asked for
     * @param bool $mayHaveHappened true if the order may have been placed: repeat with `$idempotencyKey` to find out.
     *  False: nothing was done
     */
    final public function __construct(
        string $message,
        public readonly string $errorCode,
        public readonly array $details,
        public readonly ?int $status,
        public readonly string $requestId,
        public readonly ?string $idempotencyKey,
        public readonly int $attempts,
        public readonly bool $retryable,
        public readonly ?int $retryAfterSeconds,
        public readonly bool $mayHaveHappened
    ) {
        parent::__construct($message);
    }

    /** @internal A text of `$details`. */
    final protected function detail(string $name): string
    {
        $value = $this->details[$name] ?? '';
        return is_scalar($value) ? (string) $value : '';
    }
}
