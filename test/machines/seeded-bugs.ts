// Bugs on purpose: each breaks one promise by changing one place of the sources, and names the test that
// must catch it. Applied one at a time to a copy by long-seeded-bugs.ts.

export interface SeededBug {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The test file that must fail. Files under test/service run on the embedded database unless `on` says otherwise. */
  readonly test: string;
  readonly on?: 'postgres';
}

export const seededBugs: readonly SeededBug[] = [
  {
    name: 'accounts are read without their lock',
    file: 'src/orders/order-batch.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
    find: '${accountsInOrder} for no key update`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
    replace: '${accountsInOrder}`',
    test: 'test/process/two-processes.test.ts',
  },
  {
    name: 'an order is acknowledged before its COMMIT',
    file: 'src/database/pg-session.ts',
    find: '      return committed;',
    replace: '      committed.catch(() => undefined);\n      return Promise.resolve();',
    test: 'test/process/lost-commit.test.ts',
  },
  {
    name: 'a refund is rounded up',
    file: 'src/plans/plan-terms.ts',
    find: '(paidCents * BigInt(unusedSeconds)) / BigInt(endsAt - startsAt)',
    replace:
      '(paidCents * BigInt(unusedSeconds) + BigInt(endsAt - startsAt) - 1n) / BigInt(endsAt - startsAt)',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a refund uses the price of today',
    file: 'src/orders/carry-out-order.ts',
    find: "const refundCents = kind === 'change' && running !== null ? unusedCents(running, now) : 0n;",
    replace:
      "const refundCents = kind === 'change' && running !== null ? unusedCents({ ...running, paidPeriods: running.paidPeriods.map((one) => ({ ...one, paidCents: working.packages.get(running.packageId)?.priceLines[account.group][1][0].cents ?? 0n })) }, now) : 0n;",
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a scheduled price begins a second late',
    file: 'src/catalog/price-lines.ts',
    find: 'line.findLast(({ from }) => from <= at)',
    replace: 'line.findLast(({ from }) => from < at)',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'GET /packages goes on with the prices it has shown',
    file: 'src/api/reseller/package-routes.ts',
    find: 'if (made !== undefined && made.since <= now && now < made.until) return made.text;',
    replace: 'if (made !== undefined) return made.text;',
    test: 'test/service/scheduled-prices.test.ts',
  },
  {
    name: 'the audit does not know that prices were deleted',
    file: 'src/verify/past-prices.ts',
    find: 'toCome = toCome.filter(({ from }) => from !== entry.from);',
    replace: '',
    test: 'test/service/scheduled-prices.test.ts',
  },
  {
    name: 'a change of prices holds over what comes later',
    file: 'src/catalog/price-lines.ts',
    find: 'scheduled.filter(({ from }) => from > changedAt)',
    replace: 'scheduled.filter(() => changedAt === 0)',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'month ends drift',
    file: 'src/plans/plan-terms.ts',
    find: 'const expiresAt = addMonths(plan.anchorAt, monthsRun);',
    replace: 'const expiresAt = addMonths(plan.expiresAt, months);',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'the fingerprint leaves the months out',
    file: 'src/orders/place-order.ts',
    find: "fingerprintOf('place', packageId, customerReference, months, command.customerName)",
    replace: "fingerprintOf('place', packageId, customerReference, command.customerName)",
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a key with other data gets the first order',
    file: 'src/orders/carry-out-order.ts',
    find: "if (earlier.fingerprint !== fingerprint) return refused('idempotency_conflict');\n  if (loginLink",
    replace: 'if (loginLink',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a plan that ends now still runs',
    file: 'src/plans/plan-terms.ts',
    find: 'return plan.expiresAt > now;',
    replace: 'return plan.expiresAt >= now;',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'the refund does not count towards the credit',
    file: 'src/orders/carry-out-order.ts',
    find: "  if (balanceAfterCents < 0n) {\n    return refused('insufficient_credit', {\n      balance: formatAmount(account.balanceCents),\n      required: formatAmount(chargeCents),",
    replace:
      "  if (account.balanceCents < priceCents) {\n    return refused('insufficient_credit', {\n      balance: formatAmount(account.balanceCents),\n      required: formatAmount(chargeCents),",
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a renewal changes the plan by accident',
    file: 'src/orders/renew-order.ts',
    find: "return refused('order_failed', { reason: 'plan_changed' });",
    replace: 'void 0;',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'changes of a batch are not seen by its next order',
    file: 'src/orders/order-state.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
    find: '      ordersByKey.set(`${order.accountId} ${order.idempotencyKey}`, order);\n',
    replace: '',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a foreign order is 403 instead of 404',
    file: 'src/api/reseller/order-routes.ts',
    find: "if (order === null) return reply.refuse(refusal('order_not_found'));",
    replace:
      "if (order === null) return reply.refuse(refusal(number === null ? 'forbidden' : 'order_not_found'));",
    test: 'test/service/lists-and-ids.test.ts',
  },
  {
    name: 'the limiter never counts',
    file: 'src/http/sliding-window.ts',
    find: 'if (admitted) times.push(at);',
    replace: 'if (admitted && times.size() < limit - 1) times.push(at);',
    test: 'test/unit/sliding-window.test.ts',
  },
  {
    name: 'the limiter reads, then writes',
    file: 'src/http/sliding-window.ts',
    find: 'if (admitted) times.push(at);',
    replace: 'if (admitted) setImmediate(() => times.push(at));',
    test: 'test/service/rate-limit-exact.test.ts',
  },
  {
    name: 'a balance is remembered for a moment',
    file: 'src/accounts/account-reads.ts',
    find: 'const row = await lookup.find(accountId);',
    replace:
      'const recent = ((globalThis as Record<string, unknown>)["recent"] ??= new Map()) as Map<number, Awaited<ReturnType<typeof lookup.find>>>;\n      const row = recent.get(accountId) ?? (await lookup.find(accountId));\n      recent.set(accountId, row);\n      setTimeout(() => recent.delete(accountId), 300);',
    test: 'test/service/model.test.ts',
  },
  {
    name: 'the window forgets a second early',
    file: 'src/http/sliding-window.ts',
    find: '      const times = windowOf(key);\n      times.dropUntil(at - windowMilliseconds);',
    replace: '      const times = windowOf(key);\n      times.dropUntil(at - windowMilliseconds + 1000);',
    test: 'test/service/rate-limit-exact.test.ts',
  },
  {
    name: 'the key stands in the log line',
    file: 'src/api/app.ts',
    find: '      address: ip,',
    replace: '      address: ip + String(request.headers.authorization),',
    test: 'test/service/secrets.test.ts',
  },
  {
    name: 'a blocked account orders on',
    file: 'src/api/doors/key-door.ts',
    find: "  if (account.blocked) return refusal('account_blocked');\n",
    replace: '',
    test: 'test/service/authentication.test.ts',
  },
  {
    name: 'any X-Forwarded-For is believed',
    file: 'src/api/app.ts',
    find: 'trustProxy: trustProxy.length === 0 ? false : [...trustProxy],',
    replace: 'trustProxy: true,',
    test: 'test/service/authentication.test.ts',
  },
  {
    name: 'rights are not checked again under the lock',
    file: 'src/orders/command-checks.ts',
    find: 'return account.accessVersion !== accessVersion && !(mayStand === true && earlier !== null);',
    replace: 'void account, void accessVersion, void mayStand, void earlier;\n  return false;',
    test: 'test/process/two-processes.test.ts',
  },
  {
    name: 'opening a login link spends it',
    file: 'src/api/customer/login-link-routes.ts',
    find: 'return showLink(reply, await tokens.find(token, request, reply, () => customerOfLink(token)));',
    replace:
      "const whose = await customerOfLink(token);\n    await spendLoginLink(database, token, { use: 'session', validSeconds: 1, earlier: null, now: now() });\n    return showLink(reply, whose);",
    test: 'test/service/login-links.test.ts',
  },
  {
    name: 'login tokens are stored in the clear',
    file: 'src/identity/login-link-store.ts',
    find: "return createHash('sha256').update(token).digest('base64url');",
    replace: 'void createHash;\n  return token;',
    test: 'test/service/secrets.test.ts',
  },
  {
    name: 'the customer page does not escape',
    file: 'src/contract/markup.ts',
    find: "return text.replace(/[&<>\"']/g, (character) => entities[character] ?? '');",
    replace: 'void entities;\n  return text;',
    test: 'test/service/login-links.test.ts',
  },
  {
    name: 'commits of the embedded database do not reach the disk',
    file: 'src/database/embedded-worker.ts',
    find: "  'fsync=on',",
    replace: "  'fsync=off',",
    test: 'test/process/embedded-server.test.ts',
  },
  {
    name: 'a lost claim on a customer is ignored',
    file: 'src/orders/order-batch.ts',
    find: "customerReferences.insert('insert_customer_references')",
    replace: "customerReferences.insert('insert_customer_references', 'on conflict do nothing')",
    test: 'test/service/order-batches.test.ts',
    on: 'postgres',
  },
  {
    name: 'after a lost COMMIT minted keys are not looked up',
    file: 'src/orders/order-batch.ts',
    find: '(command.keyIsMinted && !command.mayStand)',
    replace: 'command.keyIsMinted',
    test: 'test/process/lost-commit.test.ts',
  },
  {
    name: 'the queue has no end',
    file: 'src/orders/order-engine.ts',
    find: 'if (depth >= limits.queueDepthMax)',
    replace: 'if (depth < 0)',
    test: 'test/service/order-batches.test.ts',
  },
  {
    name: 'verify does not look at the chain of balances',
    file: 'src/verify/account-books.ts',
    find: 'where previous + amount_cents <> balance_after_cents',
    replace: 'where false',
    test: 'test/service/verify.test.ts',
  },
  {
    name: 'a cancel gives back what was used, too',
    file: 'src/orders/cancel-plan.ts',
    find: "working.cancelRefund === 'unused' ? unusedCents(plan, now) : 0n",
    replace:
      "working.cancelRefund === 'unused' ? plan.paidPeriods.reduce((sum, { paidCents }) => sum + paidCents, 0n * unusedCents(plan, now)) : 0n",
    test: 'test/unit/no-profit.test.ts',
  },
  {
    name: 'a plan that was cancelled runs for a clock that is behind',
    file: 'src/plans/plan-life.ts',
    find: 'return !life.cancelled && isRunning(plan, now) ? plan : null;',
    replace: 'void life;\n  return isRunning(plan, now) ? plan : null;',
    test: 'test/unit/no-profit.test.ts',
  },
  {
    name: 'a plan that two processes find due is renewed twice',
    file: 'src/orders/renew-automatically.ts',
    find: 'return renewAt === dueAt && dueAt <= now && !endsAtPeriodEnd;',
    replace: 'return renewAt !== null && dueAt <= now && !endsAtPeriodEnd;',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a refused renewal is tried again at the end itself',
    file: 'src/plans/plan-life.ts',
    find: 'renewAt: nextAt < expiresAt ? nextAt : null',
    replace: 'renewAt: nextAt <= expiresAt ? nextAt : null',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a new run renews itself although the old one was to end',
    file: 'src/plans/plan-life.ts',
    find: 'autoRenew: endsAtPeriodEnd ? null : life.autoRenew,',
    replace: 'autoRenew: endsAtPeriodEnd ? life.autoRenew : life.autoRenew,',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'resume renews an end that was meant and has come',
    file: 'src/plans/plan-life.ts',
    find: 'const wasMeant = life.endsAtPeriodEnd && !isRunning(plan, now);',
    replace: 'void plan, void now;\n  const wasMeant = false;',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'the whole refund is given while an order waits',
    file: 'src/orders/carry-out-order.ts',
    find: 'const laterCents = isConfirmed ? heldBackCents({ priceCents, refundCents }) : 0n;',
    replace: 'const laterCents = 0n;',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'what was held back of a refund is forgotten when the order is completed',
    file: 'src/orders/settle-order.ts',
    find: 'const refundCents = heldBackCents(order);',
    replace: 'const refundCents = 0n * heldBackCents(order);',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a change that failed keeps its refund',
    file: 'src/orders/settle-order.ts',
    find: '  if (givenCents > 0n) {',
    replace: '  if (givenCents < 0n) {',
    test: 'test/unit/no-profit.test.ts',
  },
  {
    name: 'the other word settles an order again',
    file: 'src/orders/settle-order.ts',
    find: "if (status !== 'pending') return refused('order_already_settled', { status });",
    replace: 'void status;',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'the terms of an order run from the product’s answer',
    file: 'src/orders/settle-order.ts',
    find: 'const plan = orderedPlan(order, running);',
    replace: 'const plan = orderedPlan({ ...order, createdAt: now }, running);',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'whether an order extends a plan is judged at the answer',
    file: 'src/orders/settle-order.ts',
    find: 'const running = runningPlan(customer, createdAt);',
    replace: 'void createdAt;\n  const running = runningPlan(customer, now);',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'an order that waits is in nobody’s way in another mode',
    file: 'src/orders/carry-out-order.ts',
    find: "const pending = refusedWhilePending('plan' in customer ? customer : null);",
    replace:
      "const pending = isConfirmed ? refusedWhilePending('plan' in customer ? customer : null) : null;",
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a plan is cancelled while an order waits',
    file: 'src/orders/cancel-plan.ts',
    find: 'const pending = refusedWhilePending(customer);',
    replace: "const pending = at === 'now' ? null : refusedWhilePending(customer);",
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a trial is given over an order that waits',
    file: 'src/orders/grant-trial.ts',
    find: 'const pending = refusedWhilePending(customer);',
    replace: 'const pending = refusedWhilePending(null);',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a renewal by itself that waits stays due',
    file: 'src/plans/plan-life.ts',
    find: 'return isAutomatic ? { ...life, pendingOrder, renewAt: null } : { ...life, pendingOrder };',
    replace: 'void isAutomatic;\n  return { ...life, pendingOrder };',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'an order of a halted account is completed',
    file: 'src/orders/settle-order.ts',
    find: 'if (account.isHalted) return',
    replace: "if (account.isHalted && outcome === 'failed') return",
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a renewal by itself that the product refused is not tried again',
    file: 'src/plans/plan-life.ts',
    find: "if (isAutomatic) return lifeAfterFailedRenewal(settled, plan, 'order_failed', now);",
    replace:
      "if (isAutomatic) return { ...settled, renewAt: null, renewFailure: now > 0 ? 'order_failed' : null };",
    test: 'test/service/hand-off.test.ts',
  },
  {
    name: 'any refused order makes a renewal due again',
    file: 'src/plans/plan-life.ts',
    find: "if (renewFailure !== 'order_failed' || !isRunning(plan, orderedAt)) return settled;",
    replace: 'if (renewFailure === null || !isRunning(plan, orderedAt)) return settled;',
    test: 'test/service/hand-off.test.ts',
  },
  {
    name: 'a refused order takes back a cancel at the period’s end',
    file: 'src/plans/plan-life.ts',
    find: 'const settled = { ...life, pendingOrder: null };',
    replace: 'const settled = { ...life, pendingOrder: null, endsAtPeriodEnd: false };',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'what a failed order gave is taken before its charge comes back',
    file: 'src/orders/settle-order.ts',
    find: "  const entry =\n    priceCents === 0n\n      ? null\n      : working.addEntry(accountId, { kind: 'refund', amountCents: priceCents, orderNumber }, now);\n  if (givenCents > 0n) {\n    working.addEntry(accountId, { kind: 'charge', amountCents: -givenCents, orderNumber }, now);\n  }\n",
    replace:
      "  if (givenCents > 0n) {\n    working.addEntry(accountId, { kind: 'charge', amountCents: -givenCents, orderNumber }, now);\n  }\n  const entry =\n    priceCents === 0n\n      ? null\n      : working.addEntry(accountId, { kind: 'refund', amountCents: priceCents, orderNumber }, now);\n",
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'an order that waits changes the plan at once',
    file: 'src/orders/carry-out-order.ts',
    find: '    ? waitForProduct(working, account, intent, number, now)',
    replace:
      '    ? ((one: CustomerState) => working.setPlan(one, plan, one.life))(\n        waitForProduct(working, account, intent, number, now),\n      )',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a failed order is paid back at the price of today',
    file: 'src/orders/settle-order.ts',
    find: 'createdAt: orderedAt, priceCents, fingerprint } = order;',
    replace:
      "createdAt: orderedAt, fingerprint } = order;\n  const { group } = working.account(accountId) ?? { group: 'reseller' };\n  const priceCents =\n    working.packages.get(order.packageId)?.priceLines[group][order.months].findLast(({ from }) => from <= now)?.cents ?? 0n;",
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'that a product took an order is not told',
    file: 'src/orders/settle-order.ts',
    find: "    working.tell(account.id, { type: 'order.completed', order: after, balanceCents });\n",
    replace: '',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'that a product refused a renewal is not told',
    file: 'src/orders/settle-order.ts',
    find: '    if (order.fingerprint === automaticFingerprint)\n',
    replace: '    if (order.fingerprint !== automaticFingerprint && order.months > 12)\n',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'the plan that an order made is told twice',
    file: 'src/orders/carry-out-order.ts',
    find: '    working.tell(account.id, { type: orderTold[kind], customer: ordered, order });\n',
    replace:
      '    working.tell(account.id, { type: orderTold[kind], customer: ordered, order });\n    working.tell(account.id, { type: orderTold[kind], customer: ordered, order });\n',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'an order is told when it is placed, not when it is real',
    file: 'src/orders/carry-out-order.ts',
    find: '  if (!isConfirmed) {\n    const { balanceCents }',
    replace: '  if (number > 0) {\n    const { balanceCents }',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a low balance is told with every movement',
    file: 'src/orders/decide-orders.ts',
    find: 'if (before.balanceCents < alertBelowCents || balanceCents >= alertBelowCents) return;',
    replace: 'if (balanceCents >= alertBelowCents) return;',
    test: 'test/unit/core-against-oracle.test.ts',
  },
  {
    name: 'a hold that stands already is told again',
    file: 'src/orders/order-state.ts',
    find: 'const type = change.isEmpty ? null : toldOf[change.kind];',
    replace: 'const type = toldOf[change.kind];',
    test: 'test/unit/core-against-oracle.test.ts',
  },
];
