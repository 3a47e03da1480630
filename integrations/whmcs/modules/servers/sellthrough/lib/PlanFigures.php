<?php
/**
 * What plans allow, as WHMCS's usage metrics: the counts among the operator's limits, and the days that are left. They are
 * limits, not what was used of them: Sellthrough does not know how much a customer uses.
 *
 * @see https://developers.whmcs.com/provisioning-modules/usage-metrics/
 */

declare(strict_types=1);

namespace Sellthrough\Whmcs;

use Sellthrough\Billing\Api;
use Sellthrough\Billing\PackageList;
use Sellthrough\Billing\PlanLimits;
use Sellthrough\Billing\Problem;
use Sellthrough\Billing\Sentences;
use WHMCS\UsageBilling\Contracts\Metrics\MetricInterface;
use WHMCS\UsageBilling\Contracts\Metrics\ProviderInterface;
use WHMCS\UsageBilling\Metrics\Metric;
use WHMCS\UsageBilling\Metrics\Units\WholeNumber;
use WHMCS\UsageBilling\Metrics\Usage;

final class PlanFigures implements ProviderInterface
{
    private readonly PackageList $packages;
    /** @var list<Metric>|null */
    private ?array $read = null;

    public function __construct(private readonly Api $api, private readonly Sentences $sentences)
    {
        $this->packages = new PackageList($api);
    }

    public function metrics()
    {
        if ($this->read === null) {
            $this->read = [];
            foreach ($this->labels() as $name => $label) {
                $this->read[] = new Metric($name, $label, MetricInterface::TYPE_SNAPSHOT, new WholeNumber($label));
            }
        }
        return $this->read;
    }

    /** @return array<string, string> by the key of the limit */
    private function labels(): array
    {
        $labels = [];
        try {
            foreach ($this->packages->definitions() as $limit) {
                if ($limit['kind'] === 'count') {
                    $unit = PlanLimits::unit($limit, $this->sentences);
                    $name = PlanLimits::inLanguage($limit['name'], $this->sentences);
                    $labels[$limit['key']] = $unit === '' ? $name : "$name ($unit)";
                }
            }
        } catch (Problem) {
            // The days are counted all the same; the module log has the reason.
        }
        $labels['days_left'] = $this->sentences->say('days_left');
        return $labels;
    }

    /** By the customer's reference, which is the service's username. */
    public function usage()
    {
        $usage = [];
        try {
            foreach ($this->api->all('eachCustomer') as $customer) {
                $usage[$customer['reference']] = $this->figuresOf($customer);
            }
        } catch (Problem) {
            // WHMCS keeps what it had; the module log has the reason.
        }
        return $usage;
    }

    public function tenantUsage($tenant)
    {
        try {
            $page = $this->api->ask('listCustomers', ['q' => $tenant, 'limit' => 100]);
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
        return array_map(static function ($metric) use ($figures) {
            $name = $metric->systemName();
            $isUnlimited = array_key_exists($name, $figures) && $figures[$name] === null;
            // No figure says unlimited, and 0 would say that nothing is allowed.
            return $isUnlimited ? $metric : $metric->withUsage(new Usage($figures[$name] ?? 0));
        }, $this->metrics());
    }
}
