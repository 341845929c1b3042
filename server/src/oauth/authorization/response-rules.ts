import type { Namespace } from '../../kernel/words/namespace.ts';
import { type Parameters, type Refusal, refusedWith } from './requests/parameter-rules.ts';
import { originOfRedirect } from './requests/redirect-uri-rules.ts';

/**
 * The parts that an authorization response may contain, in the order in which the names of response types list them.
 */
export const RESPONSE_PARTS = ['code', 'id_token', 'token'] as const;
export type ResponsePart = (typeof RESPONSE_PARTS)[number];

/** On the wire, `post_message` has the namespace word as a prefix. */
export type ResponseMode = 'query' | 'fragment' | 'form_post' | 'post_message';

/** The supported response types (RFC 6749 3.1.1, OAuth 2.0 Multiple Response Types 3 and 5). */
export const RESPONSE_TYPES = [
  'code',
  'id_token',
  'token',
  'code id_token',
  'code token',
  'id_token token',
  'code id_token token',
] as const;

export const wireResponseModes = ({ word }: Pick<Namespace, 'word'>): readonly string[] => [
  'query',
  'fragment',
  'form_post',
  `${word}_post_message`,
];

export interface ResponseSettings {
  readonly responseTypes: readonly string[];
  readonly grantTypes: readonly string[];
}

const GRANTS: Readonly<Record<ResponsePart, string>> = {
  code: 'authorization_code',
  id_token: 'implicit',
  token: 'implicit',
};

/**
 * Returns the parts of a response type, which may list them in any order. Returns null if a part is unknown or
 * repeated.
 */
export function partsOf(responseType: string): readonly ResponsePart[] | null {
  const words = responseType.split(' ');
  const parts = RESPONSE_PARTS.filter((part) => words.includes(part));
  return parts.length === words.length && parts.length > 0 ? parts : null;
}

export function readResponseType(
  { response_type: given }: Parameters,
  client: ResponseSettings,
): { readonly parts: readonly ResponsePart[] } | Refusal {
  if (given === undefined) return refusedWith('missingParameter', { parameter: 'response_type' });
  const parts = partsOf(given);
  if (parts === null || !parts.every((part) => client.responseTypes.includes(part))) {
    return refusedWith('unsupportedResponseType', { responseTypes: client.responseTypes.join(', ') });
  }
  if (!parts.every((part) => client.grantTypes.includes(GRANTS[part]))) {
    return refusedWith('unauthorizedClient', { grantTypes: client.grantTypes.join(', ') });
  }
  return { parts };
}

export const holdsTokens = (parts: readonly ResponsePart[]): boolean => parts.some((part) => part !== 'code');

/** Tokens are never sent in a query (OAuth 2.0 Multiple Response Types 3 and 5), because servers log queries. */
const defaultMode = (parts: readonly ResponsePart[]): ResponseMode => (holdsTokens(parts) ? 'fragment' : 'query');

export function readResponseMode(
  { redirect_uri: redirectUri = '', response_mode: given }: Parameters,
  parts: readonly ResponsePart[],
  namespace: Pick<Namespace, 'word'>,
): { readonly mode: ResponseMode } | Refusal {
  if (given === undefined) return { mode: defaultMode(parts) };
  const modes = new Map<string, ResponseMode>([
    ['query', 'query'],
    ['fragment', 'fragment'],
    ['form_post', 'form_post'],
    [`${namespace.word}_post_message`, 'post_message'],
  ]);
  const mode = modes.get(given);
  const needsOrigin = mode === 'form_post' || mode === 'post_message';
  if (mode === undefined || (needsOrigin && originOfRedirect(redirectUri) === null)) {
    return refusedWith('unsupportedResponseMode', { word: namespace.word });
  }
  return mode === 'query' && holdsTokens(parts) ? { refused: 'queryModeWithTokens' } : { mode };
}

/** Returns the mode for errors that occur before the checks have determined the response mode. */
export function modeOfErrors(parameters: Parameters, namespace: Pick<Namespace, 'word'>): ResponseMode {
  const parts = partsOf(parameters['response_type'] ?? '') ?? ['code'];
  const read = readResponseMode(parameters, parts, namespace);
  return 'mode' in read ? read.mode : defaultMode(parts);
}
