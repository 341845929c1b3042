import { oauthDescription } from '../../../kernel/errors/oauth-errors.ts';
import { JWT_BEARER_GRANT } from '../../../kernel/grant-types.ts';
import type { ClientCredentials } from '../../../management/apps/index.ts';
import { findUserIdByLogin } from '../../../management/users/index.ts';
import { expiryOf, issuerOf, singleUseName } from '../../client-authentication/assertion-rules.ts';
import { parameter } from '../../client-authentication/credentials-rules.ts';
import { type ParsedJws, parseJws } from '../../client-authentication/jws-rules.ts';
import { type OAuthErrorRefusal, refusalOf, refusalWith } from '../../client-authentication/refusal.ts';
import { consume } from '../../client-authentication/replay-protection.ts';
import { audienceAt } from '../../client-authentication/verify-assertion.ts';
import { issuerAt } from '../../user-tokens/index.ts';
import { refusalOfUnaskedConsent } from './unasked-consent.ts';
import type { GrantRefusal, LockedUserGrant, ReadUserGrant, TokenPlace } from './user-grant.ts';

const USER_ID = /^00u[0-9A-Za-z]{17}$/;
const MAXIMUM_SUBJECT_LENGTH = 255;

const audienceOf = ({ path, paths = [path] }: TokenPlace): readonly string[] => audienceAt(paths);

/** A null `refused` leaves out the reason, so that the response does not reveal which users exist. */
const invalid = (client: ClientCredentials, refused: 'assertionInvalidJwt' | 'assertionInvalidSubject' | null) => {
  const description = refused === null ? {} : { description: told(oauthDescription(refused, {})) };
  return refusalOf('invalidGrant', client, description);
};

const told = (description: string): string => description.replaceAll('client_assertion', 'assertion');

function subjectOf({ claims }: ParsedJws): string | null {
  const { sub } = claims;
  return typeof sub === 'string' && sub !== '' && sub.length <= MAXIMUM_SUBJECT_LENGTH ? sub : null;
}

async function readAssertion(
  ports: Parameters<ReadUserGrant>[0],
  context: Parameters<ReadUserGrant>[1],
  place: TokenPlace,
  client: ClientCredentials,
  text: string,
): Promise<{ readonly jws: ParsedJws; readonly userId: string } | OAuthErrorRefusal> {
  const jws = parseJws(text);
  if (jws === null) return invalid(client, 'assertionInvalidJwt');
  if (issuerOf(jws) !== client.clientId) return refusalOf('assertionGrantIssuer', client);
  const refused = await ports.refusalOfUserAssertion(context, client, jws, audienceOf(place));
  if (refused === 'assertionInvalidAudience') return refusalOf('assertionGrantAudience', client);
  if (refused !== null) {
    return refusalOf('invalidGrant', client, { description: told(oauthDescription(refused, { uses: 'sig' })) });
  }
  const subject = subjectOf(jws);
  if (subject === null) return invalid(client, null);
  const userId = USER_ID.test(subject) ? subject : await findUserIdByLogin(ports.db, context.orgId, subject);
  return userId === undefined ? invalid(client, null) : { jws, userId };
}

/**
 * Reads the grant of RFC 7523 2.1: an app signs an assertion that names the user for whom it wants a token. The app
 * must also authenticate, and only its own assertions count. The token marks the user as absent (ADR 0060). Each
 * assertion is accepted once, and no refresh token is issued.
 */
export const readAssertionGrant: ReadUserGrant = async (ports, context, place, { authenticated }, { form }) => {
  const { client, method } = authenticated;
  const { orgId } = context;
  const text = parameter(form, 'assertion');
  if (text === undefined) return refusalWith('missingParameter', client, { parameter: 'assertion' });
  if (method === 'none') return refusalOf('missingClientCredentials', client);
  const read = await readAssertion(ports, context, place, client, text);
  if ('refused' in read) return read;
  const { jws, userId } = read;
  const actor = { iss: issuerAt(context, place.server), sub: client.clientId };
  // The prefix sets this name apart from the names of assertions that authenticate the client and may have the same id.
  const singleUse = { name: `grant:${singleUseName(jws)}`, expiresAt: expiryOf(jws) };
  return {
    userId,
    requestedScopes: parameter(form, 'scope') ?? '',
    grantType: JWT_BEARER_GRANT,
    refusedAs: 'invalidGrant',
    // Nobody has signed in, so the token names the app as the actor.
    authentication: { authTime: null, amr: [], sessionExternalId: null, details: { act: actor } },
    debugData: { actor: actor.sub },
    nonce: null,
    boundTo: null,
    lock: async (tx): Promise<LockedUserGrant | GrantRefusal> => {
      if (!(await consume(tx, orgId, client.clientId, singleUse))) return { refused: 'assertionGrantReplayed' };
      return { settle: () => Promise.resolve(null) };
    },
    check: (decision, parents) => refusalOfUnaskedConsent(client, decision, parents, 'consentRequired'),
  };
};
