<?php
/**
 * Sellthrough for WHMCS: modules/servers/sellthrough/.
 *
 * Each service is one customer at Sellthrough, named "<prefix>-<service id>" when it is first created, and so for good. What
 * orders do and why none is charged twice stands in lib/ServicePlan.php; here WHMCS's functions are translated into it.
 *
 * The server's hostname is the address of the service, its access hash the API key. A test key is welcome, and shown as one.
 *
 * @see https://developers.whmcs.com/provisioning-modules/
 */

declare(strict_types=1);

if (!defined('WHMCS')) {
    die('This file cannot be accessed directly');
}

require_once __DIR__ . '/lib/load.php';

use Sellthrough\Billing\Api;
use Sellthrough\Billing\Balance;
use Sellthrough\Billing\CannotDo;
use Sellthrough\Billing\Comparison;
use Sellthrough\Billing\PackageList;
use Sellthrough\Billing\PlanRows;
use Sellthrough\Billing\Problem;
use Sellthrough\Billing\Sentences;
use Sellthrough\Billing\ServicePlan;
use Sellthrough\Billing\Terms;
use WHMCS\Database\Capsule;
use WHMCS\Service\Service;

function sellthrough_MetaData(): array
{
    return [
        'DisplayName' => 'Sellthrough',
        'APIVersion' => '1.1',
        'RequiresServer' => true,
        'DefaultNonSSLPort' => '80',
        'DefaultSSLPort' => '443',
        'ServiceSingleSignOnLabel' => 'Log in to Sellthrough',
        // What usage figures are distinguished by: the customer's reference, kept as the service's username.
        'ListAccountsUniqueIdentifierDisplayName' => 'Customer',
        'ListAccountsUniqueIdentifierField' => 'username',
        'ListAccountsProductField' => 'configoption1',
    ];
}

/** The first two stand where the module had them that was an example: products keep their settings. */
function sellthrough_ConfigOptions(): array
{
    return [
        'Package id' => [
            'Type' => 'text',
            'Size' => '10',
            'Loader' => 'sellthrough_LoadPackages',
            'SimpleMode' => true,
            'Description' => 'What is ordered at Sellthrough',
        ],
        'Prefix' => [
            'Type' => 'text',
            'Size' => '20',
            'SimpleMode' => true,
            'Description' => 'Before the service id, yours alone: acme',
        ],
        'Cost limit' => [
            'Type' => 'text',
            'Size' => '10',
            'SimpleMode' => true,
            'Description' => 'The most that a month may cost you, such as 12.50; empty: any price',
        ],
        'Termination' => [
            'Type' => 'dropdown',
            'Options' => [
                'now' => 'ends the plan at once and gives back the unused time',
                'period_end' => 'lets the paid time run out',
            ],
            'Default' => 'now',
            'SimpleMode' => true,
            'Description' => '',
        ],
        'Keep in step' => [
            'Type' => 'dropdown',
            'Options' => [
                'apply' => 'take over due dates and status, and report',
                'report' => 'report only',
            ],
            'Default' => 'apply',
            'SimpleMode' => true,
            'Description' => 'What the daily cron does where WHMCS and Sellthrough differ',
        ],
        'E-mail' => [
            'Type' => 'yesno',
            'SimpleMode' => true,
            'Description' => 'Show the client’s e-mail address beside the name at Sellthrough',
        ],
    ];
}

/**
 * What the field "Package id" offers.
 *
 * @throws Exception whose message WHMCS shows
 */
function sellthrough_LoadPackages(array $params): array
{
    $sentences = sellthrough_sentences($params);
    try {
        return (new PackageList(sellthrough_api($params)))->choices($sentences);
    } catch (Problem $problem) {
        throw new Exception($sentences->say('packages_away', ['reason' => $sentences->of($problem)]));
    }
}

function sellthrough_TestConnection(array $params): array
{
    try {
        sellthrough_api($params)->ask('getBalance');
        return ['success' => true, 'error' => ''];
    } catch (Problem $problem) {
        return ['success' => false, 'error' => sellthrough_sentences($params)->of($problem)];
    }
}

function sellthrough_CreateAccount(array $params): string
{
    return sellthrough_attempt($params, static function (ServicePlan $plan) use ($params): void {
        $terms = sellthrough_terms($params);
        $plan->create(
            $plan->reference() ?? "$terms->prefix-{$params['serviceid']}",
            $terms->packageId,
            $terms->months,
            $terms->costLimit,
            ['name' => sellthrough_name($params), 'external_ref' => (string) $params['serviceid']]
        );
    });
}

function sellthrough_Renew(array $params): string
{
    return sellthrough_attempt($params, static function (ServicePlan $plan) use ($params): void {
        $terms = sellthrough_terms($params);
        $plan->renew($terms->packageId, $terms->months, $terms->costLimit, sellthrough_due($params['model']));
    });
}

function sellthrough_ChangePackage(array $params): string
{
    return sellthrough_attempt($params, static function (ServicePlan $plan) use ($params): void {
        $terms = sellthrough_terms($params);
        $plan->change($terms->packageId, $terms->months, $terms->costLimit);
    });
}

function sellthrough_SuspendAccount(array $params): string
{
    return sellthrough_attempt($params, static fn (ServicePlan $plan) => $plan->suspend((string) ($params['suspendreason'] ?? '')));
}

function sellthrough_UnsuspendAccount(array $params): string
{
    return sellthrough_attempt($params, static fn (ServicePlan $plan) => $plan->resume());
}

function sellthrough_TerminateAccount(array $params): string
{
    $at = ($params['configoption4'] ?? '') === 'period_end' ? 'period_end' : 'now';
    return sellthrough_attempt($params, static fn (ServicePlan $plan) => $plan->end($at));
}

function sellthrough_ServiceSingleSignOn(array $params): array
{
    try {
        return ['success' => true, 'redirectTo' => sellthrough_plan($params)->loginLink()];
    } catch (Problem $problem) {
        return ['success' => false, 'errorMsg' => sellthrough_sentences($params, true)->of($problem)];
    }
}

function sellthrough_ClientArea(array $params): array
{
    $sentences = sellthrough_sentences($params, true);
    $vars = [
        'title' => $sentences->say('your_plan'),
        'testMode' => sellthrough_api($params)->isTest() ? $sentences->say('test_mode') : '',
        'message' => '',
        'rows' => [],
        'loginLabel' => '',
        'serviceId' => (int) $params['serviceid'],
    ];
    try {
        $customer = sellthrough_plan($params)->customer();
        if ($customer === null) {
            $vars['message'] = $sentences->say('not_yet');
        } else {
            $vars['rows'] = PlanRows::of($customer, new PackageList(sellthrough_api($params)), $sentences);
            $vars['loginLabel'] = $customer['plan']['active'] && $customer['status'] === 'active' ? $sentences->say('log_in') : '';
        }
    } catch (Problem) {
        $vars['message'] = $sentences->say('away');
    }
    return ['templatefile' => 'clientarea', 'vars' => $vars];
}

function sellthrough_AdminCustomButtonArray(): array
{
    return ['Compare with Sellthrough' => 'compare'];
}

/** The button: the same as the daily cron does for all, and an answer at once. */
function sellthrough_compare(array $params): string
{
    try {
        $sentences = sellthrough_sentences($params);
        $plan = sellthrough_plan($params);
        $customer = $plan->isCreated() ? $plan->customer() : null;
        $notes = sellthrough_keep_in_step($params, $params['model'], $plan, $customer, $sentences);
        return $notes === '' ? 'success' : $notes;
    } catch (Problem $problem) {
        return sellthrough_sentences($params)->of($problem);
    }
}

function sellthrough_AdminServicesTabFields(array $params): array
{
    $sentences = sellthrough_sentences($params);
    $plan = sellthrough_plan($params);
    $safe = static fn (string $text): string => htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE, 'UTF-8');
    $isTest = sellthrough_api($params)->isTest();
    $fields = [
        $sentences->say('mode') => $isTest ? '<strong>' . $safe($sentences->say('test_mode')) . '</strong>' : $safe($sentences->say('mode_live')),
        $sentences->say('customer') => $safe($plan->reference() ?? '–'),
    ];
    try {
        $balance = Balance::of(sellthrough_api($params), $sentences);
        $low = $balance['warning'] === '' ? '' : ' <strong>' . $safe($balance['warning']) . '</strong> <a href="' . $safe($balance['link'])
            . '" target="_blank" rel="noopener noreferrer">' . $safe($sentences->say('add_funds')) . '</a>';
        $fields[$sentences->say('balance')] = $safe($balance['value']) . $low;
    } catch (Problem $problem) {
        $fields[$sentences->say('balance')] = $safe($sentences->of($problem));
    }
    try {
        $customer = $plan->customer();
        foreach ($customer === null ? [] : PlanRows::of($customer, new PackageList(sellthrough_api($params)), $sentences) as $row) {
            // The operator names limits: a name may be one of the labels, or have signs of HTML.
            $label = $safe($row['label']);
            while (isset($fields[$label])) {
                $label .= ' ';
            }
            $fields[$label] = $safe($row['value']);
        }
    } catch (Problem $problem) {
        $fields[$sentences->say('plan')] = $safe($sentences->of($problem));
    }
    if ($plan->waitsForAnswer()) {
        $fields[$sentences->say('last_order')] = $safe($sentences->say('differs_waiting'));
    }
    return $fields;
}

/**
 * WHMCS's cron calls it once a day for each server: all its services are held against their plans. Due dates and status are
 * taken over, and what differs is written to the activity log.
 */
function sellthrough_UsageUpdate(array $params): void
{
    $sentences = sellthrough_sentences($params);
    try {
        $customers = array_column(sellthrough_api($params)->all('eachCustomer'), null, 'id');
    } catch (Problem $problem) {
        logActivity('Sellthrough: ' . $sentences->of($problem));
        return;
    }
    $services = Capsule::table('tblhosting')
        ->where('server', $params['serverid'])
        ->whereIn('domainstatus', ['Active', 'Suspended', 'Terminated', 'Cancelled'])
        ->get();
    foreach ($services as $row) {
        $model = Service::find($row->id);
        if ($model === null) {
            continue;
        }
        $product = Capsule::table('tblproducts')->where('id', $row->packageid)->first();
        if ($product === null || $product->servertype !== 'sellthrough') {
            continue;
        }
        $own = ['serviceid' => $row->id, 'userid' => $row->userid, 'model' => $model] + $params;
        for ($option = 1; $option <= 6; $option++) {
            $own["configoption$option"] = $product->{"configoption$option"} ?? '';
        }
        $state = sellthrough_state($model);
        if (!isset($state['customer_id'])) {
            continue;
        }
        sellthrough_keep_in_step($own, $model, sellthrough_plan($own), $customers[$state['customer_id']] ?? null, $sentences);
    }
}

/** What a plan allows, as figures that products can be priced by. */
function sellthrough_MetricProvider(array $params): \WHMCS\UsageBilling\Contracts\Metrics\ProviderInterface
{
    require_once __DIR__ . '/lib/PlanFigures.php';
    return new \Sellthrough\Whmcs\PlanFigures(sellthrough_api($params), sellthrough_sentences($params));
}

// ---- what the functions above share

/** @param Closure(ServicePlan): mixed $action */
function sellthrough_attempt(array $params, Closure $action): string
{
    try {
        $action(sellthrough_plan($params));
        return 'success';
    } catch (Problem $problem) {
        return sellthrough_sentences($params)->of($problem);
    }
}

function sellthrough_api(array $params): Api
{
    $log = static function (string $action, string $request, string $response, bool $succeeded, array $secrets): void {
        // WHMCS masks the given secrets; Api has already masked every form of them.
        logModuleCall('sellthrough', $action, $request, $response, '', $secrets);
    };
    $port = (string) ($params['serverport'] ?? '');
    $secure = in_array($params['serversecure'] ?? false, [true, 'on', '1', 1], true);
    $host = (string) ($params['serverhostname'] ?? '');
    return new Api(Api::addressOf($host === '' ? (string) ($params['serverip'] ?? '') : $host, $port, $secure), (string) ($params['serveraccesshash'] ?? ''), $log);
}

function sellthrough_plan(array $params): ServicePlan
{
    $remember = static function (array $state) use ($params): void {
        $written = json_encode($state, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
        $kept = ['Sellthrough order' => $written];
        // For people, and for the usage figures; not before Sellthrough has the customer.
        if (isset($state['customer_id'])) {
            $kept['Username'] = $state['reference'];
        }
        $params['model']->serviceProperties->save($kept);
    };
    return new ServicePlan(sellthrough_api($params), sellthrough_state($params['model']), $remember);
}

/** Custom fields may come back as they are shown on a page. */
function sellthrough_state(object $model): array
{
    $stored = (string) $model->serviceProperties->get('Sellthrough order');
    $state = json_decode($stored, true) ?? json_decode(html_entity_decode($stored, ENT_QUOTES), true);
    return is_array($state) ? $state : [];
}

/** @throws CannotDo */
function sellthrough_terms(array $params): Terms
{
    $cycle = (string) $params['model']->billingcycle;
    return Terms::of(
        (string) ($params['configoption1'] ?? ''),
        ['Monthly' => 1, 'Quarterly' => 3, 'Annually' => 12][$cycle] ?? null,
        $cycle,
        (string) ($params['configoption3'] ?? ''),
        (string) ($params['configoption2'] ?? '')
    );
}

function sellthrough_due(object $model): string
{
    return substr((string) $model->nextduedate, 0, 10);
}

function sellthrough_name(array $params): string
{
    $client = $params['clientsdetails'] ?? [];
    $decoded = static fn (string $field): string => trim(html_entity_decode((string) ($client[$field] ?? ''), ENT_QUOTES | ENT_HTML5));
    $name = trim($decoded('firstname') . ' ' . $decoded('lastname'));
    $name = $decoded('companyname') === '' ? $name : ($name === '' ? $decoded('companyname') : "{$decoded('companyname')}, $name");
    $email = ($params['configoption6'] ?? '') === 'on' ? $decoded('email') : '';
    return $email === '' ? $name : trim("$name <$email>");
}

/** @return string what differs, in sentences; empty where nothing does */
function sellthrough_keep_in_step(array $params, object $model, ServicePlan $plan, ?array $customer, Sentences $sentences): string
{
    $notes = [];
    if ($plan->waitsForAnswer()) {
        // What the answer says decides what is right; until then nothing is touched.
        $notes[] = $sentences->say('differs_waiting');
    } elseif ($plan->isCreated()) {
        $statuses = ['Active' => 'active', 'Suspended' => 'suspended'];
        $found = Comparison::of(
            $statuses[(string) $model->domainstatus] ?? 'ended',
            sellthrough_due($model),
            $customer,
            sellthrough_package_name($params)
        );
        foreach ($found['notes'] as [$name, $words]) {
            $notes[] = $sentences->say($name, $words);
        }
        $changes = array_filter([
            'nextduedate' => $found['due'],
            'status' => ['suspended' => 'Suspended', 'ended' => 'Cancelled'][$found['status'] ?? ''] ?? null,
        ]);
        if ($changes !== [] && ($params['configoption5'] ?? '') !== 'report') {
            $result = localAPI('UpdateClientProduct', ['serviceid' => $params['serviceid']] + $changes);
            $notes[] = ($result['result'] ?? '') === 'success' ? $sentences->say('taken_over') : (string) ($result['message'] ?? 'UpdateClientProduct');
        }
    }
    if ($notes !== []) {
        logActivity("Sellthrough, Service ID: {$params['serviceid']}: " . implode(' ', $notes), (int) ($params['userid'] ?? 0));
    }
    return implode(' ', $notes);
}

function sellthrough_package_name(array $params): string
{
    try {
        foreach ((new PackageList(sellthrough_api($params)))->all() as $package) {
            if ((string) $package['id'] === trim((string) ($params['configoption1'] ?? ''))) {
                return $package['name'];
            }
        }
    } catch (Problem) {
    }
    return '';
}

/**
 * Clients read their own language, staff that of the system; English where there is no other.
 */
function sellthrough_sentences(array $params, bool $isForClient = false): Sentences
{
    $language = $isForClient ? (string) ($params['clientsdetails']['language'] ?? '') : '';
    if ($language === '') {
        $language = (string) (localAPI('GetConfigurationValue', ['setting' => 'Language'])['value'] ?? '');
    }
    $texts = require __DIR__ . '/lib/texts/english.php';
    $file = __DIR__ . '/lib/texts/' . basename(strtolower($language)) . '.php';
    if (is_file($file)) {
        $texts = (require $file) + $texts;
    }
    return new Sentences(static fn (string $name): string => $texts[$name] ?? $name);
}
