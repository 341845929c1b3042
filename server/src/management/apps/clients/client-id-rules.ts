import { loginKey } from '../../../kernel/texts/text.ts';
import { type ClientId, isIdLike } from '../../../kernel/words/ids.ts';
import type { AppInput } from '../contract.ts';
import { refuse } from '../documents/fault-rules.ts';

const CHOSEN = /^[A-Za-z0-9._-]{6,100}$/;

/** Policies use this word for all clients (contract, `ApplicationCredentialsOAuthClient`). */
const RESERVED_KEY = 'all_clients';

const FIELD = 'credentials.oauthClient.client_id';

/** Builds the refusal of a chosen client id. 400 E0000001. */
export const refuseClientId = (cause: string) => refuse(FIELD, cause);

/** Folds case, because client ids must not collide with logins, which ignore it. */
export const clientIdKey = (clientId: ClientId): string => loginKey(clientId);

/** Says why no org may use this client id; null when it is acceptable. */
export function problemOfClientId(clientId: ClientId): string | null {
  if (!CHOSEN.test(clientId)) return 'must have 6 to 100 characters of A to Z, a to z, 0 to 9, ".", "_" and "-".';
  if (clientId.toLowerCase() === RESERVED_KEY) return `can't be ${clientId}, which means all clients.`;
  // Tokens name users and other clients by id, so a chosen one must not look like an id.
  return isIdLike(clientId) ? "has the form of the ids that the service makes, and can't be chosen." : null;
}

const givenIn = (input: AppInput): string | null =>
  input.signOnMode === 'OPENID_CONNECT' ? (input.credentials?.oauthClient?.client_id ?? null) : null;

/** The id that the maker of an app chose for its client; null: the id of the app. 400 E0000001. */
export function readClientId(input: AppInput): ClientId | null {
  const given = givenIn(input);
  const problem = given === null ? null : problemOfClientId(given);
  if (problem !== null) throw refuseClientId(problem);
  return given;
}

/** It never changes: tokens, consents and policies of resource servers name it. 400 E0000001. */
export function assertSameClientId(input: AppInput, { clientId }: { readonly clientId: ClientId }): void {
  const given = givenIn(input);
  if (given !== null && given !== clientId) throw refuseClientId(`is ${clientId} and can't be changed.`);
}
