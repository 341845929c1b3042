export const BINDINGS = ['HTTP-POST', 'HTTP-REDIRECT'] as const;
export type Binding = (typeof BINDINGS)[number];
export const ACS_TYPES = ['INSTANCE', 'ORG'] as const;
export const NAME_FORMATS = [
  'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
] as const;
export const REQUEST_SCOPES = ['REQUEST', 'NONE'] as const;
export const RESPONSE_SCOPES = ['ANY', 'RESPONSE', 'TOKEN'] as const;
export const SAML_ALGORITHMS = ['SHA-256', 'SHA-1'] as const;
export const OIDC_ALGORITHMS = ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'] as const;
export const RELAY_STATE_FORMATS = ['OPAQUE', 'FROM_URL'] as const;
export const REVOCATIONS = ['CRL', 'DELTA_CRL', 'OCSP'] as const;
export const ISSUER_MODES = ['DYNAMIC', 'ORG_URL', 'CUSTOM_URL'] as const;
export const AMR_VALUES = ['sc', 'hwk', 'pin', 'mfa'] as const;
export const PROVISIONING_ACTIONS = ['AUTO', 'DISABLED'] as const;
export const GROUP_ACTIONS = ['NONE', 'APPEND', 'SYNC', 'ASSIGN'] as const;
export const DEPROVISIONED_ACTIONS = ['NONE', 'REACTIVATE'] as const;
export const SUSPENDED_ACTIONS = ['NONE', 'UNSUSPEND'] as const;
export const MATCH_TYPES = ['USERNAME', 'EMAIL', 'USERNAME_OR_EMAIL', 'CUSTOM_ATTRIBUTE'] as const;

export interface Endpoint {
  readonly url: string;
  readonly binding: Binding;
}

type Flags = Readonly<Partial<Record<'participateSlo' | 'sendApplicationContext', boolean>>>;

export interface SamlProtocol {
  readonly type: 'SAML2';
  readonly endpoints: {
    readonly sso: Endpoint & { readonly destination: string };
    readonly slo?: Endpoint;
    readonly acs: { readonly binding: 'HTTP-POST'; readonly type: (typeof ACS_TYPES)[number] };
  };
  readonly algorithms: {
    readonly request: {
      readonly signature: SignatureSettings<(typeof REQUEST_SCOPES)[number]>;
      readonly digest?: (typeof SAML_ALGORITHMS)[number];
    };
    readonly response: { readonly signature: SignatureSettings<(typeof RESPONSE_SCOPES)[number]> };
  };
  readonly relayState?: { readonly format: (typeof RELAY_STATE_FORMATS)[number] };
  readonly settings: Flags & {
    readonly nameFormat: (typeof NAME_FORMATS)[number];
    readonly honorPersistentNameId: boolean;
  };
  readonly credentials: { readonly trust: SamlTrust };
}

interface SignatureSettings<Scope> {
  readonly algorithm: (typeof SAML_ALGORITHMS)[number];
  readonly scope: Scope;
}

export interface SamlTrust {
  readonly issuer: string;
  /** The entity ID of this service, which assertions name as their audience. */
  readonly audience: string;
  readonly kid: string;
  readonly additionalKids?: readonly string[];
}

export const OAUTH_ENDPOINTS = ['authorization', 'token', 'userInfo', 'jwks', 'slo'] as const;

export interface OAuthClient {
  readonly client_id: string;
  readonly pkce_required?: boolean;
  readonly token_endpoint_auth_method?: 'private_key_jwt';
}

export interface OAuthProtocol {
  readonly type: 'OIDC' | 'OAUTH2';
  readonly endpoints: Readonly<Partial<Record<(typeof OAUTH_ENDPOINTS)[number], Endpoint>>>;
  readonly algorithms?: {
    readonly request: {
      readonly signature: {
        readonly algorithm: (typeof OIDC_ALGORITHMS)[number];
        readonly scope: (typeof REQUEST_SCOPES)[number];
      };
    };
  };
  readonly settings?: Flags;
  readonly scopes: readonly string[];
  readonly issuer?: { readonly url: string };
  /** The URL of the org that acts as the provider. Only the type `INTEGRATION` has one. */
  readonly orgUrl?: string;
  readonly credentials: {
    readonly client: OAuthClient;
    readonly signing?: { readonly teamId: string; readonly kid: string };
  };
}

export interface CertificateProtocol {
  readonly type: 'MTLS';
  readonly credentials: {
    readonly trust: {
      readonly issuer: string;
      readonly kid: string;
      readonly revocation?: (typeof REVOCATIONS)[number];
      readonly revocationCacheLifetime?: number;
    };
  };
}

export const VERIFICATION_ENDPOINTS = ['par', 'authorization', 'token', 'jwks'] as const;

export interface VerificationProtocol {
  readonly type: 'ID_PROOFING';
  readonly endpoints?: Readonly<Partial<Record<(typeof VERIFICATION_ENDPOINTS)[number], Endpoint>>>;
  readonly scopes?: readonly string[];
  readonly issuer?: { readonly url: string };
  readonly credentials: { readonly client?: { readonly client_id: string } };
}

/** The protocol without its secrets, which are sealed separately. */
export type ProtocolDocument = SamlProtocol | OAuthProtocol | CertificateProtocol | VerificationProtocol;

export interface PolicyDocument {
  readonly provisioning: {
    readonly action: (typeof PROVISIONING_ACTIONS)[number];
    readonly profileMaster: boolean;
    readonly groups: {
      readonly action: (typeof GROUP_ACTIONS)[number];
      readonly assignments?: readonly string[];
      readonly filter?: readonly string[];
      readonly sourceAttributeName?: string;
    };
    readonly conditions: {
      readonly deprovisioned: { readonly action: (typeof DEPROVISIONED_ACTIONS)[number] };
      readonly suspended: { readonly action: (typeof SUSPENDED_ACTIONS)[number] };
    };
  };
  readonly accountLink: {
    readonly action: (typeof PROVISIONING_ACTIONS)[number];
    readonly filter: AccountLinkFilter | null;
  };
  readonly subject: {
    readonly template: string;
    /** A regular expression that the names of users at the provider must match. */
    readonly filter: string | null;
    readonly matchType: (typeof MATCH_TYPES)[number];
    readonly matchAttribute: string | null;
  };
  readonly maxClockSkewMilliseconds: number;
  readonly trustClaims?: boolean;
  readonly mapAMRClaims?: boolean;
}

export interface AccountLinkFilter {
  readonly groups?: { readonly include: readonly string[] };
  readonly users?: { readonly exclude?: readonly string[]; readonly excludeAdmins?: boolean };
}

export interface PropertiesDocument {
  readonly aalValue?: string;
  readonly ialValue?: string;
  readonly additionalAmr?: readonly (typeof AMR_VALUES)[number][];
  readonly allowDynamicUserMatching?: boolean;
  readonly allowUserUpdates?: boolean;
  readonly idvMetadata?: Readonly<Partial<Record<'vendorDisplayName' | 'termsOfUse' | 'privacyPolicy', string>>>;
  readonly inquiryTemplateId?: string;
}

/**
 * The stored settings of a provider. They do not contain the namespace word, which is a setting of the installation.
 */
export interface ProviderDocument {
  readonly issuerMode: (typeof ISSUER_MODES)[number];
  readonly protocol: ProtocolDocument;
  readonly policy: PolicyDocument;
  readonly properties: PropertiesDocument | null;
}
