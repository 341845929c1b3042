import { invalid } from '../../../kernel/errors/errors.ts';
import type { ProtocolInput } from '../contract.ts';
import {
  type CertificateProtocol,
  type Endpoint,
  NAME_FORMATS,
  SAML_ALGORITHMS,
  type SamlProtocol,
  type SamlTrust,
} from './document-contract.ts';
import { optional, readText, textOrNull } from './shape-rules.ts';
import { readEntityName, readSecureUri } from './uri-rules.ts';

type EndpointInput = NonNullable<ProtocolInput['endpoints']>['sso'];
type SignatureInput = { readonly algorithm?: string | null } | null | undefined;

const place = (name: string): string => `protocol.${name}`;

function readEndpoint(name: string, given: EndpointInput): Endpoint {
  const field = place(`endpoints.${name}.url`);
  return { url: readSecureUri(field, readText(field, given?.url)), binding: given?.binding ?? 'HTTP-POST' };
}

function readAlgorithm(name: string, given: SignatureInput): (typeof SAML_ALGORITHMS)[number] {
  const asked = given?.algorithm ?? SAML_ALGORITHMS[0];
  const algorithm = SAML_ALGORITHMS.find((known) => known === asked);
  if (algorithm === undefined)
    throw invalid(place(`algorithms.${name}.signature.algorithm`), 'must be SHA-256 or SHA-1.');
  return algorithm;
}

function readEndpoints({ endpoints, settings }: ProtocolInput): SamlProtocol['endpoints'] {
  const sso = readEndpoint('sso', endpoints?.sso);
  const field = place('endpoints.sso.destination');
  const destination = readSecureUri(field, textOrNull(endpoints?.sso?.destination) ?? sso.url);
  // SAML does not allow this binding for responses (SAML profiles 4.1.2).
  if (endpoints?.acs?.binding === 'HTTP-REDIRECT') throw invalid(place('endpoints.acs.binding'), 'must be HTTP-POST.');
  const isAsked = textOrNull(endpoints?.slo?.url) !== null || settings?.participateSlo === true;
  return {
    sso: { ...sso, destination },
    ...(isAsked ? { slo: readEndpoint('slo', endpoints?.slo) } : {}),
    acs: { binding: 'HTTP-POST', type: endpoints?.acs?.type ?? 'INSTANCE' },
  };
}

function readTrust({ credentials }: ProtocolInput, audience: string): SamlTrust {
  const field = place('credentials.trust');
  const trust = credentials?.trust;
  const kid = readText(`${field}.kid`, trust?.kid);
  const additionalKids = trust?.additionalKids ?? [];
  if (additionalKids.includes(kid)) throw invalid(`${field}.additionalKids`, 'must name another key than kid.');
  return {
    issuer: readEntityName(`${field}.issuer`, readText(`${field}.issuer`, trust?.issuer)),
    audience: readEntityName(`${field}.audience`, textOrNull(trust?.audience) ?? audience),
    kid,
    ...(additionalKids.length > 0 ? { additionalKids } : {}),
  };
}

/** Uses `audience` if the body contains none. */
export function readSaml(input: ProtocolInput, audience: string): SamlProtocol {
  const { algorithms, relayState, settings } = input;
  const { request, response } = algorithms ?? {};
  return {
    type: 'SAML2',
    endpoints: readEndpoints(input),
    algorithms: {
      request: {
        signature: {
          algorithm: readAlgorithm('request', request?.signature),
          scope: request?.signature?.scope ?? 'REQUEST',
        },
        ...optional('digest', request?.digest),
      },
      response: {
        signature: {
          algorithm: readAlgorithm('response', response?.signature),
          scope: response?.signature?.scope ?? 'ANY',
        },
      },
    },
    ...(relayState?.format ? { relayState: { format: relayState.format } } : {}),
    settings: {
      nameFormat: settings?.nameFormat ?? NAME_FORMATS[0],
      honorPersistentNameId: settings?.honorPersistentNameId ?? true,
      ...optional('participateSlo', settings?.participateSlo),
      ...optional('sendApplicationContext', settings?.sendApplicationContext),
    },
    credentials: { trust: readTrust(input, audience) },
  };
}

/** Reads the trusted issuer of the users' certificates. */
export function readCertificateTrust({ credentials }: ProtocolInput): CertificateProtocol {
  const field = place('credentials.trust');
  const trust = credentials?.trust;
  return {
    type: 'MTLS',
    credentials: {
      trust: {
        issuer: readText(`${field}.issuer`, trust?.issuer),
        kid: readText(`${field}.kid`, trust?.kid),
        ...optional('revocation', trust?.revocation),
        ...optional('revocationCacheLifetime', trust?.revocationCacheLifetime),
      },
    },
  };
}
