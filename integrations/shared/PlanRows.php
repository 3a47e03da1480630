<?php
/** A customer's plan as label and value, for the pages of either panel. Nothing is escaped here: the pages do it. */

declare(strict_types=1);

namespace Sellthrough\Billing;

final class PlanRows
{
    private const STATUSES = ['active', 'suspended', 'cancelled', 'expired'];

    /**
     * @param array<string, mixed> $customer
     * @return list<array{label: string, value: string}>
     */
    public static function of(array $customer, PackageList $packages, Sentences $sentences): array
    {
        $plan = $customer['plan'];
        $status = in_array($plan['status'], self::STATUSES, true) ? $sentences->say("status_{$plan['status']}") : $plan['status'];
        $renews = $plan['auto_renew'] === null
            ? $sentences->say('auto_renew_not')
            : $sentences->say('auto_renew_months', [
                'months' => $plan['auto_renew']['months'],
                'next' => self::day($plan['auto_renew']['next_at'] ?? ''),
            ]);
        $rows = [
            ['label' => $sentences->say('plan'), 'value' => $plan['package']],
            ['label' => $sentences->say('status'), 'value' => $status],
            ['label' => $sentences->say('ends'), 'value' => self::day($plan['expires_at'])],
            ['label' => $sentences->say('auto_renew'), 'value' => $renews],
        ];
        return [...$rows, ...PlanLimits::rows($packages, $plan['package'], $sentences)];
    }

    /** The day in UTC, as the service counts it. */
    private static function day(?string $at): string
    {
        return $at === null || $at === '' ? '–' : substr($at, 0, 10);
    }
}
