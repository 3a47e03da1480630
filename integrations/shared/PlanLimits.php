<?php
/** What a plan grants, by the names that the operator gave, in the reader's language. Nothing is escaped here. */

declare(strict_types=1);

namespace Sellthrough\Billing;

final class PlanLimits
{
    /**
     * None where they cannot be read: a page shows the plan all the same.
     *
     * @param string $package the name of the plan's package
     * @return list<array{label: string, value: string}> in the operator's order
     */
    public static function rows(PackageList $packages, string $package, Sentences $sentences): array
    {
        try {
            [$values, $definitions] = [$packages->limitsOf($package), $packages->definitions()];
        } catch (Problem) {
            return [];
        }
        $rows = [];
        foreach ($definitions as $limit) {
            if (array_key_exists($limit['key'], $values)) {
                $rows[] = [
                    'label' => self::inLanguage($limit['name'], $sentences),
                    'value' => self::shown($values[$limit['key']], self::unit($limit, $sentences), $sentences),
                ];
            }
        }
        return $rows;
    }

    /** @param array<string, string> $texts by language; English is always there */
    public static function inLanguage(array $texts, Sentences $sentences): string
    {
        return $texts[$sentences->say('language')] ?? $texts['en'];
    }

    /** @param array<string, mixed> $limit */
    public static function unit(array $limit, Sentences $sentences): string
    {
        return isset($limit['unit']) ? self::inLanguage($limit['unit'], $sentences) : '';
    }

    private static function shown(int|bool|string|null $value, string $unit, Sentences $sentences): string
    {
        if ($value === null) {
            return $sentences->say('unlimited');
        }
        if (is_bool($value)) {
            return $sentences->say($value ? 'yes' : 'no');
        }
        return $unit === '' ? (string) $value : "$value $unit";
    }
}
