import { readLine } from '../../../kernel/texts/written-text.ts';
import { isSameOrigin } from '../../../kernel/words/origin.ts';
import type { ProtocolInput, ProviderInput } from '../contract.ts';
import type { OAuthProtocol, ProtocolDocument, ProviderDocument } from './document-contract.ts';
import { readOAuth, readVerification } from './oauth-rules.ts';
import { readPolicy, readProperties } from './policy-rules.ts';
import { readCertificateTrust, readSaml } from './saml-rules.ts';
import { refused, textOrNull } from './shape-rules.ts';
import { type ProviderType, typeFacts } from './type-rules.ts';

const MAXIMUM_NAME_LENGTH = 100;

/** The trimmed name, `stored` the one that it has. 400 E0000001 when it is blank, too long or more than a line. */
export const readName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_NAME_LENGTH, stored);

export interface DocumentSetting {
  /** The namespace word in lower case. */
  readonly word: string;
  /** What SAML assertions are addressed to where the client names nothing. */
  readonly audience: string;
}

/** The member that names another organization of this service's kind. */
export const orgUrlName = (word: string): string => `${word}IdpOrgUrl`;

function readProtocol(type: ProviderType, input: ProtocolInput, { audience, word }: DocumentSetting): ProtocolDocument {
  const { protocols } = typeFacts(type);
  if (!protocols.includes(input.type)) {
    throw refused('protocol.type', `must be ${protocols.join(' or ')} for this type of provider.`);
  }
  if (input.type === 'SAML2') return readSaml(input, audience);
  if (input.type === 'MTLS') return readCertificateTrust(input);
  if (input.type === 'ID_PROOFING') return readVerification(type, input);
  return readOAuth(type, input.type, input, orgUrlName(word));
}

/**
 * What is stored of a provider that a client sent, with the defaults of its type; `before`: what is replaced. 400
 * E0000001 naming the field.
 */
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

/** Whether the provider is asked with a secret that this service holds. */
export const takesSecret = (type: ProviderType, { protocol }: ProviderDocument): boolean => {
  if (typeFacts(type).secret === null) return false;
  return !isOAuth(protocol) || protocol.credentials.client.token_endpoint_auth_method === undefined;
};

/**
 * The secret that a body brings; null: none. 400 E0000001 for a secret of another kind, which nothing would ever use,
 * and for none where the type has no other credential and `isNew`.
 */
export function readSecret(type: ProviderType, input: ProtocolInput, isNew: boolean): string | null {
  const { protocols, secret: kind } = typeFacts(type);
  const given = secretsOf(input);
  for (const name of SECRETS) {
    if (name !== kind && textOrNull(given[name]) !== null) {
      throw refused(SECRET_FIELDS[name], 'is not used by this type of provider.');
    }
  }
  if (kind === null) return null;
  // Blanks are part of a secret: it is stored as it came.
  if (textOrNull(given[kind]) !== null) return given[kind] ?? null;
  if (isNew && (kind !== 'client_secret' || protocols.includes('ID_PROOFING'))) {
    throw refused(SECRET_FIELDS[kind], 'The field cannot be left blank');
  }
  return null;
}

/** Addresses that a provider's secret goes to, or what is signed with it; none where the type knows them itself. */
function secretAddresses({ protocol }: ProviderDocument): readonly string[] {
  if (isOAuth(protocol)) return protocol.endpoints.token === undefined ? [] : [protocol.endpoints.token.url];
  return protocol.type === 'ID_PROOFING' ? Object.values(protocol.endpoints ?? {}).map(({ url }) => url) : [];
}

/**
 * A secret that the body leaves out stays only where it goes to the same origins. Whoever may change the addresses but
 * does not know the secret would have it sent to an address of theirs. 400 E0000001.
 */
export function refuseSecretElsewhere(type: ProviderType, before: ProviderDocument, after: ProviderDocument): void {
  const { secret } = typeFacts(type);
  const known = secretAddresses(before);
  const isThere = secretAddresses(after).every((address) => known.some((one) => isSameOrigin(one, address)));
  if (isThere || secret === null) return;
  throw refused(SECRET_FIELDS[secret], 'The stored value is not sent to another origin: give it again.');
}

/** Keys of the store by which what the provider says is verified. */
export function keysOf({ protocol }: ProviderDocument): readonly string[] {
  if (protocol.type === 'SAML2') {
    const { additionalKids, kid } = protocol.credentials.trust;
    return [kid, ...(additionalKids ?? [])];
  }
  return protocol.type === 'MTLS' ? [protocol.credentials.trust.kid] : [];
}
