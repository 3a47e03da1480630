<?php
/**
 * What keeps a request from being carried out: the service says no (Refusal), no one answers (NoAnswer), or the module itself
 * cannot do what the billing panel wants (CannotDo). Sentences.php has the words for each.
 */

declare(strict_types=1);

namespace Sellthrough\Billing;

use RuntimeException;

abstract class Problem extends RuntimeException
{
}

final class Refusal extends Problem
{
    /**
     * @param array<string, mixed> $details
     * @param bool $isFinal nothing was done; otherwise the service itself failed, and may have done it
     */
    public function __construct(
        public readonly string $name,
        string $message,
        public readonly array $details,
        public readonly bool $isFinal
    ) {
        parent::__construct($message);
    }
}

final class NoAnswer extends Problem
{
}

final class CannotDo extends Problem
{
    /** @param array<string, string> $words what stands in the sentence */
    public function __construct(public readonly string $sentence, public readonly array $words = [])
    {
        parent::__construct($sentence);
    }
}
