<?php

declare(strict_types=1);

namespace Sellthrough\Client;

/** Status 404, such as `order_not_found`, also for an id that belongs to another account. */
final class NotFoundException extends ApiException
{
}
