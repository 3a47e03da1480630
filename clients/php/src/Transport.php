<?php

declare(strict_types=1);

namespace Sellthrough\Client;

use Closure;
use InvalidArgumentException;
use JsonException;

/**
 * @internal Sends one request and retries it while that is safe and there is time.
 *
 * Invariant: every attempt of a call has the same idempotency key. A change without a key is retried only if the service
 * certainly did not carry it out.
 */
final class Transport
{
    public const VERSION = '0.2.0';
    private const KEY = '/^[!-~]{1,80}$/D';
    /** curl's codes for: proxy or host unknown, no connection, no TLS, no trusted certificate. */
    private const NEVER_CONNECTED = [5, 6, 7, 35, 60];
    private const TIMED_OUT = 28;

    private readonly string $root;

    /**
     * @param (Closure(Retry): void)|null $onRetry
     * @param array<int, mixed> $curlOptions
     */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter]
        private readonly string $apiKey,
        private readonly float $timeoutSeconds,
        private readonly float $totalTimeoutSeconds,
        private readonly int $retries,
        private readonly float $backoffSeconds,
        private readonly float $backoffMaxSeconds,
        private readonly ?Closure $onRetry,
        private readonly array $curlOptions
    ) {
        // Check the key here: one that a header cannot carry would look like a lost connection.
        if (preg_match('/^[!-~]+$/D', $apiKey) !== 1) {
            throw new InvalidArgumentException('The API key must look like sk_live_…. Copy it from the panel.');
        }
        $this->root = (string) preg_replace('#/api/v1$#D', '', rtrim($baseUrl, '/'));
        if (preg_match('#^https?://[^/]#i', $this->root) !== 1) {
            $message = "The address must look like https://sell.example.com, not \"$baseUrl\".";
            throw new InvalidArgumentException($message);
        }
    }

    /** @return array<string, mixed> without the key, which a dump would show */
    public function __debugInfo(): array
    {
        return ['root' => $this->root];
    }

    /**
     * The answer's body; if the call takes a key, with `replayed`.
     *
     * @return array<string, mixed>
     * @throws SellthroughException
     */
    public function send(Call $call): array
    {
        $options = $call->options;
        $deadline = self::now() + ($options->totalTimeoutSeconds ?? $this->totalTimeoutSeconds);
        // The service may answer only after the seconds of `wait`.
        $attemptSeconds = ($options->timeoutSeconds ?? $this->timeoutSeconds) + (int) ($call->query['wait'] ?? 0);
        $retries = $options->retries ?? $this->retries;
        $callId = self::uuid(random_bytes(16), 4);
        $key = $call->takesKey ? $this->keyOf($call, $callId) : null;
        $body = $call->body === null ? null : self::encode($call->body);
        $mayHaveHappened = false;
        for ($attempt = 1; ; $attempt++) {
            $timeout = min($attemptSeconds, $deadline - self::now());
            $answer = $this->attempt($call, $body, $key, "$callId.$attempt", $timeout);
            if (is_array($answer)) {
                return $answer;
            }
            $mayHaveHappened = $mayHaveHappened || ($call->method !== 'GET' && $answer->outcome === 'unknown');
            $repeats = self::isRepeatable($call, $answer);
            $error = self::errorOf($answer, $key, $attempt, $repeats, $mayHaveHappened);
            if (!$repeats || $attempt > $retries) {
                throw $error;
            }
            $chance = random_int(0, PHP_INT_MAX - 1) / PHP_INT_MAX;
            $delay = self::retryDelaySeconds(
                $attempt,
                $answer->retryAfterSeconds,
                $this->backoffSeconds,
                $this->backoffMaxSeconds,
                $chance
            );
            if (self::now() + $delay >= $deadline) {
                throw $error;
            }
            if ($this->onRetry !== null) {
                ($this->onRetry)(new Retry($attempt, $delay, $error));
            }
            usleep((int) ($delay * 1_000_000));
        }
    }

    /** Exponential backoff with full jitter, but at least the wait that the service asked for. */
    public static function retryDelaySeconds(
        int $retry,
        ?int $retryAfterSeconds,
        float $backoffSeconds,
        float $backoffMaxSeconds,
        float $chance
    ): float {
        $jitter = $chance * min($backoffMaxSeconds, $backoffSeconds * 2.0 ** ($retry - 1));
        // Add the jitter on top, so that clients that were refused together do not return together.
        return ($retryAfterSeconds ?? 0) + $jitter;
    }

    /** @return array<string, mixed>|Failure */
    private function attempt(Call $call, ?string $body, ?string $key, string $requestId, float $timeout): array|Failure
    {
        if ($timeout <= 0) {
            return new Failure('timeout', 'There was no time left for an attempt.', $requestId, 'not sent');
        }
        $headers = ["Authorization: Bearer $this->apiKey", 'Accept: application/json', "X-Request-Id: $requestId"];
        // Without this, curl would wait for a permission to send a large body.
        $headers[] = 'Expect:';
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
        }
        if ($key !== null) {
            $headers[] = "Idempotency-Key: $key";
        }
        $answered = [];
        $curl = curl_init($this->root . $call->path . self::queryText($call->query));
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $call->method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            // Not followed: that would send the key to another address.
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            // On a connection that was used before, curl could repeat a request by itself.
            CURLOPT_FRESH_CONNECT => true,
            CURLOPT_FORBID_REUSE => true,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_TIMEOUT_MS => max(1, (int) ceil($timeout * 1000)),
            CURLOPT_CONNECTTIMEOUT_MS => max(1, (int) ceil($timeout * 1000)),
            CURLOPT_HEADERFUNCTION => static function ($curl, string $line) use (&$answered): int {
                [$name, $value] = explode(':', $line, 2) + [1 => null];
                if ($value !== null) {
                    $answered[strtolower($name)] = trim($value);
                }
                return strlen($line);
            },
        ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => $body]) + $this->curlOptions + [
            CURLOPT_USERAGENT => 'sellthrough-php/' . self::VERSION,
        ]);
        $text = curl_exec($curl);
        // An answer that breaks off is an error of curl too, so it counts as a lost connection.
        if (!is_string($text)) {
            return $this->connectionFailure($curl, $requestId, $timeout);
        }
        return self::read($call, (int) curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $answered, $text, $requestId);
    }

    private function connectionFailure(\CurlHandle $curl, string $requestId, float $timeout): Failure
    {
        $number = curl_errno($curl);
        $wasSent = !in_array($number, self::NEVER_CONNECTED, true) && curl_getinfo($curl, CURLINFO_REQUEST_SIZE) > 0;
        $outcome = $wasSent ? 'unknown' : 'not sent';
        if ($number === self::TIMED_OUT) {
            return new Failure('timeout', sprintf('No answer within %.3g seconds.', $timeout), $requestId, $outcome);
        }
        $message = "The connection to $this->root failed: " . curl_error($curl) . '.';
        return new Failure('connection_lost', $message, $requestId, $outcome);
    }

    /**
     * @param array<string, string> $headers
     * @return array<string, mixed>|Failure
     */
    private static function read(
        Call $call,
        int $status,
        array $headers,
        string $text,
        string $requestId
    ): array|Failure {
        $shown = $headers['x-request-id'] ?? $requestId;
        $body = json_decode($text, true);
        if ($status >= 200 && $status < 300 && is_array($body)) {
            $replayed = ['replayed' => ($headers['idempotent-replayed'] ?? '') === 'true'];
            return $call->takesKey ? $replayed + $body : $body;
        }
        $retryAfter = self::retryAfter($headers['retry-after'] ?? null);
        $error = is_array($body) ? ($body['error'] ?? null) : null;
        if (is_array($error) && is_string($error['code'] ?? null)) {
            $message = $error['message'] ?? null;
            $details = $error['details'] ?? null;
            return new Failure(
                $error['code'],
                is_string($message) ? $message : $error['code'],
                $shown,
                $status >= 400 && $status < 500 ? 'refused' : 'unknown',
                $status,
                is_array($details) ? $details : [],
                $retryAfter,
                true
            );
        }
        $isRedirect = $status >= 300 && $status < 400;
        $beginning = (string) preg_replace('/[^ -~]+/', ' ', substr($text, 0, 80));
        $start = $text === '' ? 'an empty body' : "\"$beginning\"";
        $message = $isRedirect
            ? 'The address redirects to ' . ($headers['location'] ?? 'nowhere') . '. Use the address it leads to.'
            : "The answer did not come from the service: HTTP $status with $start.";
        // A proxy sends 408 or 425 when a request did not get through, so these do not count as refusals.
        $isRefused = $isRedirect || ($status >= 400 && $status < 500 && $status !== 408 && $status !== 425);
        $outcome = $isRefused ? 'refused' : 'unknown';
        return new Failure('unexpected_answer', $message, $shown, $outcome, $status, [], $retryAfter);
    }

    private static function errorOf(
        Failure $failure,
        ?string $key,
        int $attempts,
        bool $retryable,
        bool $mayHaveHappened
    ): SellthroughException {
        $class = $failure->isOfService
            ? ApiException::classOf($failure->code, $failure->status, $failure->details)
            : NoAnswerException::class;
        return new $class(
            $failure->message,
            $failure->code,
            $failure->details,
            $failure->status,
            $failure->requestId,
            $key,
            $attempts,
            $retryable,
            $failure->retryAfterSeconds,
            $mayHaveHappened
        );
    }

    private static function isRepeatable(Call $call, Failure $failure): bool
    {
        if ($failure->code === 'rate_limited' && self::neverPasses($call->body ?? [], $failure->details)) {
            return false;
        }
        if ($failure->outcome === 'not sent' || $failure->status === 429) {
            return true;
        }
        // Retry only what cannot take effect twice: GET, PATCH, PUT, DELETE, and requests with an idempotency key.
        return $failure->outcome === 'unknown' && ($call->method !== 'POST' || $call->takesKey || $call->holdsKeys);
    }

    /**
     * @param array<string, mixed> $body
     * @param array<string, mixed> $details
     */
    private static function neverPasses(array $body, array $details): bool
    {
        [$orders, $most] = [$body['orders'] ?? null, $details['orders_max'] ?? null];
        return is_array($orders) && is_int($most) && count($orders) > $most;
    }

    private function keyOf(Call $call, string $callId): string
    {
        $key = $call->idempotencyKey ?? $call->body['idempotency_key'] ?? null;
        if ($key === null) {
            // A UUIDv7, so that new keys are adjacent in the service's index.
            $time = substr(pack('J', (int) (microtime(true) * 1000)), 2);
            return self::uuid($time . random_bytes(10), 7);
        }
        if (is_string($key) && preg_match(self::KEY, $key) === 1) {
            return $key;
        }
        // Some invalid keys cannot be sent in a header; they would look like a lost connection.
        $details = ['field' => 'idempotency_key', 'reason' => 'must be 1 to 80 visible ASCII characters'];
        $shown = is_scalar($key) ? (string) $key : '';
        $failure = new Failure(
            'invalid_idempotency_key',
            "`idempotency_key` {$details['reason']}.",
            $callId,
            'not sent',
            null,
            $details,
            null,
            true
        );
        throw self::errorOf($failure, $shown, 0, false, false);
    }

    private static function uuid(string $bytes, int $version): string
    {
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | $version << 4);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }

    /** @param array<string, mixed> $body */
    private static function encode(array $body): string
    {
        try {
            // An empty array would become a list, which the service refuses.
            $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;
            return json_encode((object) $body, $flags);
        } catch (JsonException $problem) {
            $message = "The body cannot be written as JSON: {$problem->getMessage()}.";
            throw new InvalidArgumentException($message, 0, $problem);
        }
    }

    /** @param array<string, mixed> $query */
    private static function queryText(array $query): string
    {
        $given = array_filter($query, static fn (mixed $value): bool => $value !== null);
        $asText = static fn (mixed $value): mixed => is_bool($value) ? ($value ? 'true' : 'false') : $value;
        $texts = array_map($asText, $given);
        return $texts === [] ? '' : '?' . http_build_query($texts);
    }

    /** Accepts seconds or a date. Returns null for anything else. */
    private static function retryAfter(?string $text): ?int
    {
        if ($text === null) {
            return null;
        }
        if (preg_match('/^[0-9]{1,9}$/D', $text) === 1) {
            return (int) $text;
        }
        $until = strtotime($text);
        return $until === false ? null : max(0, $until - time());
    }

    private static function now(): float
    {
        return hrtime(true) / 1e9;
    }
}
