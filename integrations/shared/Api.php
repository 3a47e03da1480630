<?php
/**
 * Calls of a Sellthrough service for one account, through the PHP client, which retries safely. Both modules send everything
 * through here: each call is logged, and its failure becomes a Problem.
 *
 * Invariant: the log has neither the API key nor a login link.
 */

declare(strict_types=1);

namespace Sellthrough\Billing;

use Closure;
use InvalidArgumentException;
use Sellthrough\Client\ApiException;
use Sellthrough\Client\Sellthrough;
use Sellthrough\Client\SellthroughException;

final class Api
{
    private const RETRIES = 3;
    /** A slow service still answers an order within this time. */
    private const ANSWER_SECONDS = 20.0;
    /** A person waits for most calls. */
    private const TOTAL_SECONDS = 60.0;
    private const HIDDEN = '[hidden]';

    private ?Sellthrough $client = null;

    /**
     * @param string $address "https://sell.example.com", without a path
     * @param Closure(string, string, string, bool, string[]): void $log operation, request, response, whether it succeeded, and
     *  the strings that must not be in the log
     */
    public function __construct(
        public readonly string $address,
        private readonly string $key,
        private readonly Closure $log
    ) {
    }

    public static function addressOf(string $host, string $port, bool $secure): string
    {
        return ($secure ? 'https' : 'http') . '://' . rtrim(trim($host), '/') . ($port === '' ? '' : ":$port");
    }

    public function isTest(): bool
    {
        return str_starts_with($this->key, 'sk_test_');
    }

    /** Equal for one account at one address. The key cannot be guessed from it. */
    public function fingerprint(): string
    {
        return hash('sha256', "$this->address\n$this->key");
    }

    /**
     * Calls a method of the client: `ask('placeOrder', $body, idempotencyKey: $key)`.
     *
     * @return array<string, mixed> the answer
     * @throws Refusal if the service refuses
     * @throws NoAnswer if the answer is missing
     */
    public function ask(string $operation, mixed ...$arguments): array
    {
        return $this->logged($operation, $arguments, function () use ($operation, $arguments): array {
            $answer = $this->client()->$operation(...$arguments);
            return [$answer, self::json($answer), $answer['login_url'] ?? null];
        });
    }

    /**
     * Every item of a list: `all('eachCustomer')`.
     *
     * @return list<array<string, mixed>>
     * @throws Problem
     */
    public function all(string $walk, mixed ...$arguments): array
    {
        return $this->logged($walk, $arguments, function () use ($walk, $arguments): array {
            $items = iterator_to_array($this->client()->$walk(...$arguments), false);
            return [$items, count($items) . ' items', null];
        });
    }

    /** @param Closure(): array{array<mixed>, string, string|null} $call the answer, its text for the log, and its login link */
    private function logged(string $operation, array $arguments, Closure $call): array
    {
        try {
            [$answer, $text, $link] = $call();
        } catch (SellthroughException $error) {
            $facts = ['code' => $error->errorCode, 'message' => $error->getMessage(), 'details' => (object) $error->details];
            $this->write($operation, $arguments, self::json($facts + ['request_id' => $error->requestId]), false, null);
            throw self::problemOf($error);
        }
        $this->write($operation, $arguments, $text, true, $link);
        return $answer;
    }

    private static function problemOf(SellthroughException $error): Problem
    {
        return $error instanceof ApiException
            ? new Refusal($error->errorCode, $error->getMessage(), $error->details, !$error->mayHaveHappened)
            : new NoAnswer(rtrim($error->getMessage(), '.'));
    }

    private function client(): Sellthrough
    {
        if (preg_match('/^[!-~]+$/D', $this->key) !== 1) {
            throw new Refusal($this->key === '' ? 'missing_api_key' : 'invalid_api_key', 'The API key is invalid.', [], true);
        }
        try {
            return $this->client ??= new Sellthrough(
                $this->address,
                $this->key,
                timeoutSeconds: self::ANSWER_SECONDS,
                totalTimeoutSeconds: self::TOTAL_SECONDS,
                retries: self::RETRIES,
                curlOptions: [CURLOPT_USERAGENT => 'sellthrough-billing/' . VERSION]
            );
        } catch (InvalidArgumentException $problem) {
            throw new NoAnswer(rtrim($problem->getMessage(), '.'));
        }
    }

    /** @param array<int|string, mixed> $arguments */
    private function write(string $operation, array $arguments, string $text, bool $succeeded, ?string $link): void
    {
        $secrets = [$this->key];
        if ($link !== null) {
            array_push($secrets, $link, basename($link));
        }
        $hide = static fn (string $written): string => preg_replace(
            '#/login/[A-Za-z0-9_-]{20,}#',
            '/login/' . self::HIDDEN,
            str_replace(array_filter($secrets), self::HIDDEN, $written)
        ) ?? self::HIDDEN;
        $key = $arguments['idempotencyKey'] ?? null;
        unset($arguments['idempotencyKey']);
        $request = ($key === null ? '' : "Idempotency-Key: $key\n") . ($arguments === [] ? '' : self::json($arguments));
        ($this->log)($operation, $hide($request), $hide($text), $succeeded, $secrets);
    }

    private static function json(array $value): string
    {
        return json_encode($value, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES) ?: '';
    }
}
