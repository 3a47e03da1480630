// Updates this process's caches when other processes write. Called by create-service.ts.

import type { FastifyBaseLogger } from 'fastify';
import type { ApiKeyCache } from '../features/auth/api-key-cache.ts';
import type { BrandHolder } from '../features/brand/brand-store.ts';
import type { PackageCatalogHolder } from '../features/packages/package-catalog.ts';
import type { PaymentMethods } from '../features/payments/payment-settings.ts';
import type { RetentionHolder } from '../features/retention/retention-settings.ts';
import type { Deliverer } from '../features/webhooks/deliverer.ts';
import {
  accountNews,
  brandChanged,
  changesChannel,
  packagesChanged,
  paymentsChanged,
  retentionChanged,
  webhookNews,
} from '../platform/database/change-notices.ts';
import type { Database } from '../platform/database/database.ts';

export interface FollowedParts {
  readonly database: Database;
  readonly keys: ApiKeyCache;
  readonly packages: PackageCatalogHolder;
  readonly brand: BrandHolder;
  readonly paymentMethods: PaymentMethods;
  readonly retention: RetentionHolder;
  readonly deliverer: Deliverer;
  readonly logger: FastifyBaseLogger;
}

export async function followChanges(parts: FollowedParts): Promise<void> {
  const { database, keys, packages, brand, paymentMethods, retention, deliverer, logger } = parts;
  await database.listen(changesChannel, {
    onMessage(payload) {
      const news = accountNews(payload);
      if (news?.isNew === true) keys.learnAccount(news.id);
      else if (news !== null) keys.forgetAccount(news.id);
      if (payload === packagesChanged) reloadPackages();
      if (payload === brandChanged) reloadBrand();
      if (payload === paymentsChanged) reloadPayments();
      if (payload === retentionChanged) reloadRetention();
      const webhookId = webhookNews(payload);
      if (webhookId !== null) deliverer.changed(webhookId);
    },
    onLost() {
      logger.warn('change listener lost');
      keys.setStale(true);
    },
    onRestored() {
      keys.setStale(false);
      deliverer.changed(null);
      reloadPackages();
      reloadBrand();
      reloadPayments();
      reloadRetention();
    },
  });

  function reloadPackages(): void {
    packages.reload().catch((error: unknown) => logger.warn({ err: error }, 'package reload failed'));
  }

  function reloadBrand(): void {
    brand.reload().catch((error: unknown) => logger.warn({ err: error }, 'brand reload failed'));
  }

  function reloadPayments(): void {
    paymentMethods
      .reload()
      .catch((error: unknown) => logger.warn({ err: error }, 'payment settings reload failed'));
  }

  function reloadRetention(): void {
    retention
      .reload()
      .catch((error: unknown) => logger.warn({ err: error }, 'retention settings reload failed'));
  }
}
