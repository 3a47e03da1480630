<?php

declare(strict_types=1);

namespace Sellthrough\Client;

/** `insufficient_credit`: nothing was charged. Add funds, then repeat the call with the same key. */
final class InsufficientCreditException extends ApiException
{
    /** A decimal string, such as `"3.00"`. */
    public function balance(): string
    {
        return $this->detail('balance');
    }

    /** The amount that the order needs after any refund, as a decimal string. */
    public function required(): string
    {
        return $this->detail('required');
    }

    /** Such as `USD`. */
    public function currency(): string
    {
        return $this->detail('currency');
    }
}
