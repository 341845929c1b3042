import { type Static, type TSchema, Type } from '@sinclair/typebox';
import {
  ACS_TYPES,
  AMR_VALUES,
  BINDINGS,
  DEPROVISIONED_ACTIONS,
  GROUP_ACTIONS,
  ISSUER_MODES,
  MATCH_TYPES,
  NAME_FORMATS,
  PROVISIONING_ACTIONS,
  RELAY_STATE_FORMATS,
  REQUEST_SCOPES,
  RESPONSE_SCOPES,
  REVOCATIONS,
  SAML_ALGORITHMS,
  SUSPENDED_ACTIONS,
} from './documents/document-contract.ts';
import { PROTOCOL_TYPES } from './documents/type-rules.ts';
import { PROVIDER_STATUSES, type ProviderStatus } from './lifecycle.ts';

export const ProviderIdParams = Type.Object({ idpId: Type.String() });

/** Null counts as absent. */
const given = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));

const word = <const Words extends readonly string[]>(words: Words, description = '') =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...(description === '' ? {} : { description }) });

const MAXIMUM_TEXT_LENGTH = 1_024;
const text = given(Type.String({ maxLength: MAXIMUM_TEXT_LENGTH }));
const secret = given(
  Type.String({
    maxLength: MAXIMUM_TEXT_LENGTH,
    pattern: '^[ -~]*$',
    description: 'The secret, which is stored encrypted.',
  }),
);
const privateKey = given(
  Type.String({
    maxLength: 4_096,
    description: 'The private key (PKCS #8). It is stored encrypted, and no response contains it.',
  }),
);
const flag = given(Type.Boolean());
const names = given(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100 }));

const endpoint = given(
  Type.Object({
    url: given(Type.String({ maxLength: 1_014 })),
    binding: given(word(BINDINGS)),
    destination: given(Type.String({ maxLength: 512 })),
    type: given(word(ACS_TYPES)),
  }),
);

const signature = <const Scopes extends readonly string[]>(scopes: Scopes) =>
  given(Type.Object({ algorithm: given(Type.String({ maxLength: 16 })), scope: given(word(scopes)) }));

const Algorithms = Type.Object({
  request: given(
    Type.Object({
      signature: signature(REQUEST_SCOPES),
      digest: given(word(SAML_ALGORITHMS)),
    }),
  ),
  response: given(Type.Object({ signature: signature(RESPONSE_SCOPES) })),
});

const Credentials = Type.Object({
  trust: given(
    Type.Object({
      issuer: text,
      audience: text,
      kid: given(Type.String({ maxLength: 255 })),
      additionalKids: given(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 1 })),
      revocation: given(word(REVOCATIONS)),
      revocationCacheLifetime: given(
        Type.Number({ minimum: 0, maximum: 4_320, description: 'How long a revocation list is cached, in minutes.' }),
      ),
    }),
  ),
  signing: given(Type.Object({ kid: text, teamId: text, privateKey })),
  client: given(
    Type.Object({
      client_id: given(Type.String({ maxLength: MAXIMUM_TEXT_LENGTH, pattern: '^[ -~]*$' })),
      client_secret: secret,
      pkce_required: flag,
      token_endpoint_auth_method: given(word(['private_key_jwt'])),
    }),
  ),
  bearer: given(Type.Object({ apiKey: secret })),
});

export const ProtocolInput = Type.Object({
  type: word(PROTOCOL_TYPES, 'The protocol, which must fit the type of the provider.'),
  endpoints: given(
    Type.Object({
      sso: endpoint,
      slo: endpoint,
      acs: endpoint,
      authorization: endpoint,
      token: endpoint,
      userInfo: endpoint,
      jwks: endpoint,
      par: endpoint,
    }),
  ),
  algorithms: given(Algorithms),
  relayState: given(Type.Object({ format: given(word(RELAY_STATE_FORMATS)) })),
  settings: given(
    Type.Object({
      nameFormat: given(word(NAME_FORMATS)),
      honorPersistentNameId: flag,
      participateSlo: flag,
      sendApplicationContext: flag,
    }),
  ),
  scopes: names,
  issuer: given(Type.Object({ url: text })),
  credentials: given(Credentials),
});
export type ProtocolInput = Static<typeof ProtocolInput>;

const action = <const Words extends readonly string[]>(words: Words) =>
  given(Type.Object({ action: given(word(words)) }));

export const PolicyInput = Type.Object({
  provisioning: given(
    Type.Object({
      action: given(word(PROVISIONING_ACTIONS)),
      profileMaster: flag,
      groups: given(
        Type.Object({
          action: given(word(GROUP_ACTIONS)),
          assignments: names,
          filter: names,
          sourceAttributeName: text,
        }),
      ),
      conditions: given(
        Type.Object({ deprovisioned: action(DEPROVISIONED_ACTIONS), suspended: action(SUSPENDED_ACTIONS) }),
      ),
    }),
  ),
  accountLink: given(
    Type.Object({
      action: given(word(PROVISIONING_ACTIONS)),
      filter: given(
        Type.Object({
          groups: given(Type.Object({ include: names })),
          users: given(Type.Object({ exclude: names, excludeAdmins: flag })),
        }),
      ),
    }),
  ),
  subject: given(
    Type.Object({
      userNameTemplate: given(Type.Object({ template: given(Type.String({ minLength: 9, maxLength: 1_024 })) })),
      filter: text,
      matchType: given(word(MATCH_TYPES)),
      matchAttribute: text,
    }),
  ),
  maxClockSkew: given(
    Type.Integer({
      minimum: 0,
      maximum: 86_400_000,
      description: 'The difference of clocks that is tolerated, in milliseconds.',
    }),
  ),
  trustClaims: flag,
  mapAMRClaims: flag,
});
export type PolicyInput = Static<typeof PolicyInput>;

const PropertiesInput = Type.Object({
  aalValue: text,
  ialValue: text,
  additionalAmr: given(Type.Array(word(AMR_VALUES), { maxItems: AMR_VALUES.length })),
  allowDynamicUserMatching: flag,
  allowUserUpdates: flag,
  idvMetadata: given(Type.Object({ vendorDisplayName: text, termsOfUse: text, privacyPolicy: text })),
  inquiryTemplateId: text,
});
export type PropertiesInput = Static<typeof PropertiesInput>;

const Status = Type.Unsafe<ProviderStatus>({ type: 'string', enum: [...PROVIDER_STATUSES] });

export const ProviderBody = Type.Object({
  type: Type.String({ description: 'The type of the provider, which never changes.' }),
  name: Type.String({ description: 'It is unique in the org and has at most 100 characters.' }),
  status: given(Status),
  issuerMode: given(word(ISSUER_MODES)),
  protocol: ProtocolInput,
  policy: given(PolicyInput),
  properties: given(PropertiesInput),
});
export type ProviderInput = Static<typeof ProviderBody>;

const AnyObject = Type.Record(Type.String(), Type.Unknown());

export const ProviderSchema = Type.Object({
  id: Type.String(),
  issuerMode: Type.Optional(word(ISSUER_MODES)),
  name: Type.String(),
  status: Status,
  created: Type.String({ format: 'date-time' }),
  lastUpdated: Type.String({ format: 'date-time' }),
  protocol: Type.Object({ type: word(PROTOCOL_TYPES) }, { additionalProperties: true }),
  policy: AnyObject,
  properties: Type.Optional(AnyObject),
  type: Type.String(),
  _links: AnyObject,
});

export const ProviderListSchema = Type.Array(ProviderSchema);
