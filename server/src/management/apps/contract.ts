import { type Static, type TSchema, Type } from '@sinclair/typebox';
import {
  APPLICATION_TYPES,
  CONSENT_METHODS,
  ISSUER_MODES,
  RESPONSE_TYPES,
  ROTATION_TYPES,
  TOKEN_ENDPOINT_AUTH_METHODS,
  WILDCARD_REDIRECTS,
} from './document-contract.ts';
import { APP_STATUSES, type AppStatus } from './lifecycle.ts';

export const AppIdParams = Type.Object({ appId: Type.String() });

/** The sign-on modes that are served; the other kinds of apps are not there yet. */
export const SIGN_ON_MODES = ['OPENID_CONNECT'] as const;

const MAXIMUM_URI_LENGTH = 1_024;

/** Null says the same as leaving it out: clients send back what they were given. */
const given = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));

function word<const Words extends readonly string[]>(words: Words, description?: string) {
  const schema = { type: 'string', enum: [...words] };
  return Type.Unsafe<Words[number]>(description === undefined ? schema : { ...schema, description });
}

const flag = given(Type.Boolean());
const text = given(Type.String({ maxLength: 4_096 }));
const uri = given(Type.String({ maxLength: MAXIMUM_URI_LENGTH }));
const uris = given(Type.Array(Type.String({ maxLength: MAXIMUM_URI_LENGTH }), { maxItems: 500 }));
const algorithm = given(Type.String({ maxLength: 32 }));

const OAuthClientSettingsInput = Type.Object({
  application_type: given(word(APPLICATION_TYPES, '`web` unless said otherwise; stays what it was made.')),
  grant_types: Type.Array(Type.String({ maxLength: 255 }), { maxItems: 20 }),
  response_types: given(Type.Array(word(RESPONSE_TYPES), { maxItems: 3 })),
  redirect_uris: uris,
  post_logout_redirect_uris: uris,
  client_uri: uri,
  logo_uri: uri,
  tos_uri: uri,
  policy_uri: uri,
  consent_method: given(word(CONSENT_METHODS, '`TRUSTED` unless said otherwise.')),
  issuer_mode: given(word(ISSUER_MODES)),
  initiate_login_uri: uri,
  idp_initiated_login: given(
    Type.Object({
      mode: Type.String({ maxLength: 32 }),
      default_scope: given(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 })),
    }),
  ),
  wildcard_redirect: given(word(WILDCARD_REDIRECTS)),
  refresh_token: given(
    Type.Object({
      rotation_type: word(ROTATION_TYPES),
      leeway: given(Type.Integer({ minimum: 0, maximum: 60, description: 'Seconds.' })),
    }),
  ),
  jwks: given(
    Type.Object(
      { keys: given(Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 50 })) },
      {
        description: 'Public keys by which the client proves itself. Left out: they stay as they are.',
      },
    ),
  ),
  jwks_uri: uri,
  dpop_bound_access_tokens: flag,
  participate_slo: flag,
  frontchannel_logout_uri: uri,
  frontchannel_logout_session_required: flag,
  sector_identifier_uri: uri,
  subject_type: given(word(['public', 'pairwise'])),
  request_object_signing_alg: algorithm,
  id_token_encrypted_response_alg: algorithm,
  backchannel_token_delivery_mode: given(word(['poll', 'ping', 'push'])),
  backchannel_authentication_request_signing_alg: algorithm,
  backchannel_custom_authenticator_id: given(Type.String({ minLength: 20, maxLength: 20 })),
  network: given(Type.Object({ connection: word(['ANYWHERE']) })),
});
export type OAuthClientSettingsInput = Static<typeof OAuthClientSettingsInput>;

const OAuthClientCredentialsInput = Type.Object({
  client_id: given(Type.String({ description: "Always the app's own id." })),
  client_secret: given(Type.String({ pattern: '^[!-~]{14,100}$', description: 'Made when it is left out.' })),
  token_endpoint_auth_method: given(word(TOKEN_ENDPOINT_AUTH_METHODS)),
  autoKeyRotation: flag,
  pkce_required: flag,
});
export type OAuthClientCredentialsInput = Static<typeof OAuthClientCredentialsInput>;

const SettingsInput = Type.Object({
  oauthClient: given(OAuthClientSettingsInput),
  manualProvisioning: flag,
  implicitAssignment: flag,
  notes: given(Type.Object({ admin: text, enduser: text })),
  notifications: given(
    Type.Object({
      vpn: given(
        Type.Object({
          network: given(Type.Object({ connection: word(['DISABLED', 'ANYWHERE', 'ON_NETWORK', 'OFF_NETWORK']) })),
          message: text,
          helpUrl: uri,
        }),
      ),
    }),
  ),
  inlineHookId: given(Type.String({ maxLength: 20 })),
  identityStoreId: given(Type.String({ maxLength: 20 })),
});
export type SettingsInput = Static<typeof SettingsInput>;

const CredentialsInput = Type.Object({
  oauthClient: given(OAuthClientCredentialsInput),
  userNameTemplate: given(
    Type.Object({
      template: given(Type.String({ maxLength: 1_024 })),
      type: given(word(['NONE', 'BUILT_IN', 'CUSTOM'])),
      userSuffix: given(Type.String({ maxLength: 255 })),
      pushStatus: given(word(['PUSH', 'DONT_PUSH', 'NOT_CONFIGURED'])),
    }),
  ),
});

export const AppBody = Type.Object({
  signOnMode: word(SIGN_ON_MODES, 'Which kind of app it is.'),
  name: given(Type.String({ description: '`oidc_client`.' })),
  label: Type.String({ description: 'At most 255 characters.' }),
  settings: given(SettingsInput),
  credentials: given(CredentialsInput),
  accessibility: given(Type.Object({ selfService: flag, errorRedirectUrl: uri, loginRedirectUrl: uri })),
  visibility: given(
    Type.Object({
      autoLaunch: flag,
      autoSubmitToolbar: flag,
      hide: given(Type.Object({ iOS: flag, web: flag })),
      appLinks: given(Type.Record(Type.String({ maxLength: 100 }), Type.Boolean(), { maxProperties: 100 })),
    }),
  ),
  features: given(Type.Array(Type.String({ pattern: '^[A-Z_]{1,64}$' }), { maxItems: 100 })),
  licensing: given(Type.Object({ seatCount: given(Type.Integer({ minimum: 0 })) })),
  profile: given(Type.Record(Type.String(), Type.Unknown())),
});
export type AppInput = Static<typeof AppBody>;

const Status = Type.Unsafe<AppStatus>({ type: 'string', enum: [...APP_STATUSES] });
const Instant = Type.String({ format: 'date-time' });
const AnyObject = Type.Record(Type.String(), Type.Unknown());

export const AppSchema = Type.Object({
  id: Type.String(),
  orn: Type.String(),
  name: Type.String(),
  label: Type.String(),
  status: Status,
  lastUpdated: Instant,
  created: Instant,
  accessibility: AnyObject,
  visibility: AnyObject,
  features: Type.Array(Type.String()),
  signOnMode: Type.String(),
  credentials: Type.Object({
    userNameTemplate: AnyObject,
    oauthClient: Type.Object({
      autoKeyRotation: Type.Boolean(),
      client_id: Type.String(),
      client_secret: Type.Optional(Type.String({ description: 'Shown only where it was just set.' })),
      token_endpoint_auth_method: Type.String(),
      pkce_required: Type.Boolean(),
    }),
  }),
  universalLogout: Type.Null(),
  settings: AnyObject,
  licensing: Type.Optional(AnyObject),
  profile: Type.Optional(AnyObject),
  _links: AnyObject,
});

export const AppListSchema = Type.Array(AppSchema);
