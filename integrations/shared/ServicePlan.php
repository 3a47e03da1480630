<?php
/**
 * The plan behind one service of a billing panel: what creating, renewing, changing, suspending and ending the service means at
 * Sellthrough. Both modules call it; what a panel does differently stays in its module.
 *
 * Invariant: the customer's reference is made once and stays with the service, no matter what its product says later. An order is
 * remembered before it is sent; while its answer is outstanding, the next order first asks, with the same key, what became of
 * it. So nothing is charged twice, anyone who repeats what and whenever.
 */

declare(strict_types=1);

namespace Sellthrough\Billing;

use Closure;

final class ServicePlan
{
    private const LONGEST_KEY = 80;
    private const LONGEST_NAME = 120;
    private const MOST_FAILED_REPLAYS = 20;

    /** @var array<string, mixed> what is remembered of the service: reference, customer_id, order_id, key, body, renewals, born, open, ended */
    private array $state;

    /**
     * @param array<string, mixed> $state as `$remember` was given it last
     * @param Closure(array<string, mixed>): void $remember keeps the state with the service
     */
    public function __construct(private readonly Api $api, array $state, private readonly Closure $remember)
    {
        // As the module kept it that was an example: the reference stood in the order alone.
        if (!isset($state['reference']) && isset($state['body']['customer'])) {
            $state['reference'] = $state['body']['customer'];
        }
        $this->state = $state;
    }

    public function reference(): ?string
    {
        return $this->state['reference'] ?? null;
    }

    public function isCreated(): bool
    {
        return isset($this->state['customer_id']);
    }

    /** Whether an order was sent of which no one knows yet what became of it. */
    public function waitsForAnswer(): bool
    {
        return isset($this->state['open']);
    }

    /**
     * A first plan, or one again after the service was ended. Lifts what an end or a suspension left behind.
     *
     * @param array{name?: string, external_ref?: string} $known
     * @throws Problem
     */
    public function create(string $reference, int $packageId, int $months, ?string $costLimit, array $known): void
    {
        $customer = $this->customer();
        // Created already, and not ended since: asked for a second time, it is not paid for a second time.
        $stands = $customer !== null && !isset($this->state['ended']) && !$this->waitsForAnswer()
            && in_array($customer['plan']['status'], ['active', 'suspended'], true);
        if (!$stands) {
            $order = $this->order('create', $reference, $packageId, $months, $costLimit, null);
            // What was renewed before it was ended is another life's: the same date may be paid for again.
            $this->remember(['ended' => null, 'born' => $order['id']]);
            $customer = $this->customer();
        }
        if ($customer !== null && ($customer['plan']['status'] === 'suspended' || $customer['plan']['ends_at_period_end'])) {
            $this->act('resumeCustomer');
        }
        $this->describe($known);
    }

    /**
     * @param string $due what is paid for, such as the due date: one renewal for each, however often it is asked for
     * @return array<string, mixed> the order
     * @throws Problem
     */
    public function renew(int $packageId, int $months, ?string $costLimit, string $due): array
    {
        if (!$this->isCreated()) {
            throw new CannotDo('not_created');
        }
        $life = $this->state['born'] ?? 0;
        return $this->order('renew', $this->state['reference'], $packageId, $months, $costLimit, "$due-since-$life");
    }

    /** @return array<string, mixed> the order */
    public function change(int $packageId, int $months, ?string $costLimit): array
    {
        if (!$this->isCreated()) {
            throw new CannotDo('not_created');
        }
        return $this->order('change', $this->state['reference'], $packageId, $months, $costLimit, null);
    }

    /** @throws Problem */
    public function suspend(string $reason): void
    {
        // As much as the service takes, without what it refuses.
        $text = mb_substr(trim(preg_replace('/[[:cntrl:]]+/u', ' ', $reason) ?? ''), 0, 200);
        $this->act('suspendCustomer', $text === '' ? [] : ['reason' => $text]);
    }

    /** @throws Problem */
    public function resume(): void
    {
        $this->act('resumeCustomer');
    }

    /**
     * Ends the plan, now (what is not used is given back) or when its paid time is over. Nothing to do where none runs.
     *
     * @return string what was given back
     * @throws Problem
     */
    public function end(string $at): string
    {
        if (!$this->isCreated()) {
            return '0.00';
        }
        $this->settle();
        try {
            $refund = $this->act('cancelPlan', ['at' => $at])['refund'];
            $this->remember(['ended' => true]);
            return $refund;
        } catch (Refusal $refusal) {
            if ($refusal->name === 'order_failed' && ($refusal->details['reason'] ?? '') === 'plan_not_running') {
                $this->remember(['ended' => true]);
                return '0.00';
            }
            throw $refusal;
        }
    }

    /**
     * A link that lets the customer in once: the last order again, with its own key, which charges nothing.
     *
     * @throws Problem
     */
    public function loginLink(): string
    {
        if (!isset($this->state['key'], $this->state['body'])) {
            throw new CannotDo('not_created');
        }
        $customer = $this->customer();
        if ($customer !== null && ($customer['plan']['status'] === 'suspended' || $customer['status'] === 'suspended')) {
            throw new CannotDo('login_suspended');
        }
        $body = $this->state['body'] + ['return_login' => true];
        return $this->api->ask('placeOrder', $body, idempotencyKey: $this->state['key'])['login_url'];
    }

    /**
     * @return array<string, mixed>|null null before the service is created
     * @throws Problem
     */
    public function customer(): ?array
    {
        $id = $this->state['customer_id'] ?? null;
        return $id === null ? null : $this->api->ask('getCustomer', $id)['customer'];
    }

    /** What is written for people is no part of what makes two orders the same: a client may be renamed between two tries. */
    private function describe(array $known): void
    {
        $body = [];
        if (($known['name'] ?? '') !== '') {
            $body['name'] = mb_substr($known['name'], 0, self::LONGEST_NAME);
        }
        if (preg_match('/^[!-~]{1,80}$/', $known['external_ref'] ?? '') === 1) {
            $body['external_ref'] = $known['external_ref'];
        }
        if ($body === []) {
            return;
        }
        try {
            $this->api->ask('editCustomer', $this->state['customer_id'], $body);
        } catch (Problem) {
            // The plan stands, and the log has the refusal: a name is no reason to call the order a failure.
        }
    }

    /** @return array<string, mixed> */
    private function order(string $step, string $reference, int $packageId, int $months, ?string $costLimit, ?string $due): array
    {
        $before = (string) ($this->state['order_id'] ?? 0);
        $what = "{$packageId}x$months";
        $key = self::keyOf($due === null ? "$reference-$step-$what-after-$before" : "$reference-$step-$what-for-$due");
        $settled = $this->settle();
        if ($settled !== null && $settled['for'] === $key) {
            return $settled['order'];
        }
        // An outstanding order that has become one by now is what this one comes after.
        if ($settled !== null && $due === null) {
            $key = self::keyOf("$reference-$step-$what-after-{$this->state['order_id']}");
        }
        $renewed = $step === 'renew' ? ($this->state['order_id'] ?? null) : null;
        $path = $renewed === null ? '/api/v1/orders' : "/api/v1/orders/$renewed/renew";
        $body = $renewed === null
            ? ['package_id' => $packageId, 'customer' => $reference, 'months' => $months]
            : ['months' => $months];
        if ($due !== null && ($this->state['renewals'][$key] ?? null) !== null) {
            // Renewed already for what is paid: the same request again, which is answered and charges nothing.
            $path = $this->state['renewals'][$key];
        }
        return $this->place(['for' => $key, 'key' => $key, 'path' => $path, 'body' => $body], $costLimit);
    }

    /**
     * Sends what is outstanding again, to know what became of it.
     *
     * @return array{for: string, order: array<string, mixed>}|null null where nothing is outstanding, or it was refused
     */
    private function settle(): ?array
    {
        $open = $this->state['open'] ?? null;
        if ($open === null) {
            return null;
        }
        try {
            return ['for' => $open['for'], 'order' => $this->place($open, $open['max_charge'] ?? null)];
        } catch (Refusal $refusal) {
            if (!$refusal->isFinal) {
                throw $refusal;
            }
            return null;
        }
    }

    /**
     * @param array{for: string, key: string, path: string, body: array<string, mixed>} $open `for` is the key that was thought of,
     *  `key` as it is sent
     * @return array<string, mixed> the order
     */
    private function place(array $open, ?string $costLimit): array
    {
        $guard = $costLimit === null ? [] : ['max_charge' => $costLimit];
        $this->remember(['open' => $open + $guard, 'reference' => $this->state['reference'] ?? $open['body']['customer'] ?? null]);
        for ($replays = 0; ; $replays++) {
            try {
                $order = $this->send($open['path'], $open['body'] + $guard, $open['key']);
            } catch (Refusal $refusal) {
                // A refusal binds no key and charges nothing. What the service could not finish stays outstanding. A reference
                // that no one has yet is forgotten: it may be the reason.
                if ($refusal->isFinal) {
                    $this->remember(['open' => null] + ($this->isCreated() ? [] : ['reference' => null]));
                }
                throw $refusal;
            }
            if ($order['status'] !== 'failed') {
                break;
            }
            // The operator's product did not take it, and the money is back: this key will say so forever.
            if ($replays === self::MOST_FAILED_REPLAYS) {
                $this->remember(['open' => null]);
                throw new CannotDo('order_was_refused', ['order' => (string) $order['id']]);
            }
            $open['key'] = self::keyOf("{$open['for']}-instead-{$order['id']}");
            $this->remember(['open' => $open + $guard]);
        }
        $isOrder = $open['path'] === '/api/v1/orders';
        $this->remember([
            'open' => null,
            'reference' => $order['customer']['reference'],
            'customer_id' => $order['customer']['id'],
            'order_id' => max((int) ($this->state['order_id'] ?? 0), (int) $order['id']),
            // For login links: a renewal gives none.
            'key' => $isOrder ? $open['key'] : ($this->state['key'] ?? null),
            'body' => $isOrder ? $open['body'] : ($this->state['body'] ?? null),
            // The last one, with the address it was sent to: that of the order before it.
            'renewals' => $isOrder ? ($this->state['renewals'] ?? []) : [$open['for'] => $open['path']],
        ]);
        return $order;
    }

    /**
     * @param string $path as kept in the state: of an order, or of the renewal of one
     * @param array<string, mixed> $body
     * @return array<string, mixed> the order
     */
    private function send(string $path, array $body, string $key): array
    {
        $answer = preg_match('#/orders/(\d+)/renew$#', $path, $found) === 1
            ? $this->api->ask('renewOrder', (int) $found[1], $body, idempotencyKey: $key)
            : $this->api->ask('placeOrder', $body, idempotencyKey: $key);
        return $answer['order'];
    }

    /**
     * @param array<string, mixed>|null $body null for an operation without a body
     * @return array<string, mixed>
     */
    private function act(string $operation, ?array $body = null): array
    {
        $id = $this->state['customer_id'] ?? null;
        if ($id === null) {
            throw new CannotDo('not_created');
        }
        return $body === null ? $this->api->ask($operation, $id) : $this->api->ask($operation, $id, $body);
    }

    /** @param array<string, mixed> $changes null removes */
    private function remember(array $changes): void
    {
        $this->state = array_filter($changes + $this->state, static fn ($value): bool => $value !== null);
        ($this->remember)($this->state);
    }

    private static function keyOf(string $text): string
    {
        return strlen($text) <= self::LONGEST_KEY ? $text : substr($text, 0, 39) . '-' . substr(hash('sha256', $text), 0, 40);
    }
}
