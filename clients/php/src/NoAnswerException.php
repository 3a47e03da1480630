<?php

declare(strict_types=1);

namespace Sellthrough\Client;

/** The service's answer is missing or incomplete: `connection_lost`, `timeout`, `unexpected_answer`. */
final class NoAnswerException extends SellthroughException
{
}
