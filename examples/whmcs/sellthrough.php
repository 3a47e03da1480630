<?php
/**
 * A provisioning module in the manner of WHMCS: modules/servers/sellthrough/sellthrough.php.
 *
 * Each service of the billing system is one customer here, named "<prefix>-<service id>". Creating, renewing and
 * changing a service are all the same request, an order of the product's package for that customer: the API activates,
 * extends or replaces the plan, and gives back the unused time of one that is replaced.
 *
 * Always true: an order's idempotency key names the order before it. A step whose answer was lost is repeated with the
 * same key and charged once; the step after it has another key.
 *
 * The server entry's hostname is the service's address, its access hash the reseller's API key. A reseller's key cannot
 * suspend; an operator who bills with this module may add an administrator's key as the server's password.
 */

declare(strict_types=1);

const SELLTHROUGH_STATE = 'Sellthrough order';
const SELLTHROUGH_ATTEMPTS = 6;

function sellthrough_MetaData(): array
{
    return ['DisplayName' => 'Sellthrough', 'APIVersion' => '1.1', 'RequiresServer' => true];
}

function sellthrough_ConfigOptions(): array
{
    return [
        'Package id' => ['Type' => 'text', 'Size' => '10', 'Description' => 'from GET /packages'],
        'Prefix' => ['Type' => 'text', 'Size' => '20', 'Description' => 'before the service id, yours alone: acme'],
    ];
}

function sellthrough_TestConnection(array $params): array
{
    try {
        sellthrough_request($params, 'GET', '/api/v1/balance');
        return ['success' => true, 'error' => ''];
    } catch (SellthroughError $error) {
        return ['success' => false, 'error' => $error->getMessage()];
    }
}

function sellthrough_CreateAccount(array $params): string
{
    return sellthrough_place($params, 'create');
}

function sellthrough_Renew(array $params): string
{
    return sellthrough_place($params, 'renew');
}

function sellthrough_ChangePackage(array $params): string
{
    return sellthrough_place($params, 'change');
}

function sellthrough_SuspendAccount(array $params): string
{
    return sellthrough_set_status($params, 'suspended');
}

function sellthrough_UnsuspendAccount(array $params): string
{
    return sellthrough_set_status($params, 'active');
}

/** A plan that is paid for cannot be cancelled: without an administrator's key this succeeds once it has ended. */
function sellthrough_TerminateAccount(array $params): string
{
    try {
        $customer = sellthrough_customer($params);
        if ($customer === null || !$customer['plan']['active']) {
            return 'success';
        }
        if (sellthrough_admin_key($params) === '') {
            return "The plan is paid until {$customer['plan']['expires_at']} and ends then: it is not renewed any more.";
        }
        return sellthrough_set_status($params, 'suspended');
    } catch (SellthroughError $error) {
        return $error->getMessage();
    }
}

/** The last order again, with its own key: nothing is charged, and the answer carries a fresh login link. */
function sellthrough_ServiceSingleSignOn(array $params): array
{
    try {
        $state = sellthrough_state($params);
        if ($state === null) {
            return ['success' => false, 'errorMsg' => 'This service has not been created yet.'];
        }
        $answer = sellthrough_request($params, 'POST', '/api/v1/orders', $state['body'] + ['return_login' => true], $state['key']);
        return ['success' => true, 'redirectTo' => $answer['login_url']];
    } catch (SellthroughError $error) {
        return ['success' => false, 'errorMsg' => $error->getMessage()];
    }
}

// ---- orders

function sellthrough_place(array $params, string $step): string
{
    $months = ['Monthly' => 1, 'Quarterly' => 3, 'Annually' => 12][$params['model']->billingcycle] ?? null;
    if ($months === null) {
        return "The billing cycle \"{$params['model']->billingcycle}\" cannot be ordered: Monthly, Quarterly or Annually.";
    }
    $customer = "{$params['configoption2']}-{$params['serviceid']}";
    $body = ['package_id' => (int) $params['configoption1'], 'customer' => $customer, 'months' => $months];
    $before = sellthrough_state($params)['order_id'] ?? 0;
    $key = "$customer-$step-{$body['package_id']}x$months-after-$before";
    try {
        $order = sellthrough_request($params, 'POST', '/api/v1/orders', $body, $key)['order'];
    } catch (SellthroughError $error) {
        // The cron tries again later: the key is still the same, because nothing was stored.
        return match ($error->name) {
            'insufficient_credit' => "The balance is {$error->details['balance']} {$error->details['currency']}, "
                . "the order needs {$error->details['required']}. Nothing was charged.",
            'customer_not_yours' => "The customer $customer belongs to another account: choose another prefix.",
            default => $error->getMessage(),
        };
    }
    $state = ['order_id' => $order['id'], 'customer_id' => $order['customer']['id'], 'key' => $key, 'body' => $body];
    $params['model']->serviceProperties->save([SELLTHROUGH_STATE => json_encode($state)]);
    return 'success';
}

/** The last order of this service: its id, its customer's, its key and its body. */
function sellthrough_state(array $params): ?array
{
    $stored = $params['model']->serviceProperties->get(SELLTHROUGH_STATE);
    return $stored ? json_decode($stored, true) : null;
}

function sellthrough_customer(array $params): ?array
{
    $id = sellthrough_state($params)['customer_id'] ?? null;
    return $id === null ? null : sellthrough_request($params, 'GET', "/api/v1/customers/$id")['customer'];
}

function sellthrough_admin_key(array $params): string
{
    return (string) ($params['serverpassword'] ?? '');
}

function sellthrough_set_status(array $params, string $status): string
{
    if (sellthrough_admin_key($params) === '') {
        return "A reseller's key cannot do this: ask the operator, or let the plan end.";
    }
    try {
        $id = sellthrough_state($params)['customer_id'] ?? null;
        if ($id === null) {
            return 'This service has not been created yet.';
        }
        $admin = ['serveraccesshash' => sellthrough_admin_key($params)] + $params;
        sellthrough_request($admin, 'PATCH', "/api/admin/v1/customers/$id", ['status' => $status]);
        return 'success';
    } catch (SellthroughError $error) {
        return $error->getMessage();
    }
}

// ---- requests

final class SellthroughError extends Exception
{
    public function __construct(public readonly string $name, string $message, public readonly array $details = [])
    {
        parent::__construct($message);
    }
}

/** Sent again after a lost connection, 429 and 5xx, always with the same key. @throws SellthroughError */
function sellthrough_request(array $params, string $method, string $path, ?array $body = null, ?string $key = null): array
{
    $host = $params['serverhostname'] . (empty($params['serverport']) ? '' : ":{$params['serverport']}");
    $url = ($params['serversecure'] ? 'https' : 'http') . "://$host$path";
    $headers = ["Authorization: Bearer {$params['serveraccesshash']}", 'Content-Type: application/json'];
    if ($key !== null) {
        $headers[] = "Idempotency-Key: $key";
    }
    for ($attempt = 1; ; $attempt++) {
        $retryAfter = 0;
        $curl = curl_init($url);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_CONNECTTIMEOUT => 5,
            CURLOPT_TIMEOUT => 15,
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$retryAfter): int {
                if (preg_match('/^retry-after:\s*(\d+)/i', $line, $found)) {
                    $retryAfter = (int) $found[1];
                }
                return strlen($line);
            },
        ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => json_encode((object) $body)]));
        $text = curl_exec($curl);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $answer = is_string($text) ? json_decode($text, true) : null;
        if ($status >= 200 && $status < 300 && is_array($answer)) {
            sellthrough_log($params, "$method $path", $body, $text);
            return $answer;
        }
        $error = isset($answer['error'])
            ? new SellthroughError($answer['error']['code'], $answer['error']['message'], $answer['error']['details'])
            : new SellthroughError('connection_lost', 'No answer from Sellthrough: ' . (curl_error($curl) ?: "HTTP $status"));
        // A refusal stands; anything else may pass, and asking again with the key charges nothing twice.
        $isRefusal = $status >= 300 && $status < 500 && $status !== 429;
        if ($isRefusal || $attempt === SELLTHROUGH_ATTEMPTS) {
            sellthrough_log($params, "$method $path", $body, $text === false ? $error->getMessage() : $text);
            throw $error;
        }
        $jitter = random_int(0, (int) min(8_000_000, 250_000 * 2 ** $attempt));
        usleep($retryAfter * 1_000_000 + $jitter);
    }
}

/** The billing system's own module log, with the key struck out; nothing where there is none. */
function sellthrough_log(array $params, string $action, ?array $request, string $response): void
{
    if (function_exists('logModuleCall')) {
        logModuleCall('sellthrough', $action, $request, $response, '', [$params['serveraccesshash']]);
    }
}
