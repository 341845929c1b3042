import type { Context } from '../../../kernel/context.ts';
import { linkTo } from '../../../kernel/errors/hints.ts';
import { wireDate } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION, type Version } from '../../../kernel/version.ts';
import type { App } from '../store.ts';
import { wireScope } from './grant-rules.ts';
import type { ScopeGrant } from './grant-store.ts';

export function wireGrant(
  { app, grant }: { readonly app: App; readonly grant: ScopeGrant },
  context: Context,
  isExpanded: boolean,
): Record<string, unknown> {
  const scopeId = wireScope(grant.scope, context.namespace);
  const appAddress = `${context.baseUrl}/api/v1/apps/${app.id}`;
  return {
    id: grant.id,
    status: 'ACTIVE',
    created: wireDate(grant.createdAt),
    createdBy: { id: grant.createdBy, type: grant.createdByType },
    lastUpdated: wireDate(grant.lastUpdatedAt),
    issuer: context.baseUrl,
    clientId: app.clientId,
    scopeId,
    source: 'ADMIN',
    ...(isExpanded ? { _embedded: { scope: { id: scopeId } } } : {}),
    _links: {
      app: { href: appAddress, title: app.label },
      self: linkTo(`${appAddress}/grants/${grant.id}`, '/api/v1/apps/:appId/grants/:grantId'),
      client: { href: `${context.baseUrl}/oauth2/v1/clients/${app.clientId}`, title: app.label },
    },
  };
}

/** The version is constant because a grant never changes. */
export const grantVersion = ({ id }: ScopeGrant): Version => ({ kind: 'scopeGrant', id, revision: FIRST_REVISION });
