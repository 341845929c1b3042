import { type AnyRoute, paging, resourceRoutes, text } from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { createTrustedOrigin } from './changes/create-trusted-origin.ts';
import { replaceTrustedOrigin } from './changes/replace-trusted-origin.ts';
import { TrustedOriginBody, TrustedOriginIdParams, TrustedOriginListSchema, TrustedOriginSchema } from './contract.ts';
import { listTrustedOrigins } from './list-trusted-origins.ts';
import { changeTrustedOriginStatus, deleteTrustedOrigin, getTrustedOrigin } from './resource.ts';
import { trustedOriginVersion, wireTrustedOrigin } from './wire.ts';

export type TrustedOriginRoutesPorts = Pick<Foundation, 'db' | 'work' | 'cursors'>;

const trustedOrigins = resourceRoutes({
  tag: 'TrustedOrigin',
  name: 'TrustedOrigin',
  one: 'a trusted origin',
  all: 'all trusted origins',
  scope: 'trustedOrigins',
  url: '/api/v1/trustedOrigins/:trustedOriginId',
  params: TrustedOriginIdParams,
  schema: TrustedOriginSchema,
  wire: wireTrustedOrigin,
  version: trustedOriginVersion,
});

export const trustedOriginRoutes = (ports: TrustedOriginRoutesPorts): AnyRoute[] => [
  trustedOrigins.list({
    query: {
      q: text('Lists only trusted origins whose name or origin starts with this text.', 255),
      filter: text('A filter expression on name, origin, status and type.', 8_192),
      ...paging({ default: 20, maximum: 200 }),
    },
    schema: TrustedOriginListSchema,
    use: ({ context, query, rawQuery }) => listTrustedOrigins(ports, context, query, rawQuery),
  }),
  trustedOrigins.create({
    body: TrustedOriginBody,
    use: ({ context, body }) => createTrustedOrigin(ports.work, context, body),
  }),
  trustedOrigins.get({
    use: ({ context, params }) => getTrustedOrigin(ports.db, context, params.trustedOriginId),
  }),
  trustedOrigins.replace({
    body: TrustedOriginBody,
    use: ({ context, params, body }) => replaceTrustedOrigin(ports.work, context, params.trustedOriginId, body),
  }),
  trustedOrigins.delete({
    use: ({ context, params }) => deleteTrustedOrigin(ports.work, context, params.trustedOriginId),
  }),
  ...trustedOrigins.lifecycle({
    use: ({ context, params }, action) =>
      changeTrustedOriginStatus(ports.work, context, params.trustedOriginId, action),
  }),
];
