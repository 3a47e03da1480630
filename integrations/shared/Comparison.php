<?php
/**
 * A service of the panel beside its plan at Sellthrough: what differs, and what of it the panel may take over by itself.
 *
 * Invariant: a due date is only ever moved forward, to the end of a plan that was paid for longer. A date
 * after the plan's end has been paid by the client: it is reported, never moved back.
 */

declare(strict_types=1);

namespace Sellthrough\Billing;

final class Comparison
{
    /** Whole days by which two calendars may disagree: the plan's end is in UTC. */
    private const TOLERATED_DAYS = 1;

    /**
     * @param 'active'|'suspended'|'ended' $status how the panel has the service
     * @param string $due yyyy-mm-dd, or anything else where the panel has none
     * @param array<string, mixed>|null $customer null: not found
     * @return array{due: string|null, status: 'suspended'|'ended'|null, notes: list<array{string, array<string, string>}>}
     *  what to take over, and the sentences
     */
    public static function of(string $status, string $due, ?array $customer, string $packageName): array
    {
        $found = ['due' => null, 'status' => null, 'notes' => []];
        if ($customer === null) {
            $found['notes'][] = ['differs_missing', []];
            return $found;
        }
        $plan = $customer['plan'];
        $end = substr($plan['expires_at'], 0, 10);
        $runs = in_array($plan['status'], ['active', 'suspended'], true);
        if ($status === 'ended') {
            if ($runs && !$plan['ends_at_period_end']) {
                $found['notes'][] = ['differs_still_runs', ['end' => $end]];
            }
            return $found;
        }
        if ($plan['status'] === 'cancelled') {
            $found['status'] = 'ended';
            $found['notes'][] = ['differs_cancelled', ['end' => $end]];
            return $found;
        }
        if (!$runs) {
            $found['notes'][] = ['differs_expired', ['end' => $end]];
            return $found;
        }
        if ($plan['status'] === 'suspended' && $status === 'active') {
            $found['status'] = 'suspended';
            $found['notes'][] = [$customer['status'] === 'suspended' ? 'differs_suspended_by_operator' : 'differs_suspended', []];
        }
        if ($plan['status'] === 'active' && $status === 'suspended') {
            $found['notes'][] = ['differs_not_suspended', []];
        }
        if ($packageName !== '' && $packageName !== $plan['package']) {
            $found['notes'][] = ['differs_package', ['plan' => $plan['package'], 'product' => $packageName]];
        }
        $days = self::daysBetween($due, $end);
        if ($days !== null && $days > 0) {
            $found['due'] = $end;
            $found['notes'][] = ['differs_due', ['due' => $due, 'end' => $end]];
        }
        if ($days !== null && $days < -self::TOLERATED_DAYS) {
            $found['notes'][] = ['differs_paid_further', ['due' => $due, 'end' => $end]];
        }
        if (is_string($plan['auto_renew']['failure'] ?? null)) {
            $found['notes'][] = ['differs_renewal_failed', ['code' => $plan['auto_renew']['failure']]];
        }
        return $found;
    }

    private static function daysBetween(string $from, string $to): ?int
    {
        if (preg_match('/^[1-9]\d{3}-\d\d-\d\d/', $from) !== 1) {
            return null;
        }
        $seconds = strtotime(substr($to, 0, 10) . ' UTC') - strtotime(substr($from, 0, 10) . ' UTC');
        return (int) round($seconds / 86_400);
    }
}
