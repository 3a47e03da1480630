<?php

declare(strict_types=1);

namespace Sellthrough\Client;

/** `price_changed`: the order costs more than `max_charge`. Nothing was charged. */
final class PriceChangedException extends ApiException
{
}
