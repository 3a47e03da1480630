<?php
/**
 * Requests to a Sellthrough service: one account, by its key. Both billing panels' modules send all that they ask through here.
 *
 * Invariant: what may pass (a lost connection, 429, 5xx) is sent again with the same idempotency key, so that it is charged
 * once; a refusal is not sent again. Neither the key nor a login link is in what is given to the log.
 */

declare(strict_types=1);

namespace Sellthrough\Billing;

use Closure;

final class Api
{
    private const ATTEMPTS = 4;
    private const CONNECT_SECONDS = 5;
    /** An order that a slow service still carries out is answered within these. */
    private const ANSWER_SECONDS = 20;
    private const LONGEST_PAUSE_SECONDS = 10;
    private const HIDDEN = '[hidden]';

    /**
     * @param string $address "https://sell.example.com", without a path
     * @param Closure(string, string, string, bool, string[]): void $log action, request, response, whether it succeeded, and
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

    /** Whether all that is done with the key is a test. */
    public function isTest(): bool
    {
        return str_starts_with($this->key, 'sk_test_');
    }

    /** The same for one account at one address, and nothing that the key could be guessed from. */
    public function fingerprint(): string
    {
        return hash('sha256', "$this->address\n$this->key");
    }

    /**
     * @param array<string, mixed>|null $body
     * @return array<string, mixed>
     * @throws Refusal where the service says no
     * @throws NoAnswer where no one knows what became of the request
     */
    public function ask(string $method, string $path, ?array $body = null, ?string $idempotencyKey = null): array
    {
        $sent = $body === null ? '' : json_encode((object) $body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
        $headers = ["Authorization: Bearer {$this->key}", 'Accept: application/json'];
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
        }
        if ($idempotencyKey !== null) {
            $headers[] = "Idempotency-Key: $idempotencyKey";
        }
        for ($attempt = 1; ; $attempt++) {
            [$status, $text, $problem, $retryAfter] = $this->send($method, $path, $headers, $body === null ? null : $sent);
            $answer = json_decode($text, true);
            $isWhole = is_array($answer);
            if ($status >= 200 && $status < 300 && $isWhole) {
                $this->write($method, $path, $sent, $idempotencyKey, $text, true, $answer);
                return $answer;
            }
            $mayPass = $status < 400 || $status === 429 || $status >= 500;
            if ($mayPass && $attempt < self::ATTEMPTS) {
                $pause = random_int(0, 250_000 * 2 ** $attempt);
                usleep(min(self::LONGEST_PAUSE_SECONDS, $retryAfter) * 1_000_000 + $pause);
                continue;
            }
            $this->write($method, $path, $sent, $idempotencyKey, $text !== '' ? $text : $problem, false, $isWhole ? $answer : []);
            if ($isWhole && is_string($answer['error']['code'] ?? null) && $status >= 400) {
                $details = $answer['error']['details'] ?? [];
                throw new Refusal(
                    $answer['error']['code'],
                    (string) ($answer['error']['message'] ?? $answer['error']['code']),
                    is_array($details) ? $details : [],
                    !$mayPass || $status === 429
                );
            }
            throw new NoAnswer($problem !== '' ? $problem : "HTTP $status");
        }
    }

    /**
     * @param string[] $headers
     * @return array{int, string, string, int} status, body, what went wrong on the way, seconds of Retry-After
     */
    private function send(string $method, string $path, array $headers, ?string $sent): array
    {
        $retryAfter = 0;
        $curl = curl_init($this->address . $path);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            // The key goes to this address and nowhere else.
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_CONNECTTIMEOUT => self::CONNECT_SECONDS,
            CURLOPT_TIMEOUT => self::ANSWER_SECONDS,
            CURLOPT_USERAGENT => 'sellthrough-billing/' . VERSION,
            CURLOPT_HEADERFUNCTION => static function ($curl, string $line) use (&$retryAfter): int {
                if (preg_match('/^retry-after:\s*(\d{1,5})\s*$/i', $line, $found)) {
                    $retryAfter = (int) $found[1];
                }
                return strlen($line);
            },
        ] + ($sent === null ? [] : [CURLOPT_POSTFIELDS => $sent]));
        $text = curl_exec($curl);
        $result = [
            (int) curl_getinfo($curl, CURLINFO_RESPONSE_CODE),
            is_string($text) ? $text : '',
            curl_error($curl),
            $retryAfter,
        ];
        // Half an answer counts as no answer.
        if ($text === false) {
            $result[0] = 0;
        }
        return $result;
    }

    /** @param array<string, mixed> $answer */
    private function write(string $method, string $path, string $sent, ?string $idempotencyKey, string $text, bool $succeeded, array $answer): void
    {
        $secrets = [$this->key];
        if (is_string($answer['login_url'] ?? null)) {
            $link = $answer['login_url'];
            // As it stands in JSON too, and what is secret of it alone.
            array_push($secrets, $link, str_replace('/', '\/', $link), basename($link));
        }
        $hide = static fn (string $written): string => preg_replace(
            '#/login/[A-Za-z0-9_-]{20,}#',
            '/login/' . self::HIDDEN,
            str_replace($secrets, self::HIDDEN, $written)
        ) ?? self::HIDDEN;
        $request = ($idempotencyKey === null ? '' : "Idempotency-Key: $idempotencyKey\n") . $sent;
        ($this->log)("$method $path", $hide($request), $hide($text), $succeeded, $secrets);
    }
}
