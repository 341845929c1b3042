import { invalid } from '../../../kernel/errors/errors.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import { loginKey } from '../../../kernel/texts/text.ts';
import { type ClientId, isIdLike } from '../../../kernel/words/ids.ts';
import type { AppInput } from '../contract.ts';

const CHOSEN = /^[A-Za-z0-9._-]{6,100}$/;

/** Policies use this word to mean all clients (contract, `ApplicationCredentialsOAuthClient`). */
const RESERVED_KEY = 'all_clients';

const FIELD = 'credentials.oauthClient.client_id';

export const refuseClientId = (problem: Problem) => invalid(FIELD, problem);

/** Client ids must not collide with logins, which ignore case. */
export const clientIdKey = (clientId: ClientId): string => loginKey(clientId);

export function problemOfClientId(clientId: ClientId): Problem | null {
  if (!CHOSEN.test(clientId)) return 'must have 6 to 100 characters: letters, digits, ".", "_" and "-".';
  if (clientId.toLowerCase() === RESERVED_KEY) return `must not be ${clientId}, which means all clients.`;
  // Tokens name users and other clients by id, so a chosen client id must not look like an id.
  return isIdLike(clientId) ? 'must not have the form of the ids that the service makes.' : null;
}

const givenIn = (input: AppInput): string | null =>
  input.signOnMode === 'OPENID_CONNECT' ? (input.credentials?.oauthClient?.client_id ?? null) : null;

/** Returns null if the app's id is to be the client id. */
export function readClientId(input: AppInput): ClientId | null {
  const given = givenIn(input);
  const problem = given === null ? null : problemOfClientId(given);
  if (problem !== null) throw refuseClientId(problem);
  return given;
}

export function assertSameClientId(input: AppInput, { clientId }: { readonly clientId: ClientId }): void {
  const given = givenIn(input);
  if (given !== null && given !== clientId) throw refuseClientId(`is ${clientId} and cannot be changed.`);
}
