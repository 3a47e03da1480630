import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { isMailAddress } from '../../shared/mail-addresses.ts';
import { actorOf } from '../identity/principal.ts';
import {
  brandAnswerSchema,
  logoBodyBytesMax,
  setBrandBodySchema,
  setBrandLogoBodySchema,
} from './brand-schemas.ts';
import type { BrandHolder } from './brand-store.ts';
import { changeBrand, changeLogo } from './brand-store.ts';
import { brandView } from './brand-view.ts';
import { readLogo } from './read-logo.ts';

interface BrandAdminRoutesDependencies {
  readonly brand: BrandHolder;
  readonly database: Database;
}

export function brandAdminRoutes(
  app: FastifyInstance,
  { database, brand }: BrandAdminRoutesDependencies,
): void {
  app.get(
    '/brand',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'getBrand',
        summary: 'The operator’s name, logo and color',
        description: 'As the operator set them; null for unset fields.',
        response: { 200: brandAnswerSchema },
      },
    },
    async (_request, reply) => reply.send({ brand: brandView(brand.current()) }),
  );

  app.put<WithBody<typeof setBrandBodySchema>>(
    '/brand',
    {
      config: {
        scopes: ['admin:packages'],
        codes: ['validation_failed'],
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'setBrand',
        summary: 'Set the operator’s name, color and letterhead',
        description:
          'On the pages of accounts and customers, in mails, and on statements and receipts, from now on: a statement that is fetched again has the letterhead of today. The logo is set apart.',
        body: setBrandBodySchema,
        response: { 200: brandAnswerSchema },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const name = body.name?.trim() ?? null;
      if (name === '')
        throw new RequestRefused(fieldRefusal('validation_failed', 'name', 'must not be blank'));
      const { support_address: supportAddress } = body;
      if (supportAddress !== null && !isMailAddress(supportAddress)) {
        const reason = 'must be an e-mail address such as anna@example.com';
        throw new RequestRefused(fieldRefusal('validation_failed', 'support_address', reason));
      }
      const { language, letterhead } = body;
      const color = body.colour?.toLowerCase() ?? null;
      const settings = { name, color, letterhead, supportAddress, language };
      await changeBrand(database, settings, actorOf(request.principal));
      return reply.send({ brand: brandView(await brand.reload()) });
    },
  );

  app.put<WithBody<typeof setBrandLogoBodySchema>>(
    '/brand/logo',
    {
      bodyLimit: logoBodyBytesMax,
      config: {
        scopes: ['admin:packages'],
        codes: ['validation_failed'],
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'setBrandLogo',
        summary: 'Set the operator’s logo',
        description:
          'It is read to its end, and kept without what programs and cameras say of themselves. No SVG: that is a document, with scripts.',
        body: setBrandLogoBodySchema,
        response: { 200: brandAnswerSchema },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const logo = readLogo(Buffer.from(body.data, 'base64'));
      if (typeof logo === 'string') throw new RequestRefused(fieldRefusal('validation_failed', 'data', logo));
      await changeLogo(database, logo, actorOf(request.principal));
      return reply.send({ brand: brandView(await brand.reload()) });
    },
  );

  app.delete(
    '/brand/logo',
    {
      config: {
        scopes: ['admin:packages'],
        codes: [],
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'removeBrandLogo',
        summary: 'Show no logo of the operator’s any more',
        description: 'Pages show the operator’s name in its place.',
        response: { 200: brandAnswerSchema },
      },
    },
    async (request, reply) => {
      await changeLogo(database, null, actorOf(request.principal));
      return reply.send({ brand: brandView(await brand.reload()) });
    },
  );
}
