<?php

declare(strict_types=1);

namespace Sellthrough\Client;

use Closure;
use Generator;

/** @internal What the generated operations are made of: a call, and walks through lists and the event feed. */
abstract class Operations
{
    private const WALKED_PAGE_ITEMS = 100;
    private const EVENTS_PER_ANSWER = 100;
    private const EVENT_WAIT_SECONDS = 20;
    private const REST_SECONDS_MIN = 1;
    private const REST_SECONDS_MAX = 30;
    /** The service moves a test clock for 30 s or slightly more under load. */
    private const MOVE_SECONDS = 45.0;

    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $body
     * @return array<string, mixed>
     * @throws SellthroughException
     */
    final protected function call(
        string $method,
        string $path,
        array $query = [],
        ?array $body = null,
        bool $takesKey = false,
        bool $holdsKeys = false,
        bool $isSlow = false,
        ?string $idempotencyKey = null,
        ?CallOptions $options = null
    ): array {
        $options ??= $isSlow ? new CallOptions(self::MOVE_SECONDS, 3 * self::MOVE_SECONDS) : new CallOptions();
        return $this->transport->send(
            new Call($method, $path, $query, $body, $takesKey, $holdsKeys, $idempotencyKey, $options)
        );
    }

    /**
     * Every item of a list that is paged by cursor. Each item that existed at the start comes exactly once.
     *
     * @param Closure(array<string, mixed>): array<string, mixed> $getPage
     * @param array<string, mixed> $query
     * @return Generator<int, array<string, mixed>>
     */
    final protected function walk(Closure $getPage, array $query): Generator
    {
        $cursor = '';
        do {
            $page = $getPage(['cursor' => $cursor] + $query + ['limit' => self::WALKED_PAGE_ITEMS]);
            foreach ($page['data'] as $item) {
                yield $item;
            }
            // A short or even empty page may have a next page.
            $cursor = $page['next_cursor'] ?? null;
        } while ($cursor !== null);
    }

    /**
     * Every item of a list that is paged by number, newest first.
     *
     * @param Closure(array<string, mixed>): array<string, mixed> $getPage
     * @param array<string, mixed> $query
     * @return Generator<int, array<string, mixed>>
     */
    final protected function walkNumbered(Closure $getPage, array $query): Generator
    {
        // An item's place counted from the oldest never changes, so an item at a higher place was seen before.
        $lastPlace = PHP_INT_MAX;
        for ($number = 1; ; $number++) {
            $page = $getPage(['page' => $number] + $query + ['limit' => self::WALKED_PAGE_ITEMS]);
            $before = ($page['page'] - 1) * $page['per_page'];
            foreach ($page['data'] as $index => $item) {
                $place = $page['total'] - $before - $index;
                if ($place < $lastPlace) {
                    $lastPlace = $place;
                    yield $item;
                }
            }
            if ($page['data'] === [] || $before + $page['per_page'] >= $page['total']) {
                return;
            }
        }
    }

    /**
     * Every event after `$after`, endlessly. Throws errors that a retry cannot fix, such as events_gone.
     *
     * @param Closure(array<string, mixed>): array<string, mixed> $getPage
     * @return Generator<int, array<string, mixed>>
     */
    final protected function follow(Closure $getPage, ?int $after, ?string $eventType): Generator
    {
        $rest = self::REST_SECONDS_MIN;
        while (true) {
            $query = ['after' => $after, 'type' => $eventType];
            try {
                $page = $getPage($query + ['limit' => self::EVENTS_PER_ANSWER, 'wait' => self::EVENT_WAIT_SECONDS]);
            } catch (SellthroughException $error) {
                if (!$error->retryable) {
                    throw $error;
                }
                sleep(max($rest, $error->retryAfterSeconds ?? 0));
                $rest = min($rest * 2, self::REST_SECONDS_MAX);
                continue;
            }
            $rest = self::REST_SECONDS_MIN;
            foreach ($page['data'] as $event) {
                yield $event;
                $after = $event['id'];
            }
            $after = $page['next_after'] ?? $after;
        }
    }
}
