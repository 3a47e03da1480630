<?php
/**
 * The packages that can be ordered, as a module offers them in a drop-down. Kept for a minute in a file of the system's
 * temporary folder, whose name no one can guess who does not have the key.
 */

declare(strict_types=1);

namespace Sellthrough\Billing;

final class PackageList
{
    private const KEPT_SECONDS = 60;

    /** @var list<array<string, mixed>>|null */
    private ?array $read = null;

    public function __construct(private readonly Api $api)
    {
    }

    /**
     * @return list<array<string, mixed>>
     * @throws Problem
     */
    public function all(): array
    {
        return $this->read ??= $this->kept();
    }

    /** @return list<array<string, mixed>> */
    private function kept(): array
    {
        $file = sys_get_temp_dir() . '/sellthrough-packages-' . $this->api->fingerprint() . '.json';
        clearstatcache(true, $file);
        if (is_file($file) && time() - (int) filemtime($file) < self::KEPT_SECONDS) {
            $kept = json_decode((string) file_get_contents($file), true);
            if (is_array($kept)) {
                return $kept;
            }
        }
        $packages = $this->api->ask('GET', '/api/v1/packages')['data'] ?? [];
        $draft = tempnam(sys_get_temp_dir(), 'sellthrough-');
        // Not being able to keep them only costs a request more.
        if ($draft !== false && file_put_contents($draft, json_encode($packages)) !== false) {
            rename($draft, $file);
        }
        return $packages;
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
     * The limits of a plan by the name of its package; none for a package that is offered no more.
     *
     * @return array<string, int>
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
