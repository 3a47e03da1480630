<?php

declare(strict_types=1);

namespace Sellthrough\Client;

/** `order_failed`: the reason says why, such as `plan_not_running`. */
final class OrderFailedException extends ApiException
{
    /** Expect new reasons. */
    public function reason(): string
    {
        return $this->detail('reason');
    }
}
