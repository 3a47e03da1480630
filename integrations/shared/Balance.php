<?php
/** The account's balance for the staff of either panel, with a warning when the renewals of a month need more. */

declare(strict_types=1);

namespace Sellthrough\Billing;

final class Balance
{
    private const DAYS = 31;

    /**
     * @return array{value: string, warning: string, link: string} nothing is escaped; without a warning, `link` is empty
     * @throws Problem
     */
    public static function of(Api $api, Sentences $sentences): array
    {
        $forecast = $api->ask('getForecast', ['days' => self::DAYS]);
        $runsOutOn = $forecast['runs_out_on'] ?? null;
        return [
            'value' => "{$forecast['balance']} {$forecast['currency']}",
            'warning' => is_string($runsOutOn) ? $sentences->say('balance_low', ['day' => $runsOutOn]) : '',
            'link' => is_string($runsOutOn) ? "{$api->address}/panel/top-ups" : '',
        ];
    }
}
