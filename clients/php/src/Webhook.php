<?php

declare(strict_types=1);

namespace Sellthrough\Client;

use InvalidArgumentException;

/** Verifies webhook deliveries (Standard Webhooks) on the receiving server. */
final class Webhook
{
    private const TOLERANCE_SECONDS = 300;

    /**
     * The event, if `$secret` signed it within the last five minutes. During a rotation both secrets work.
     *
     * @param string $body as it came, not parsed: `file_get_contents('php://input')`
     * @param array<string, mixed> $headers `getallheaders()`, `$_SERVER`, or the headers of a PSR-7 request
     * @param string $secret `whsec_…`
     * @return array<string, mixed>
     * @throws WebhookVerificationException
     */
    public static function verify(string $body, array $headers, #[\SensitiveParameter] string $secret): array
    {
        $found = [];
        foreach ($headers as $name => $value) {
            $plain = preg_replace('/^http-/', '', str_replace('_', '-', strtolower((string) $name)));
            $found[$plain] = is_array($value) ? ($value[0] ?? null) : $value;
        }
        $id = self::header($found, 'webhook-id');
        $timestamp = self::header($found, 'webhook-timestamp');
        $signatures = self::header($found, 'webhook-signature');
        $isNumber = preg_match('/^[0-9]{1,12}$/D', $timestamp) === 1;
        if (!$isNumber || abs(time() - (int) $timestamp) > self::TOLERANCE_SECONDS) {
            throw new WebhookVerificationException('webhook-timestamp is more than five minutes away: check the clock.');
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", self::keyOf($secret), true));
        // There are several signatures while a secret is replaced.
        foreach (explode(' ', $signatures) as $signature) {
            if (hash_equals($expected, $signature)) {
                return json_decode($body, true, 512, JSON_THROW_ON_ERROR);
            }
        }
        throw new WebhookVerificationException(
            'No signature is of this secret: check the secret, and that the body is as it came.'
        );
    }

    /** @param array<string, mixed> $found */
    private static function header(array $found, string $name): string
    {
        $value = $found[$name] ?? null;
        if (!is_string($value) || $value === '') {
            throw new WebhookVerificationException("The header $name is missing.");
        }
        return $value;
    }

    private static function keyOf(string $secret): string
    {
        $key = base64_decode((string) preg_replace('/^whsec_/', '', $secret), true);
        if ($key === false || $key === '') {
            throw new InvalidArgumentException('A secret looks like whsec_….');
        }
        return $key;
    }
}
