import type { Context } from '../../kernel/context.ts';
import { wireGrantType } from '../../kernel/grant-types.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import type { Namespace } from '../../kernel/words/namespace.ts';
import {
  type AppDocument,
  type ClientDocument,
  type CommonSettings,
  isClientDocument,
  type ModeDocument,
  type OAuthClientSettings,
} from './documents/document-contract.ts';
import { wireLoginMode } from './documents/oauth-settings-rules.ts';
import { wireJwk } from './keys/jwk-wire.ts';
import { wireAppLinks } from './lists/app-links.ts';
import type { ShownApp } from './lists/show-apps.ts';
import type { App } from './store.ts';

type Members = Readonly<Record<string, unknown>>;

/** Renders the settings of a client, in the order of recorded responses. */
function wireClientSettings(settings: OAuthClientSettings, keys: readonly Members[], namespace: Namespace): Members {
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

function wireCommonSettings(app: Members, settings: CommonSettings): Members {
  const { implicitAssignment, inlineHookId, identityStoreId, manualProvisioning, notes, vpn } = settings;
  const { connection, message, helpUrl } = vpn;
  return {
    app,
    notifications: { vpn: { network: { connection }, message, helpUrl } },
    manualProvisioning,
    implicitAssignment,
    ...(inlineHookId === undefined ? {} : { inlineHookId }),
    ...(identityStoreId === undefined ? {} : { identityStoreId }),
    emOptInStatus: 'NONE',
    notes,
  };
}

type Owner = Pick<ShownApp, 'clientSecret' | 'keys' | 'orgKid'> & { readonly app: Pick<App, 'id' | 'clientId'> };

function wireClient(document: ClientDocument, { app, clientSecret, keys, orgKid }: Owner, context: Context) {
  const { autoKeyRotation, takesSecretEitherWay: _, ...oauthClient } = document.credentials.oauthClient;
  const secret = clientSecret === undefined || clientSecret === null ? {} : { client_secret: clientSecret };
  const jwks = keys.map((key) => wireJwk(key, app.id, context));
  return {
    credentials: {
      userNameTemplate: document.credentials.userNameTemplate,
      // The authorization server's keys sign the client's tokens.
      signing: orgKid === null ? {} : { kid: orgKid },
      oauthClient: { autoKeyRotation, client_id: app.clientId, ...secret, ...oauthClient },
    },
    settings: {
      ...wireCommonSettings({}, document.settings),
      oauthClient: wireClientSettings(document.settings.oauthClient, jwks, context.namespace),
    },
  };
}

function wireMode({ credentials, settings }: ModeDocument) {
  const { passwordSetAt, revealPassword, scheme, signing, userName, userNameTemplate } = credentials;
  return {
    credentials: {
      ...(scheme === undefined ? {} : { scheme }),
      userNameTemplate,
      ...(userName === undefined ? {} : { userName }),
      // The empty object shows that there is a password.
      ...(passwordSetAt === undefined ? {} : { password: {} }),
      ...(revealPassword === undefined ? {} : { revealPassword }),
      signing: signing ?? {},
    },
    settings: {
      ...wireCommonSettings(settings.app, settings),
      ...(settings.signOn === undefined ? {} : { signOn: settings.signOn }),
    },
  };
}

export const wireOwn = (document: AppDocument, shown: Owner, context: Context) =>
  isClientDocument(document) ? wireClient(document, shown, context) : wireMode(document);

/** Renders an app (contract section 17). */
export function wireApp(shown: ShownApp, context: Context): Record<string, unknown> {
  const { app, embedded } = shown;
  const { document, id } = app;
  const { credentials, settings } = wireOwn(document, shown, context);
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
    credentials,
    universalLogout: null,
    settings,
    ...(document.licensing === undefined ? {} : { licensing: document.licensing }),
    ...(document.profile === undefined ? {} : { profile: document.profile }),
    ...(embedded === undefined ? {} : { _embedded: embedded }),
    _links: wireAppLinks(app, shown, context),
  };
}

export const appVersion = ({ id, revision }: ShownApp['app']): Version => ({ kind: 'app', id, revision });
