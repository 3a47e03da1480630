<?php

declare(strict_types=1);

namespace Sellthrough\Client;

/** Status 401 or 403: the key is unknown or revoked, lacks a scope, or may not be used from here. */
final class AccessDeniedException extends ApiException
{
}
