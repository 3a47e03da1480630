<?php

declare(strict_types=1);

namespace Sellthrough\Client;

use RuntimeException;

/** The delivery does not come from the service, or is too old. Answer 400, and the service sends it again. */
final class WebhookVerificationException extends RuntimeException
{
}
