import { parameter } from '../../client-authentication/credentials-rules.ts';
import { refusalOf, refusalWith } from '../../client-authentication/refusal.ts';
import { startRefreshToken } from '../issuing/start-refresh-token.ts';
import { refusalOfUnaskedConsent } from './unasked-consent.ts';
import type { GrantRefusal, LockedUserGrant, ReadUserGrant } from './user-grant.ts';

/** Reads the grant `password` (RFC 6749 4.3). The password is verified as `/authn` verifies it. */
export const readPasswordGrant: ReadUserGrant = async (ports, context, place, { authenticated }, { form }) => {
  const { client } = authenticated;
  const username = parameter(form, 'username');
  const password = parameter(form, 'password');
  if (username === undefined || password === undefined) {
    return refusalWith('missingParameter', client, { parameter: username === undefined ? 'username' : 'password' });
  }
  const proved = await ports.provePassword(context, { username, password });
  if (proved === 'limited') return refusalOf('userRateLimited', client);
  if (proved === 'refused') return refusalOf('invalidPassword', client);
  const authentication = { authTime: context.now, amr: ['pwd'], sessionExternalId: null, details: {} };
  const grantType = 'password';
  return {
    userId: proved.userId,
    requestedScopes: parameter(form, 'scope') ?? '',
    grantType,
    refusedAs: 'invalidPassword',
    authentication,
    nonce: null,
    boundTo: null,
    lock: async (tx): Promise<LockedUserGrant | GrantRefusal> => {
      if (!(await proved.use(tx))) return { refused: 'invalidPassword' };
      const given = { server: place.server, grantType, authentication };
      return {
        settle: (ownTx, issued, record) => startRefreshToken(ports.refreshTexts, ownTx, record, context, issued, given),
      };
    },
    check: (decision, parents) => refusalOfUnaskedConsent(client, decision, parents, 'consentRequiredForPassword'),
  };
};
