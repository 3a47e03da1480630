<?php
/**
 * The life of a service without a billing system: what WHMCS would call, in its order, and what it gets back.
 *
 *   SELLTHROUGH_URL=… SELLTHROUGH_KEY=… [SELLTHROUGH_ADMIN_KEY=…] php try-module.php <prefix>
 */

declare(strict_types=1);

require __DIR__ . '/sellthrough.php';

/** Where WHMCS keeps what a module stores about a service. */
final class ServiceProperties
{
    private array $stored = [];

    public function get(string $name): string
    {
        return $this->stored[$name] ?? '';
    }

    public function save(array $values): void
    {
        $this->stored = $values + $this->stored;
    }
}

final class Service
{
    public string $billingcycle = 'Monthly';

    public function __construct(public readonly ServiceProperties $serviceProperties = new ServiceProperties())
    {
    }
}

$url = parse_url(getenv('SELLTHROUGH_URL'));
$params = [
    'serverhostname' => $url['host'],
    'serverport' => $url['port'] ?? '',
    'serversecure' => $url['scheme'] === 'https',
    'serveraccesshash' => getenv('SELLTHROUGH_KEY'),
    'serverpassword' => '',
    'serviceid' => 1734,
    'configoption1' => '1',
    'configoption2' => $argv[1] ?? 'acme',
    'model' => new Service(),
];

function show(string $step, string|array $answer): void
{
    global $params;
    if (is_array($answer)) {
        $answer = json_encode($answer, JSON_UNESCAPED_SLASHES);
    }
    $plan = sellthrough_customer($params)['plan'] ?? null;
    $shown = $plan === null ? '' : " [{$plan['package']} until {$plan['expires_at']}]";
    $balance = sellthrough_request($params, 'GET', '/api/v1/balance')['balance'];
    echo "$step: $answer$shown balance $balance\n";
}

show('test connection', sellthrough_TestConnection($params));
show('wrong key', sellthrough_TestConnection(['serveraccesshash' => 'sk_live_wrong'] + $params));
show('login before creation', sellthrough_ServiceSingleSignOn($params));
show('create', sellthrough_CreateAccount($params));

// The answer was lost after the order was placed: what the module had stored is gone, the cron calls again.
$params['model'] = new Service();
show('create again', sellthrough_CreateAccount($params));
show('renew', sellthrough_Renew($params));

$params['model']->billingcycle = 'Quarterly';
show('renew for three months', sellthrough_Renew($params));
$params['model']->billingcycle = 'Biennially';
show('renew for two years', sellthrough_Renew($params));

$params['model']->billingcycle = 'Monthly';
$params['configoption1'] = '2';
show('change the package', sellthrough_ChangePackage($params));
show('log in', sellthrough_ServiceSingleSignOn($params));
show('suspend', sellthrough_SuspendAccount($params));
show('terminate', sellthrough_TerminateAccount($params));

if (str_starts_with((string) getenv('SELLTHROUGH_KEY'), 'sk_test_')) {
    sellthrough_request($params, 'POST', '/api/v1/test/clock', ['advance' => 'P1M'], 'a-month-later');
    show('terminate a month later', sellthrough_TerminateAccount($params));
}
if (getenv('SELLTHROUGH_ADMIN_KEY')) {
    $params['serverpassword'] = getenv('SELLTHROUGH_ADMIN_KEY');
    show('suspend with the operator’s key', sellthrough_SuspendAccount($params));
    show('unsuspend', sellthrough_UnsuspendAccount($params));
    show('terminate', sellthrough_TerminateAccount($params));
}

$params['model']->billingcycle = 'Annually';
show('a year that the balance does not cover', sellthrough_Renew($params));
