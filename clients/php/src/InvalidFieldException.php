<?php

declare(strict_types=1);

namespace Sellthrough\Client;

/** The service refused a field of the request, for example with `invalid_customer` or `validation_failed`. */
final class InvalidFieldException extends ApiException
{
    /** The name of the field. */
    public function field(): string
    {
        return $this->detail('field');
    }

    /** For people. */
    public function reason(): string
    {
        return $this->detail('reason');
    }
}
