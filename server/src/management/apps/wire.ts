import type { Context } from '../../kernel/context.ts';
import { wireDate } from '../../kernel/dates.ts';
import type { Namespace } from '../../kernel/namespace.ts';
import type { AppSettings, OAuthClientSettings } from './document-contract.ts';
import { takesSecret } from './document-rules.ts';
import type { StoredKey } from './jwk-stored.ts';
import { wireJwk } from './jwk-wire.ts';
import { appLifecycle } from './lifecycle.ts';
import { wireGrantType, wireLoginMode } from './oauth-settings-rules.ts';
import type { App } from './store.ts';

/** An app with what is kept beside it. */
export interface AppWithKeys {
  readonly app: App;
  readonly keys: readonly StoredKey[];
  /** Only right after it was set. */
  readonly clientSecret?: string | null;
}

/** The order is the one that recorded answers have: people read it. */
function wireClientSettings(
  settings: OAuthClientSettings,
  keys: readonly Record<string, unknown>[],
  namespace: Namespace,
): Record<string, unknown> {
  const {
    client_uri: clientUri,
    logo_uri: logoUri,
    redirect_uris: redirectUris,
    response_types: responseTypes,
    grant_types: grantTypes,
    idp_initiated_login: login,
    ...others
  } = settings;
  return {
    client_uri: clientUri ?? null,
    logo_uri: logoUri ?? null,
    redirect_uris: redirectUris,
    response_types: responseTypes,
    grant_types: grantTypes.map((grantType) => wireGrantType(grantType, namespace)),
    ...others,
    idp_initiated_login: { ...login, mode: wireLoginMode(login.mode, namespace) },
    ...(keys.length === 0 ? {} : { jwks: { keys } }),
  };
}

function wireSettings(settings: AppSettings, keys: readonly Record<string, unknown>[], namespace: Namespace) {
  const { vpn, oauthClient, notes, ...others } = settings;
  const { connection, message, helpUrl } = vpn;
  return {
    app: {},
    notifications: { vpn: { network: { connection }, message, helpUrl } },
    ...others,
    emOptInStatus: 'NONE',
    notes,
    oauthClient: wireClientSettings(oauthClient, keys, namespace),
  };
}

/** The links of an app: what its status permits, and where its secrets are. Those of assignments follow with them. */
function wireLinks({ id, status, document }: App, context: Context): Record<string, unknown> {
  const address = `${context.baseUrl}/api/v1/apps/${id}`;
  const links: Record<string, unknown> = { self: { href: address } };
  if (takesSecret(document)) {
    links['clientCredentials'] = [{ name: 'secrets', href: `${address}/credentials/secrets` }];
  }
  for (const action of appLifecycle.linkedFrom(status)) {
    links[action] = action === 'delete' ? { href: address } : { href: `${address}/lifecycle/${action}` };
  }
  return links;
}

/** An app as the wire has it (contract section 17). A secret is shown only where it was just set. */
export function wireApp({ app, keys, clientSecret }: AppWithKeys, context: Context): Record<string, unknown> {
  const { document, id } = app;
  const { autoKeyRotation, ...oauthClient } = document.credentials.oauthClient;
  const secret = clientSecret === undefined || clientSecret === null ? {} : { client_secret: clientSecret };
  return {
    id,
    orn: `orn:${context.namespace.word}:idp:${context.orgId}:apps:${document.name}:${id}`,
    name: document.name,
    label: app.label,
    status: app.status,
    lastUpdated: wireDate(app.lastUpdatedAt),
    created: wireDate(app.createdAt),
    accessibility: document.accessibility,
    visibility: document.visibility,
    features: document.features,
    signOnMode: app.signOnMode,
    credentials: {
      userNameTemplate: document.credentials.userNameTemplate,
      oauthClient: { autoKeyRotation, client_id: id, ...secret, ...oauthClient },
    },
    universalLogout: null,
    settings: wireSettings(
      document.settings,
      keys.map((key) => wireJwk(key, id, context)),
      context.namespace,
    ),
    ...(document.licensing === undefined ? {} : { licensing: document.licensing }),
    ...(document.profile === undefined ? {} : { profile: document.profile }),
    _links: wireLinks(app, context),
  };
}
