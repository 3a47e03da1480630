<?php

declare(strict_types=1);

namespace Sellthrough\Client;

/** `rate_limited`: the client has waited and retried as long as its limits allow. */
final class RateLimitedException extends ApiException
{
}
