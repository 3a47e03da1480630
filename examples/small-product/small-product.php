<?php
/**
 * A small product, a project tool: takes orders or refuses them, keeps its own copy of what customers may do, holds them to
 * the limits of their package (seats, storage_gb, sso), and lets them in. PHP 8.1 and the PHP client. Two programs in one file:
 *
 *   php small-product.php                    follows the entitlements until it is stopped: let systemd or your host start it again
 *   php -S localhost:4002 small-product.php  answers requests, as it would behind Apache or nginx
 *
 * Both read SELLTHROUGH_URL, SELLTHROUGH_KEY, PRODUCT_SECRET=whsec_… and PRODUCT_FOLDER. POST /sellthrough is what the
 * service calls (PUT /api/admin/v1/product), GET /welcome is its PRODUCT_URL. Three files in the folder are all it knows:
 * calls.jsonl, every call that was decided, copy.json, the copy and its place, and usage.json, what customers use. Stop it
 * where you like, with kill -9 too: what it has answered, it has written.
 */

declare(strict_types=1);

use Sellthrough\Client\ErrorCode;
use Sellthrough\Client\NotFoundException;
use Sellthrough\Client\ProductOperations;
use Sellthrough\Client\Sellthrough;
use Sellthrough\Client\SellthroughException;
use Sellthrough\Client\Webhook;
use Sellthrough\Client\WebhookVerificationException;

require __DIR__ . '/vendor/autoload.php';

define('FOLDER', getenv('PRODUCT_FOLDER') ?: __DIR__);
define('CUSTOMERS_MAX', (int) (getenv('PRODUCT_CUSTOMERS') ?: 100));

// ---- the calls

/** Whether the service has signed these bytes with our secret, within the last five minutes. */
function is_signed(string $body): bool
{
    try {
        Webhook::verify($body, $_SERVER, (string) getenv('PRODUCT_SECRET'));
        return true;
    } catch (WebhookVerificationException) {
        return false;
    }
}

/**
 * Why the call is refused; null: it is taken. Once for each call: one that comes again is answered as it was the first
 * time. The file is locked meanwhile, so two requests cannot take the last place. In a database: a table in which the
 * call's id is unique, and a transaction.
 */
function decide(array $call): ?string
{
    $file = fopen(FOLDER . '/calls.jsonl', 'c+');
    flock($file, LOCK_EX);
    $end = 0;
    $until = []; // by customer: how long they have a place. Each call says how the plan is after it, so the last one says all
    while (($line = fgets($file)) !== false && str_ends_with($line, "\n")) {
        $end = ftell($file);
        $decision = json_decode($line, true);
        if ($decision['id'] === $call['id']) {
            return $decision['refused'];
        }
        if ($decision['refused'] === null) {
            $until[$decision['reference']] = $decision['place_until'];
        }
    }
    $reference = $call['data']['customer']['reference'];
    $placed = array_filter($until, fn (?string $end) => $end !== null && is_ahead($end));
    $is_full = !isset($placed[$reference]) && count($placed) >= CUSTOMERS_MAX;
    $holds_place = in_array($call['data']['status'], ['active', 'suspended'], true);
    $decision = [
        'id' => $call['id'],
        'refused' => why_refused($call, $is_full),
        'reference' => $reference,
        'place_until' => $holds_place ? $call['data']['expires_at'] : null,
    ];
    // Here a product makes the customer's place. If it is killed before the next lines it is asked again.
    ftruncate($file, $end); // a line without its end was being written when the program was killed
    fseek($file, $end);
    write($file, json_encode($decision) . "\n");
    return $decision['refused']; // the file is closed here, and the lock given back
}

/** No place is free for a new customer, or a customer uses more than the new package grants. Renewals are always taken. */
function why_refused(array $call, bool $is_full): ?string
{
    $data = $call['data'];
    if ($data['order_id'] === null || $call['type'] === 'plan.renew') {
        return null;
    }
    if ($call['type'] === 'plan.activate' && $is_full) {
        return 'All places are taken';
    }
    foreach (read_file('usage.json', [])[$data['customer']['reference']] ?? [] as $key => $amount) {
        $why = $amount > 0 ? why_not($data['limits'], $key, $amount) : null;
        if ($why !== null) {
            return $why;
        }
    }
    return null;
}

/** All of it, on the disk, or the request fails and the service asks again. */
function write($file, string $text): void
{
    if (fwrite($file, $text) !== strlen($text) || !fsync($file)) {
        throw new RuntimeException('A file of PRODUCT_FOLDER cannot be written.');
    }
}

function is_ahead(string $time): bool
{
    return strtotime($time) > time();
}

// ---- the copy

const NO_COPY = ['after' => null, 'packages_version' => null, 'customers' => []];

function read_file(string $name, array $otherwise): array
{
    $text = @file_get_contents(FOLDER . "/$name");
    return $text === false ? $otherwise : json_decode($text, true);
}

/** The old content or the new one is there, never half of one: a file is renamed as a whole. */
function replace_file(string $name, array $content): void
{
    $file = fopen(FOLDER . "/$name.new", 'w');
    write($file, json_encode($content));
    fclose($file);
    rename(FOLDER . "/$name.new", FOLDER . "/$name");
}

/** A new copy, of every customer there is. The old one is used until this one is whole. */
function read_everything(): array
{
    $copy = NO_COPY;
    do {
        $page = product()->readEntitlements(['after' => $copy['after'], 'limit' => 1000]);
        $copy['after'] = $page['next_after'];
        $copy['packages_version'] ??= $page['packages_version'];
        $copy['customers'] = array_column($page['data'], null, 'reference') + $copy['customers'];
    } while ($page['has_more']);
    return $copy;
}

function follow_entitlements(): never
{
    $copy = read_file('copy.json', NO_COPY);
    while (true) {
        try {
            if ($copy['after'] === null) {
                $copy = read_everything();
                replace_file('copy.json', $copy);
            }
            $page = product()->readEntitlements(['after' => $copy['after'], 'limit' => 1000, 'wait' => 20]);
        } catch (SellthroughException $error) {
            // Away for too long, or the service was restored from a backup: customers of the old copy may not exist any more.
            if ($error->errorCode === ErrorCode::EVENTS_GONE) {
                $copy['after'] = null;
            }
            error_log("entitlements: $error->errorCode");
            sleep(1);
            continue;
        }
        if ($page['packages_version'] !== $copy['packages_version']) {
            // A package is not what it was, and it is in every customer's entitlement: all of them once more.
            $copy['after'] = null;
        } elseif ($page['next_after'] !== $copy['after']) {
            // The place is kept with the copy, so that the two cannot come apart.
            $copy['after'] = $page['next_after'];
            $copy['packages_version'] = $page['packages_version'];
            $copy['customers'] = array_column($page['data'], null, 'reference') + $copy['customers'];
            replace_file('copy.json', $copy);
        }
    }
}

/** The service, asked with a key that has the scope product. */
function product(): ProductOperations
{
    static $client = null;
    $client ??= new Sellthrough((string) getenv('SELLTHROUGH_URL'), (string) getenv('SELLTHROUGH_KEY'));
    return $client->product;
}

// ---- the limits

/** What customers do here, and the limit of their package that allows it. */
const LIMIT_OF = ['POST /members' => 'seats', 'POST /files' => 'storage_gb', 'GET /sso' => 'sso'];

/** Why a package does not allow this much; null: it does. What a package does not name, it does not grant. */
function why_not(array $limits, string $key, int $amount): ?string
{
    if (!array_key_exists($key, $limits) || $limits[$key] === false) {
        return "$key: not in the package";
    }
    // A count of null is unlimited.
    return is_int($limits[$key]) && $amount > $limits[$key] ? "$key: $amount of {$limits[$key]}" : null;
}

/** Why the customer may not use $by more; null: it is counted. To use less is always possible. */
function use_limit(array $entitlement, string $key, int $by): ?string
{
    $lock = fopen(FOLDER . '/usage.lock', 'c');
    flock($lock, LOCK_EX); // so two requests cannot take the last seat
    $usage = read_file('usage.json', []);
    ['reference' => $reference, 'limits' => $limits] = $entitlement;
    $amount = max(0, ($usage[$reference][$key] ?? 0) + $by);
    $refused = $by > 0 ? why_not($limits, $key, $amount) : null;
    if ($refused === null && !is_bool($limits[$key] ?? null)) {
        $usage[$reference][$key] = $amount;
        replace_file('usage.json', $usage);
    }
    return $refused;
}

// ---- the server

function say(int $status, array $body): never
{
    http_response_code($status);
    header('Content-Type: application/json');
    exit(json_encode($body ?: new stdClass(), JSON_UNESCAPED_SLASHES));
}

/** Who is signed in, in PHP's own sessions. */
function start_session(): void
{
    session_start(['save_path' => FOLDER, 'use_strict_mode' => true, 'cookie_httponly' => true, 'cookie_samesite' => 'Lax']);
}

if (PHP_SAPI === 'cli') {
    follow_entitlements();
}
$route = $_SERVER['REQUEST_METHOD'] . ' ' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($route === 'POST /sellthrough') {
    $body = file_get_contents('php://input');
    if (!is_signed($body)) {
        say(401, ['error' => 'not signed by the service']);
    }
    $reason = decide(json_decode($body, true, flags: JSON_THROW_ON_ERROR));
    $reason === null ? say(200, []) : say(422, ['reason' => $reason]);
}
if ($route === 'GET /welcome') {
    try {
        $customer = product()->exchangeCodeForCustomer(['code' => $_GET['code'] ?? ''])['customer'];
    } catch (NotFoundException) {
        say(403, ['error' => 'ask for a new login link']);
    }
    start_session();
    session_regenerate_id(true);
    $_SESSION['customer'] = $customer['reference'];
    header('Location: /me', true, 303); // an address without the code. Behind https the cookie is Secure as well
    exit;
}
$limit = LIMIT_OF[$route] ?? null;
if ($route !== 'GET /me' && $limit === null) {
    say(404, ['error' => 'nothing here']);
}
// For trying out, any customer may be asked for. A real product takes the one who is signed in.
$reference = $_GET['customer'] ?? null;
if ($reference === null) {
    start_session();
    $reference = $_SESSION['customer'] ?? say(401, ['error' => 'come with a login link']);
}
$entitlement = read_file('copy.json', NO_COPY)['customers'][$reference] ?? null;
if ($entitlement === null) {
    say(404, ['error' => 'no such customer']);
}
// The clock decides: no change may have arrived yet when a plan ends.
$active = $entitlement['active'] && is_ahead($entitlement['expires_at']);
if ($limit !== null) {
    $by = filter_var($_GET['by'] ?? '1', FILTER_VALIDATE_INT);
    if ($by === false) {
        say(400, ['error' => 'by must be a whole number']);
    }
    $refused = $active ? use_limit($entitlement, $limit, $by) : 'the plan is not active';
    if ($refused !== null) {
        say(403, ['error' => $refused]);
    }
}
$used = read_file('usage.json', [])[$reference] ?? [];
say(200, ['active' => $active, 'used' => $used ?: new stdClass()] + $entitlement);
