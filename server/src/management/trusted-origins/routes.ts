import type { Context } from '../../kernel/context.ts';
import {
  type Answer,
  type AnyRoute,
  cursor,
  limit,
  noContent,
  page,
  route,
  text,
  versioned,
} from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { changeTrustedOriginStatus } from './changes/change-status.ts';
import { createTrustedOrigin } from './changes/create-trusted-origin.ts';
import { deleteTrustedOrigin } from './changes/delete-trusted-origin.ts';
import { replaceTrustedOrigin } from './changes/replace-trusted-origin.ts';
import { TrustedOriginBody, TrustedOriginIdParams, TrustedOriginListSchema, TrustedOriginSchema } from './contract.ts';
import { getTrustedOrigin } from './get-trusted-origin.ts';
import type { TrustedOriginAction } from './lifecycle.ts';
import { listTrustedOrigins } from './list-trusted-origins.ts';
import type { TrustedOrigin } from './store.ts';
import { trustedOriginVersion, wireTrustedOrigin } from './wire.ts';

export type TrustedOriginRoutesPorts = Pick<Foundation, 'db' | 'work' | 'cursors'>;

const common = { tag: 'TrustedOrigin', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['trustedOrigins.read'], permission: 'trustedOrigins.read' } as const;
const managing = { ...common, scopes: ['trustedOrigins.manage'], permission: 'trustedOrigins.manage' } as const;
const collection = '/api/v1/trustedOrigins';
const single = `${collection}/:trustedOriginId`;

const answer = (trustedOrigin: TrustedOrigin, context: Context): Answer =>
  versioned(trustedOriginVersion(trustedOrigin), wireTrustedOrigin(trustedOrigin, context));

const listRoute = (ports: TrustedOriginRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listTrustedOrigins',
    method: 'GET',
    url: collection,
    summary: 'List all trusted origins',
    query: {
      q: text('Trusted origins whose name or origin starts with this.', 255),
      filter: text('Filter expression on name, origin, status and type.', 8_192),
      limit: limit({ default: 20, maximum: 200 }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
    },
    response: { status: 200, schema: TrustedOriginListSchema },
    errors: ['E0000001', 'E0000031', 'E0000037', 'E0000053'],
    handler: async ({ context, query, rawQuery }) => {
      const { rows, links } = await listTrustedOrigins(ports, context, query, rawQuery);
      return page(
        rows.map((origin) => wireTrustedOrigin(origin, context)),
        links,
      );
    },
  });

const createRoute = ({ work }: TrustedOriginRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'createTrustedOrigin',
    method: 'POST',
    url: collection,
    summary: 'Create a trusted origin',
    body: TrustedOriginBody,
    idempotent: true,
    response: { status: 200, schema: TrustedOriginSchema },
    errors: ['E0000001', 'E0000195'],
    handler: async ({ context, body }) => {
      const origin = await createTrustedOrigin(work, context, body);
      return answer(origin, context);
    },
  });

const getRoute = ({ db }: TrustedOriginRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getTrustedOrigin',
    method: 'GET',
    url: single,
    summary: 'Retrieve a trusted origin',
    params: TrustedOriginIdParams,
    response: { status: 200, schema: TrustedOriginSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) =>
      answer(await getTrustedOrigin(db, context, params.trustedOriginId), context),
  });

const replaceRoute = ({ work }: TrustedOriginRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'replaceTrustedOrigin',
    method: 'PUT',
    url: single,
    summary: 'Replace a trusted origin',
    params: TrustedOriginIdParams,
    body: TrustedOriginBody,
    response: { status: 200, schema: TrustedOriginSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) => {
      const origin = await replaceTrustedOrigin(work, context, params.trustedOriginId, body);
      return answer(origin, context);
    },
  });

const deleteRoute = ({ work }: TrustedOriginRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deleteTrustedOrigin',
    method: 'DELETE',
    url: single,
    summary: 'Delete a trusted origin',
    params: TrustedOriginIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteTrustedOrigin(work, context, params.trustedOriginId);
      return noContent();
    },
  });

const lifecycleRoute = (
  { work }: TrustedOriginRoutesPorts,
  action: TrustedOriginAction,
  operationId: string,
  summary: string,
): AnyRoute =>
  route({
    ...managing,
    operationId,
    method: 'POST',
    url: `${single}/lifecycle/${action}`,
    summary,
    params: TrustedOriginIdParams,
    response: { status: 200, schema: TrustedOriginSchema },
    errors: ['E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      const origin = await changeTrustedOriginStatus(work, context, params.trustedOriginId, action);
      return answer(origin, context);
    },
  });

export const trustedOriginRoutes = (ports: TrustedOriginRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  lifecycleRoute(ports, 'activate', 'activateTrustedOrigin', 'Activate a trusted origin'),
  lifecycleRoute(ports, 'deactivate', 'deactivateTrustedOrigin', 'Deactivate a trusted origin'),
];
