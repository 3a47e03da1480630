<?php
/**
 * What a module says when something cannot be done, in plain sentences of the panel's language: each code of the API that
 * happens in business has its own, any other is quoted with the service's own words.
 *
 * Invariant: a sentence says whether money moved.
 */

declare(strict_types=1);

namespace Sellthrough\Billing;

use Closure;

final class Sentences
{
    /** Of order_failed, by its reason. */
    private const REASONS = ['order_pending', 'plan_changed', 'term_too_long', 'account_halted', 'account_full', 'plan_not_running'];
    private const CODES = [
        'insufficient_credit',
        'price_changed',
        'customer_not_yours',
        'package_unavailable',
        'invalid_package',
        'idempotency_conflict',
        'invalid_api_key',
        'revoked_api_key',
        'missing_api_key',
        'insufficient_scope',
        'account_blocked',
        'api_disabled',
        'ip_not_allowed',
        'customer_not_found',
        'order_not_found',
        'rate_limited',
    ];

    /** @param Closure(string): string $find the text of a name, in the reader's language */
    public function __construct(private readonly Closure $find)
    {
    }

    /** @param array<string, string|int> $words */
    public function say(string $name, array $words = []): string
    {
        $pairs = [];
        foreach ($words as $word => $value) {
            $pairs["{{$word}}"] = (string) $value;
        }
        return strtr(($this->find)($name), $pairs);
    }

    public function of(Problem $problem): string
    {
        if ($problem instanceof CannotDo) {
            return $this->say($problem->sentence, $problem->words);
        }
        if ($problem instanceof NoAnswer) {
            return $this->say('no_answer', ['problem' => $problem->getMessage()]);
        }
        assert($problem instanceof Refusal);
        $words = ['message' => $problem->getMessage(), 'code' => $problem->name];
        foreach ($problem->details as $name => $value) {
            if (is_scalar($value)) {
                $words[$name] = (string) $value;
            }
        }
        $reason = (string) ($problem->details['reason'] ?? '');
        if ($problem->name === 'order_failed' && in_array($reason, self::REASONS, true)) {
            return $this->say("refused_$reason", $words);
        }
        if ($problem->name === 'insufficient_credit' && isset($words['topup_url'])) {
            return $this->say('refused_insufficient_credit_link', $words);
        }
        if (in_array($problem->name, self::CODES, true)) {
            return $this->say("refused_{$problem->name}", $words);
        }
        return $this->say('refused', $words);
    }
}
