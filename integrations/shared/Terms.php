<?php
/** What a product of a panel says about its orders, read and checked before anything is sent. */

declare(strict_types=1);

namespace Sellthrough\Billing;

final class Terms
{
    private function __construct(
        public readonly int $packageId,
        public readonly int $months,
        public readonly ?string $costLimit,
        public readonly string $prefix
    ) {
    }

    /**
     * @param int|null $months null: no period of Sellthrough's
     * @param string $cycle as the panel calls the period, for the sentence that refuses it
     * @param string $monthlyLimit the most that a month may cost; empty for no limit
     * @throws CannotDo
     */
    public static function of(string $packageId, ?int $months, string $cycle, string $monthlyLimit, string $prefix): self
    {
        if ($months === null || !in_array($months, [1, 3, 12], true)) {
            throw new CannotDo('cycle', ['cycle' => $cycle]);
        }
        if (preg_match('/^[1-9]\d{0,8}$/', trim($packageId)) !== 1) {
            throw new CannotDo('no_package');
        }
        $prefix = trim($prefix);
        if (preg_match('/^[A-Za-z0-9][A-Za-z0-9._-]{0,19}$/', $prefix) !== 1) {
            throw new CannotDo('prefix');
        }
        return new self((int) trim($packageId), $months, self::limitFor(trim($monthlyLimit), $months), $prefix);
    }

    /** In whole cents: an amount never passes through a float. */
    private static function limitFor(string $monthly, int $months): ?string
    {
        if ($monthly === '') {
            return null;
        }
        if (preg_match('/^(\d{1,9})(?:\.(\d{1,2}))?$/', $monthly, $found) !== 1) {
            throw new CannotDo('cost_limit', ['limit' => $monthly]);
        }
        $cents = ((int) $found[1] * 100 + (int) str_pad($found[2] ?? '', 2, '0')) * $months;
        return sprintf('%d.%02d', intdiv($cents, 100), $cents % 100);
    }
}
