<?php

/** Runs calls of the PHP client for php-and-python-clients.test.ts: one JSON command a line, one JSON answer a line. */

declare(strict_types=1);

use Sellthrough\Client\CallOptions;
use Sellthrough\Client\Retry;
use Sellthrough\Client\Sellthrough;
use Sellthrough\Client\SellthroughException;
use Sellthrough\Client\Transport;
use Sellthrough\Client\Webhook;
use Sellthrough\Client\WebhookVerificationException;

require __DIR__ . '/../../clients/php/autoload.php';

final class Stopped extends Exception
{
}

function seconds(mixed $value): mixed
{
    return is_array($value) ? array_map('seconds', $value) : $value;
}

function run(array $command): array
{
    if (isset($command['delay'])) {
        return ['answer' => Transport::retryDelaySeconds(...$command['delay'])];
    }
    if (isset($command['verify'])) {
        try {
            return ['answer' => Webhook::verify(...$command['verify'])];
        } catch (WebhookVerificationException $error) {
            return ['error' => ['message' => $error->getMessage()]];
        }
    }
    $retries = [];
    $onRetry = static function (Retry $retry) use (&$retries, $command): void {
        $retries[] = ['delay' => $retry->delaySeconds, 'code' => $retry->error->errorCode];
        if ($command['stops'] ?? false) {
            throw new Stopped();
        }
    };
    $settings = ($command['settings'] ?? []) + ['backoffSeconds' => 0.001];
    try {
        $client = new Sellthrough($command['address'], $command['key'], ...$settings, onRetry: $onRetry);
    } catch (InvalidArgumentException $error) {
        return ['error' => ['message' => $error->getMessage()]];
    }
    $group = ($command['group'] ?? 'reseller') === 'reseller' ? $client : $client->{$command['group']};
    if ($command['methods'] ?? false) {
        $public = array_filter(get_class_methods($group), static fn (string $name): bool => !str_starts_with($name, '__'));
        return ['answer' => array_values($public), 'repr' => print_r($client, true)];
    }
    $named = [];
    if (array_key_exists('idempotencyKey', $command)) {
        $named['idempotencyKey'] = $command['idempotencyKey'];
    }
    if (isset($command['options'])) {
        $named['options'] = new CallOptions(...$command['options']);
    }
    try {
        $answer = $group->{$command['call']}(...$command['args'] ?? [], ...$named);
        if (isset($command['take'])) {
            $items = [];
            foreach ($answer as $item) {
                $items[] = $item;
                if (count($items) === $command['take']) {
                    break;
                }
            }
            $answer = $items;
        }
        return ['answer' => $answer, 'retries' => $retries];
    } catch (Stopped) {
        return ['stopped' => true, 'retries' => $retries];
    } catch (SellthroughException $error) {
        $own = [];
        foreach (['required', 'reason', 'field'] as $name) {
            $own[$name] = method_exists($error, $name) ? $error->$name() : null;
        }
        return ['retries' => $retries, 'error' => [
            'class' => preg_replace('/^.*\\\\|Exception$/', '', $error::class),
            'code' => $error->errorCode,
            'message' => $error->getMessage(),
            'details' => (object) $error->details,
            'status' => $error->status,
            'request_id' => $error->requestId,
            'idempotency_key' => $error->idempotencyKey,
            'attempts' => $error->attempts,
            'retryable' => $error->retryable,
            'retry_after_seconds' => $error->retryAfterSeconds,
            'may_have_happened' => $error->mayHaveHappened,
            'text' => $error . print_r($error->details, true),
            'own' => $own,
        ]];
    }
}

while (($line = fgets(STDIN)) !== false) {
    $result = run(json_decode($line, true, 512, JSON_THROW_ON_ERROR));
    fwrite(STDOUT, json_encode($result, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES) . "\n");
}
