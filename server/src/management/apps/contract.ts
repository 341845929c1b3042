import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { APPLICATION_TYPES, RESPONSE_TYPES, TOKEN_ENDPOINT_AUTH_METHODS } from '../../kernel/words/client-words.ts';
import { MAXIMUM_CLIENT_ID_LENGTH } from '../../kernel/words/ids.ts';
import { CONSENT_METHODS, ISSUER_MODES, ROTATION_TYPES, WILDCARD_REDIRECTS } from './documents/document-contract.ts';
import { APP_STATUSES, type AppStatus } from './lifecycle.ts';
import { tableSchema } from './modes/field-rules.ts';
import { APP_KINDS, type AppKind, nameOfKind, SIGN_ON_MODES, type SignOnMode } from './modes/kind-rules.ts';
import { SCHEME_FIELDS } from './modes/scheme-rules.ts';

export const AppIdParams = Type.Object({ appId: Type.String() });

const MAXIMUM_URI_LENGTH = 1_024;

/** Null counts as absent. */
const given = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));

function word<const Words extends readonly string[]>(words: Words, description?: string) {
  const schema = { type: 'string', enum: [...words] };
  return Type.Unsafe<Words[number]>(description === undefined ? schema : { ...schema, description });
}

const flag = given(Type.Boolean());
const text = given(Type.String({ maxLength: 4_096 }));
const uri = given(Type.String({ maxLength: MAXIMUM_URI_LENGTH }));
const uris = given(Type.Array(Type.String({ maxLength: MAXIMUM_URI_LENGTH }), { maxItems: 500 }));
const SIGNING_ALGORITHMS = ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'] as const;
const ENCRYPTION_ALGORITHMS = ['RSA-OAEP-256', 'RSA-OAEP-384', 'RSA-OAEP-512'] as const;

export const OAuthClientSettingsInput = Type.Object({
  application_type: given(
    word(APPLICATION_TYPES, 'The type of the client, which is `web` by default and never changes.'),
  ),
  grant_types: Type.Array(Type.String({ maxLength: 255 }), { maxItems: 20 }),
  response_types: given(Type.Array(word(RESPONSE_TYPES), { maxItems: 3 })),
  redirect_uris: uris,
  post_logout_redirect_uris: uris,
  client_uri: uri,
  logo_uri: uri,
  tos_uri: uri,
  policy_uri: uri,
  consent_method: given(
    word(CONSENT_METHODS, 'Whether users are asked for their consent. The default is `TRUSTED`: they are not.'),
  ),
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
      leeway: given(
        Type.Integer({
          minimum: 0,
          maximum: 60,
          description: 'How long a rotated refresh token can still be used, in seconds.',
        }),
      ),
    }),
  ),
  jwks: given(
    Type.Object(
      { keys: given(Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 50 })) },
      {
        description: 'The public keys with which the client authenticates. If they are left out, they stay.',
      },
    ),
  ),
  jwks_uri: uri,
  dpop_bound_access_tokens: flag,
  require_pushed_authorization_requests: flag,
  participate_slo: flag,
  frontchannel_logout_uri: uri,
  frontchannel_logout_session_required: flag,
  backchannel_logout_uri: uri,
  backchannel_logout_session_required: flag,
  sector_identifier_uri: uri,
  subject_type: given(word(['public', 'pairwise'])),
  request_object_signing_alg: given(word(SIGNING_ALGORITHMS)),
  id_token_encrypted_response_alg: given(word(ENCRYPTION_ALGORITHMS)),
  backchannel_token_delivery_mode: given(word(['poll', 'ping', 'push'])),
  backchannel_authentication_request_signing_alg: given(word(SIGNING_ALGORITHMS)),
  backchannel_custom_authenticator_id: given(Type.String({ minLength: 20, maxLength: 20 })),
  network: given(Type.Object({ connection: word(['ANYWHERE']) })),
});
export type OAuthClientSettingsInput = Static<typeof OAuthClientSettingsInput>;

export const OAuthClientCredentialsInput = Type.Object({
  client_id: given(
    Type.String({
      minLength: 1,
      maxLength: MAXIMUM_CLIENT_ID_LENGTH,
      description:
        'The `client_id`, which never changes: 6 to 100 of the characters `A-Z a-z 0-9 . _ -`. The default is the ' +
        'id of the app.',
    }),
  ),
  client_secret: given(
    Type.String({ pattern: '^[!-~]{14,100}$', description: 'The secret. The service makes one if it is left out.' }),
  ),
  token_endpoint_auth_method: given(word(TOKEN_ENDPOINT_AUTH_METHODS)),
  autoKeyRotation: flag,
  pkce_required: flag,
});
export type OAuthClientCredentialsInput = Static<typeof OAuthClientCredentialsInput>;

const commonSettings = {
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
};
const CommonSettingsInput = Type.Object(commonSettings);
export type CommonSettingsInput = Static<typeof CommonSettingsInput>;

const AnyMembers = Type.Record(Type.String(), Type.Unknown());

const commonCredentials = {
  signing: given(Type.Object({ kid: given(Type.String({ maxLength: 255 })) })),
  userNameTemplate: given(
    Type.Object({
      template: given(Type.String({ maxLength: 1_024 })),
      type: given(word(['NONE', 'BUILT_IN', 'CUSTOM', ''])),
      userSuffix: given(Type.String({ maxLength: 255 })),
      pushStatus: given(word(['PUSH', 'DONT_PUSH', 'NOT_CONFIGURED'])),
    }),
  ),
};

const common = {
  name: given(Type.String({ maxLength: 255, description: 'The name of the kind of app.' })),
  label: Type.String({ description: 'It has at most 255 characters.' }),
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
  profile: given(AnyMembers),
};

const ClientBody = Type.Object({
  signOnMode: given(Type.Literal('OPENID_CONNECT')),
  ...common,
  settings: given(Type.Object({ oauthClient: given(OAuthClientSettingsInput), ...commonSettings })),
  credentials: given(Type.Object({ oauthClient: given(OAuthClientCredentialsInput), ...commonCredentials })),
});
export type SentClient = Static<typeof ClientBody>;

const OTHER_MODES = SIGN_ON_MODES.filter((mode) => mode !== 'OPENID_CONNECT');

/** The body of an app that is not an OAuth client. `modes/` validates the members that only some kinds of apps have. */
const ModeBody = Type.Object({
  signOnMode: given(Type.Unsafe<Exclude<SignOnMode, 'OPENID_CONNECT'>>({ type: 'string', enum: OTHER_MODES })),
  ...common,
  settings: given(Type.Object({ app: given(AnyMembers), signOn: given(AnyMembers), ...commonSettings })),
  credentials: given(
    Type.Object(
      {
        scheme: given(Type.Unknown()),
        userName: given(Type.Unknown()),
        password: given(Type.Unknown()),
        revealPassword: given(Type.Unknown()),
        ...commonCredentials,
      },
      { description: 'The credentials. No response contains the password.' },
    ),
  ),
});
export type SentMode = Static<typeof ModeBody>;

/** The body of an app. It names the sign-on mode, or its `name` implies the mode. */
export type SentApp = SentClient | SentMode;

type WithMode<Sent extends SentApp> = Omit<Sent, 'signOnMode'> & {
  readonly signOnMode: Exclude<Sent['signOnMode'], null | undefined>;
};

export type ClientInput = WithMode<SentClient>;
export type ModeInput = WithMode<SentMode>;

export type AppInput = ClientInput | ModeInput;

const describeKind = (kind: AppKind) => ({
  signOnMode: kind.mode,
  name: nameOfKind(kind) ?? (kind.naming.from === 'custom' ? 'made by the service' : 'chosen by the client'),
  ...(kind.app === null ? {} : { 'settings.app': tableSchema(kind.app) }),
  ...(kind.signOn === null ? {} : { 'settings.signOn': tableSchema(kind.signOn) }),
  ...(kind.hasScheme ? { credentials: tableSchema(SCHEME_FIELDS) } : {}),
});

/** Builds the schema of a body that names one of these modes, or whose `name` implies one. */
const isOneOf = (modes: readonly SignOnMode[]) => ({
  type: 'object',
  anyOf: [
    { required: ['signOnMode'], properties: { signOnMode: { enum: modes } } },
    {
      required: ['name'],
      properties: {
        signOnMode: { type: 'null' },
        name: { enum: APP_KINDS.filter(({ mode }) => modes.includes(mode)).flatMap((kind) => nameOfKind(kind) ?? []) },
      },
    },
  ],
});

/** The schema validates the mode first, and then the rest of the body against the contract of that mode only. */
export const AppBody = Type.Unsafe<SentApp>({
  type: 'object',
  required: ['label'],
  properties: {
    signOnMode: given(word(SIGN_ON_MODES, 'The kind of the app. It can be left out if `name` determines it.')),
  },
  if: isOneOf(OTHER_MODES),
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: ModeBody,
  else: {
    if: isOneOf(['OPENID_CONNECT']),
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
    then: ClientBody,
    else: { required: ['signOnMode'], properties: { signOnMode: { enum: SIGN_ON_MODES } } },
  },
  'x-kinds': APP_KINDS.map(describeKind),
});

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
  signOnMode: word(SIGN_ON_MODES),
  credentials: Type.Object({
    scheme: Type.Optional(Type.String()),
    userNameTemplate: AnyObject,
    userName: Type.Optional(Type.String()),
    password: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: false, description: 'An empty object, which says that a password is set.' },
      ),
    ),
    revealPassword: Type.Optional(Type.Boolean()),
    signing: Type.Object({ kid: Type.Optional(Type.String()) }),
    oauthClient: Type.Optional(
      Type.Object({
        autoKeyRotation: Type.Boolean(),
        client_id: Type.String(),
        client_secret: Type.Optional(
          Type.String({ description: 'The secret. The response contains it only when it has just been set.' }),
        ),
        token_endpoint_auth_method: Type.String(),
        pkce_required: Type.Boolean(),
      }),
    ),
  }),
  universalLogout: Type.Null(),
  settings: AnyObject,
  licensing: Type.Optional(AnyObject),
  profile: Type.Optional(AnyObject),
  _embedded: Type.Optional(AnyObject),
  _links: AnyObject,
});

export const AppListSchema = Type.Array(AppSchema);
