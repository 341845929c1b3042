import { invalid } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import { readLine } from '../../../kernel/texts/written-text.ts';
import { isSameOrigin } from '../../../kernel/words/origin.ts';
import type { ProtocolInput, ProviderInput } from '../contract.ts';
import type { OAuthProtocol, ProtocolDocument, ProviderDocument } from './document-contract.ts';
import { readOAuth, readVerification } from './oauth-rules.ts';
import { readPolicy, readProperties } from './policy-rules.ts';
import { readCertificateTrust, readSaml } from './saml-rules.ts';
import { textOrNull } from './shape-rules.ts';
import { type ProviderType, typeFacts } from './type-rules.ts';

const MAXIMUM_NAME_LENGTH = 100;

export const readName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_NAME_LENGTH, stored);

export interface DocumentSetting {
  readonly word: string;
  readonly audience: string;
}

/** Returns the name of the member for the URL of the org that acts as the provider. */
export const orgUrlName = (word: string): string => `${word}IdpOrgUrl`;

function readProtocol(type: ProviderType, input: ProtocolInput, { audience, word }: DocumentSetting): ProtocolDocument {
  const { protocols } = typeFacts(type);
  if (!protocols.includes(input.type)) {
    throw invalid('protocol.type', `must be ${protocols.join(' or ')} for this type of provider.`);
  }
  if (input.type === 'SAML2') return readSaml(input, audience);
  if (input.type === 'MTLS') return readCertificateTrust(input);
  if (input.type === 'ID_PROOFING') return readVerification(type, input);
  return readOAuth(type, input.type, input, orgUrlName(word));
}

/** `before` contains the settings that the new ones replace. */
export const readDocument = (
  type: ProviderType,
  input: ProviderInput,
  setting: DocumentSetting,
  before?: ProviderDocument,
): ProviderDocument => ({
  issuerMode: input.issuerMode ?? 'DYNAMIC',
  protocol: readProtocol(type, input.protocol, setting),
  policy: readPolicy(type, input.policy ?? {}, before?.policy),
  properties: readProperties(type, input.properties),
});

const secretsOf = ({ credentials }: ProtocolInput) => ({
  client_secret: credentials?.client?.client_secret,
  privateKey: credentials?.signing?.privateKey,
  apiKey: credentials?.bearer?.apiKey,
});

const SECRET_FIELDS = {
  client_secret: 'protocol.credentials.client.client_secret',
  privateKey: 'protocol.credentials.signing.privateKey',
  apiKey: 'protocol.credentials.bearer.apiKey',
} as const;
const SECRETS = Object.keys(SECRET_FIELDS) as (keyof typeof SECRET_FIELDS)[];

export const isOAuth = (protocol: ProtocolDocument): protocol is OAuthProtocol =>
  protocol.type === 'OIDC' || protocol.type === 'OAUTH2';

/** Tells whether this service can store a secret for requests to the provider. */
export const takesSecret = (type: ProviderType, { protocol }: ProviderDocument): boolean => {
  if (typeFacts(type).secret === null) return false;
  return !isOAuth(protocol) || protocol.credentials.client.token_endpoint_auth_method === undefined;
};

/** Returns null if the body contains no secret. With `isNew`, a missing secret is an error if the type needs one. */
export function readSecret(type: ProviderType, input: ProtocolInput, isNew: boolean): string | null {
  const { protocols, secret: kind } = typeFacts(type);
  const given = secretsOf(input);
  for (const name of SECRETS) {
    if (name !== kind && textOrNull(given[name]) !== null) {
      throw invalid(SECRET_FIELDS[name], 'is not used by this type of provider.');
    }
  }
  if (kind === null) return null;
  // A secret may begin or end with blanks, so it is not trimmed.
  if (textOrNull(given[kind]) !== null) return given[kind] ?? null;
  if (isNew && (kind !== 'client_secret' || protocols.includes('ID_PROOFING'))) {
    throw required(SECRET_FIELDS[kind]);
  }
  return null;
}

/** Returns the addresses that receive the secret or requests signed with it. */
function secretAddresses({ protocol }: ProviderDocument): readonly string[] {
  if (isOAuth(protocol)) return protocol.endpoints.token === undefined ? [] : [protocol.endpoints.token.url];
  return protocol.type === 'ID_PROOFING' ? Object.values(protocol.endpoints ?? {}).map(({ url }) => url) : [];
}

/** Callers who do not know the stored secret could otherwise have it sent to an address of their own. */
export function refuseSecretElsewhere(type: ProviderType, before: ProviderDocument, after: ProviderDocument): void {
  const { secret } = typeFacts(type);
  const known = secretAddresses(before);
  const isThere = secretAddresses(after).every((address) => known.some((one) => isSameOrigin(one, address)));
  if (isThere || secret === null) return;
  throw invalid(SECRET_FIELDS[secret], 'must be given again, because a stored value is never sent to another origin.');
}

export function keysOf({ protocol }: ProviderDocument): readonly string[] {
  if (protocol.type === 'SAML2') {
    const { additionalKids, kid } = protocol.credentials.trust;
    return [kid, ...(additionalKids ?? [])];
  }
  return protocol.type === 'MTLS' ? [protocol.credentials.trust.kid] : [];
}
