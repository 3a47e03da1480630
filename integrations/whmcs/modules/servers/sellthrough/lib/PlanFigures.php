<?php
/**
 * What plans allow, as WHMCS's usage metrics: accounts, posts a day, AI images a month, and the days that are left. They are
 * limits, not what was used of them: Sellthrough does not know how much a customer uses.
 *
 * @see https://developers.whmcs.com/provisioning-modules/usage-metrics/
 */

declare(strict_types=1);

namespace Sellthrough\Whmcs;

use Sellthrough\Billing\Api;
use Sellthrough\Billing\PackageList;
use Sellthrough\Billing\Problem;
use Sellthrough\Billing\Sentences;
use WHMCS\UsageBilling\Contracts\Metrics\MetricInterface;
use WHMCS\UsageBilling\Contracts\Metrics\ProviderInterface;
use WHMCS\UsageBilling\Metrics\Metric;
use WHMCS\UsageBilling\Metrics\Units\WholeNumber;
use WHMCS\UsageBilling\Metrics\Usage;

final class PlanFigures implements ProviderInterface
{
    private const NAMES = [
        'accounts' => 'limit_accounts',
        'posts_per_day' => 'limit_posts_per_day',
        'ai_images_per_month' => 'limit_ai_images_per_month',
        'days_left' => 'days_left',
    ];

    private readonly PackageList $packages;

    public function __construct(private readonly Api $api, private readonly Sentences $sentences)
    {
        $this->packages = new PackageList($api);
    }

    public function metrics()
    {
        $metrics = [];
        foreach (self::NAMES as $name => $text) {
            $label = $this->sentences->say($text);
            $metrics[] = new Metric($name, $label, MetricInterface::TYPE_SNAPSHOT, new WholeNumber($label));
        }
        return $metrics;
    }

    /** By the customer's reference, which is the service's username. */
    public function usage()
    {
        $usage = [];
        $cursor = '';
        try {
            do {
                $page = $this->api->ask('GET', '/api/v1/customers?' . http_build_query(['limit' => 100, 'cursor' => $cursor]));
                foreach ($page['data'] as $customer) {
                    $usage[$customer['reference']] = $this->figuresOf($customer);
                }
                $cursor = $page['next_cursor'] ?? null;
            } while (is_string($cursor));
        } catch (Problem) {
            // WHMCS keeps what it had; the module log has the reason.
        }
        return $usage;
    }

    public function tenantUsage($tenant)
    {
        try {
            $page = $this->api->ask('GET', '/api/v1/customers?' . http_build_query(['q' => $tenant, 'limit' => 100]));
            foreach ($page['data'] as $customer) {
                if ($customer['reference'] === $tenant) {
                    return $this->figuresOf($customer);
                }
            }
        } catch (Problem) {
        }
        return [];
    }

    private function figuresOf(array $customer): array
    {
        $figures = ['days_left' => $customer['plan']['days_left']];
        if ($customer['plan']['active']) {
            $figures += $this->packages->limitsOf($customer['plan']['package']);
        }
        return array_map(
            static fn ($metric) => $metric->withUsage(new Usage($figures[$metric->systemName()] ?? 0)),
            $this->metrics()
        );
    }
}
