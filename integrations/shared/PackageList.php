<?php
/**
 * The packages that can be ordered, as a module offers them in a drop-down, and the names of their limits. Kept for a minute in
 * files of the system's temporary folder, whose names no one can guess who does not have the key.
 */

declare(strict_types=1);

namespace Sellthrough\Billing;

final class PackageList
{
    private const KEPT_SECONDS = 60;

    /** @var array<string, list<array<string, mixed>>> */
    private array $read = [];

    public function __construct(private readonly Api $api)
    {
    }

    /**
     * @return list<array<string, mixed>>
     * @throws Problem
     */
    public function all(): array
    {
        return $this->read['packages'] ??= $this->kept('listPackages');
    }

    /**
     * What the operator lets packages grant, in the operator's order, without what only programs read.
     *
     * @return list<array<string, mixed>>
     * @throws Problem
     */
    public function definitions(): array
    {
        $this->read['limits'] ??= $this->kept('listLimits');
        return array_values(array_filter($this->read['limits'], static fn (array $limit): bool => !$limit['hidden']));
    }

    /** @return list<array<string, mixed>> */
    private function kept(string $operation): array
    {
        $file = sys_get_temp_dir() . "/sellthrough-$operation-" . $this->api->fingerprint() . '.json';
        clearstatcache(true, $file);
        if (is_file($file) && time() - (int) filemtime($file) < self::KEPT_SECONDS) {
            $kept = json_decode((string) file_get_contents($file), true);
            if (is_array($kept)) {
                return $kept;
            }
        }
        $items = $this->api->ask($operation)['data'] ?? [];
        $draft = tempnam(sys_get_temp_dir(), 'sellthrough-');
        // Not being able to keep them only costs a request more.
        if ($draft !== false && file_put_contents($draft, json_encode($items)) !== false) {
            rename($draft, $file);
        }
        return $items;
    }

    /**
     * The texts of a drop-down, by package id.
     *
     * @return array<string, string>
     * @throws Problem
     */
    public function choices(Sentences $sentences): array
    {
        $choices = [];
        foreach ($this->all() as $package) {
            $words = ['name' => $package['name'], 'price' => $package['price'], 'currency' => $package['currency']];
            $choices[(string) $package['id']] = $sentences->say($this->api->isTest() ? 'package_choice_test' : 'package_choice', $words);
        }
        return $choices;
    }

    /**
     * The limits of a plan by the name of its package; none for a package that is offered no more. A count of null is unlimited.
     *
     * @return array<string, int|bool|string|null>
     * @throws Problem
     */
    public function limitsOf(string $name): array
    {
        foreach ($this->all() as $package) {
            if ($package['name'] === $name) {
                return $package['limits'];
            }
        }
        return [];
    }
}
