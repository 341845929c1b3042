import type { Context } from '../../kernel/context.ts';
import { linkTo } from '../../kernel/errors/hints.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import { changeTarget, type JsonObject, type Target } from '../../system-log/index.ts';
import { trustedOriginLifecycle } from './lifecycle.ts';
import { wireScopes } from './rules.ts';
import type { TrustedOrigin } from './store.ts';

export function wireTrustedOrigin(origin: TrustedOrigin, context: Context): Record<string, unknown> {
  const address = `${context.baseUrl}/api/v1/trustedOrigins/${origin.id}`;
  const links: Record<string, unknown> = { self: linkTo(address, '/api/v1/trustedOrigins/:trustedOriginId') };
  for (const action of trustedOriginLifecycle.linkedFrom(origin.status)) {
    links[action] = { href: `${address}/lifecycle/${action}`, hints: { allow: ['POST'] } };
  }
  return {
    id: origin.id,
    name: origin.name,
    origin: origin.origin,
    scopes: wireScopes(origin.scopes, context.namespace.capitalised),
    status: origin.status,
    created: wireDate(origin.createdAt),
    createdBy: origin.createdBy,
    lastUpdated: wireDate(origin.lastUpdatedAt),
    lastUpdatedBy: origin.lastUpdatedBy,
    _links: links,
  };
}

export const trustedOriginVersion = ({ id, revision }: TrustedOrigin): Version => ({
  kind: 'trustedOrigin',
  id,
  revision,
});

const trustedOriginTarget = (origin: TrustedOrigin): Target => ({
  id: origin.id,
  type: 'TrustedOrigin',
  alternateId: origin.origin,
  displayName: origin.name,
});

export const trustedOriginChange = changeTarget(trustedOriginTarget, ({ name, origin, scopes, status }) => ({
  name,
  origin,
  status,
  scopes: scopes.map((scope): JsonObject => ({ ...scope })),
}));
