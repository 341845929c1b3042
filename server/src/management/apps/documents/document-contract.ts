import type { APPLICATION_TYPES, TOKEN_ENDPOINT_AUTH_METHODS } from '../../../kernel/words/client-words.ts';
import type { KindSettings } from '../modes/kind-rules.ts';
import type { SchemeCredentials } from '../modes/scheme-rules.ts';

// The types in this file describe `apps.document`, which is stored without the namespace word.

export type ApplicationType = (typeof APPLICATION_TYPES)[number];

export type TokenEndpointAuthMethod = (typeof TOKEN_ENDPOINT_AUTH_METHODS)[number];

export const CONSENT_METHODS = ['REQUIRED', 'TRUSTED'] as const;
export const ISSUER_MODES = ['ORG_URL', 'CUSTOM_URL', 'DYNAMIC'] as const;
export const WILDCARD_REDIRECTS = ['DISABLED', 'SUBDOMAIN'] as const;
export const ROTATION_TYPES = ['STATIC', 'ROTATE'] as const;

/** On the wire, the namespace word takes the place of `SIMPLIFIED`. */
export type IdpInitiatedLoginMode = 'DISABLED' | 'SPEC' | 'SIMPLIFIED';

export interface OAuthClientCredentials {
  readonly token_endpoint_auth_method: TokenEndpointAuthMethod;
  /**
   * This is present if `client_secret_basic` is only the default method, so that the client may also send the secret
   * in the body.
   */
  readonly takesSecretEitherWay?: true;
  readonly autoKeyRotation: boolean;
  readonly pkce_required: boolean;
}

export interface RefreshTokenSettings {
  readonly rotation_type: (typeof ROTATION_TYPES)[number];
  /** The number of seconds for which a rotated token still works. */
  readonly leeway: number;
}

export interface OptionalClientSettings {
  readonly client_uri?: string;
  readonly logo_uri?: string;
  readonly tos_uri?: string;
  readonly policy_uri?: string;
  readonly post_logout_redirect_uris?: readonly string[];
  readonly initiate_login_uri?: string;
  readonly jwks_uri?: string;
  readonly refresh_token?: RefreshTokenSettings;
  readonly frontchannel_logout_uri?: string;
  readonly frontchannel_logout_session_required?: boolean;
  readonly backchannel_logout_uri?: string;
  readonly backchannel_logout_session_required?: boolean;
  readonly require_pushed_authorization_requests?: boolean;
  readonly sector_identifier_uri?: string;
  readonly subject_type?: string;
  readonly request_object_signing_alg?: string;
  readonly id_token_encrypted_response_alg?: string;
  readonly backchannel_token_delivery_mode?: string;
  readonly backchannel_authentication_request_signing_alg?: string;
  readonly backchannel_custom_authenticator_id?: string;
}

export interface OAuthClientSettings extends OptionalClientSettings {
  readonly application_type: ApplicationType;
  readonly redirect_uris: readonly string[];
  readonly response_types: readonly string[];
  /** `otp` and `oob` stand for the grant types whose URN contains the namespace word. */
  readonly grant_types: readonly string[];
  readonly consent_method: (typeof CONSENT_METHODS)[number];
  readonly issuer_mode: (typeof ISSUER_MODES)[number];
  readonly idp_initiated_login: { readonly mode: IdpInitiatedLoginMode; readonly default_scope: readonly string[] };
  readonly wildcard_redirect: (typeof WILDCARD_REDIRECTS)[number];
  readonly dpop_bound_access_tokens: boolean;
  readonly participate_slo: boolean;
}

export interface UserNameTemplate {
  readonly template: string;
  readonly type: string;
  readonly userSuffix?: string;
  readonly pushStatus?: string;
}

export interface CommonSettings {
  readonly manualProvisioning: boolean;
  readonly implicitAssignment: boolean;
  readonly notes: { readonly admin: string | null; readonly enduser: string | null };
  readonly vpn: { readonly connection: string; readonly message: string | null; readonly helpUrl: string | null };
  readonly inlineHookId?: string;
  readonly identityStoreId?: string;
}

export interface ClientSettings extends CommonSettings {
  readonly oauthClient: OAuthClientSettings;
}

export interface ModeSettings extends CommonSettings, KindSettings {}

export interface ModeCredentials extends Partial<SchemeCredentials> {
  readonly userNameTemplate: UserNameTemplate;
  /** The key that signs assertions; absent if apps of this kind sign none. */
  readonly signing?: { readonly kid: string };
  /** The time at which the shared password was last set; absent if there is none. */
  readonly passwordSetAt?: string;
}

interface CommonDocument {
  readonly name: string;
  readonly accessibility: {
    readonly selfService: boolean;
    readonly errorRedirectUrl: string | null;
    readonly loginRedirectUrl: string | null;
  };
  readonly visibility: {
    readonly autoLaunch: boolean;
    readonly autoSubmitToolbar: boolean;
    readonly hide: { readonly iOS: boolean; readonly web: boolean };
    readonly appLinks: Readonly<Record<string, boolean>>;
  };
  readonly features: readonly string[];
  readonly licensing?: { readonly seatCount: number };
  readonly profile?: Readonly<Record<string, unknown>>;
}

export interface ClientDocument extends CommonDocument {
  readonly credentials: { readonly oauthClient: OAuthClientCredentials; readonly userNameTemplate: UserNameTemplate };
  readonly settings: ClientSettings;
}

export interface ModeDocument extends CommonDocument {
  readonly credentials: ModeCredentials;
  readonly settings: ModeSettings;
}

export type AppDocument = ClientDocument | ModeDocument;

export const isClientDocument = (document: AppDocument): document is ClientDocument =>
  'oauthClient' in document.settings;
