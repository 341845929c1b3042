import type { Context } from '../../kernel/context.ts';
import { linkKept, linkTo } from '../../kernel/errors/hints.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import { changeTarget, type Target } from '../../system-log/index.ts';
import type { ServerClaim } from './claims/claim-store.ts';
import { authorizationServerLifecycle } from './lifecycle.ts';
import type { ServerSigning } from './ports.ts';
import type { ServerScope } from './scopes/scope-store.ts';
import type { AuthorizationServer } from './store.ts';

type Wire = Record<string, unknown>;
type Addressed = Pick<AuthorizationServer, 'id' | 'isDefault'>;

export const link = (href: string, ...allow: readonly string[]): Wire => ({ href, hints: { allow } });

export const SERVER = '/api/v1/authorizationServers/:authServerId';

const segmentOf = ({ id, isDefault }: Addressed): string => (isDefault ? 'default' : id);

export const addressOf = (server: Addressed, { baseUrl }: Context): string =>
  `${baseUrl}/api/v1/authorizationServers/${segmentOf(server)}`;

function linksOf(server: AuthorizationServer, context: Context, issuer: string): Wire {
  const address = addressOf(server, context);
  const metadata = (name: string): Wire => ({ name, ...link(`${issuer}/.well-known/${name}`, 'GET') });
  const links: Wire = {
    rotateKey: link(`${address}/credentials/lifecycle/keyRotate`, 'POST'),
    metadata: [metadata('oauth-authorization-server'), metadata('openid-configuration')],
    keys: link(`${address}/credentials/keys`, 'GET'),
    claims: linkTo(`${address}/claims`, `${SERVER}/claims`),
    policies: linkTo(`${address}/policies`, `${SERVER}/policies`),
    self: linkKept(address, SERVER, server.isDefault),
    scopes: linkTo(`${address}/scopes`, `${SERVER}/scopes`),
  };
  for (const action of authorizationServerLifecycle.linkedFrom(server.status)) {
    links[action] = link(`${address}/lifecycle/${action}`, 'POST');
  }
  return links;
}

const wireSigning = ({ kid, lastRotated, nextRotation }: ServerSigning): Wire => ({
  kid,
  lastRotated: wireDate(lastRotated),
  ...(nextRotation === null ? {} : { nextRotation: wireDate(nextRotation) }),
});

export function wireServer(server: AuthorizationServer, context: Context, signing: ServerSigning | undefined): Wire {
  const issuer = `${context.baseUrl}/oauth2/${segmentOf(server)}`;
  return {
    id: server.id,
    name: server.name,
    description: server.description,
    audiences: server.audiences,
    issuer,
    issuerMode: server.issuerMode,
    status: server.status,
    created: wireDate(server.createdAt),
    lastUpdated: wireDate(server.lastUpdatedAt),
    credentials: {
      signing: { rotationMode: server.rotationMode, ...(signing === undefined ? {} : wireSigning(signing)) },
    },
    default: server.isDefault,
    _links: linksOf(server, context, issuer),
  };
}

export const wireScope = (server: Addressed, scope: ServerScope, context: Context): Wire => ({
  id: scope.id,
  name: scope.name,
  ...(scope.displayName === null ? {} : { displayName: scope.displayName }),
  ...(scope.description === null ? {} : { description: scope.description }),
  system: scope.isSystem,
  metadataPublish: scope.metadataPublish,
  consent: scope.consent,
  optional: scope.isOptional,
  default: scope.isDefault,
  _links: {
    self: linkKept(`${addressOf(server, context)}/scopes/${scope.id}`, `${SERVER}/scopes/:scopeId`, scope.isSystem),
  },
});

export const wireClaim = (server: Addressed, claim: ServerClaim, context: Context): Wire => ({
  id: claim.id,
  name: claim.name,
  status: claim.status,
  claimType: claim.claimType,
  valueType: claim.valueType,
  ...(claim.value === null ? {} : { value: claim.value }),
  ...(claim.groupFilterType === null ? {} : { group_filter_type: claim.groupFilterType }),
  conditions: { scopes: claim.scopes },
  system: claim.isSystem,
  alwaysIncludeInToken: claim.alwaysInclude,
  _links: {
    self: linkKept(`${addressOf(server, context)}/claims/${claim.id}`, `${SERVER}/claims/:claimId`, claim.isSystem),
  },
});

/** The version of a server does not cover its keys. */
export const serverVersion = ({ id, revision }: AuthorizationServer): Version => ({
  kind: 'authorizationServer',
  id,
  revision,
});
export const scopeVersion = ({ id, revision }: ServerScope): Version => ({
  kind: 'authorizationServerScope',
  id,
  revision,
});
export const claimVersion = ({ id, revision }: ServerClaim): Version => ({
  kind: 'authorizationServerClaim',
  id,
  revision,
});

const targetOf = (type: string, { id, name }: { readonly id: string; readonly name: string }): Target => ({
  id,
  type,
  alternateId: 'unknown',
  displayName: name,
});

export const authorizationServerTarget = (server: { readonly id: string; readonly name: string }): Target =>
  targetOf('AuthorizationServer', server);

export const serverChange = changeTarget(
  (server: AuthorizationServer) => authorizationServerTarget(server),
  ({ audiences, description, issuerMode, name, rotationMode, status }) => ({
    name,
    description,
    audiences,
    issuerMode,
    rotationMode,
    status,
  }),
);

export const scopeChange = changeTarget(
  (scope: ServerScope) => targetOf('Scope', scope),
  ({ consent, description, displayName, isDefault, isOptional, metadataPublish, name }) => ({
    name,
    displayName,
    description,
    metadataPublish,
    consent,
    optional: isOptional,
    default: isDefault,
  }),
);

export const claimChange = changeTarget(
  (claim: ServerClaim) => targetOf('Claim', claim),
  ({ alwaysInclude, claimType, groupFilterType, name, scopes, status, value, valueType }) => ({
    name,
    status,
    claimType,
    valueType,
    value,
    groupFilterType,
    scopes,
    alwaysIncludeInToken: alwaysInclude,
  }),
);
