import { openConnection, requestBytes } from '../connection.ts';
import { type Contest, duelRow, loopsOf } from '../duel.ts';
import { assertGood } from '../load.ts';
import { protocolOf } from '../row.ts';
import { gatehouseSubject, redemption, tokenRequest, type WebSubject } from '../web-client.ts';
import { cycling, transacting } from './callers.ts';
import { HEADERS_LIMIT } from './sign-in.ts';

const SELECT_LIMIT = 'bare Fastify + 1 point select';
const TRANSACTION_LIMIT = 'bare Fastify + begin, select, insert, 0.5 kB row, commit';

async function accessTokenOf(subject: WebSubject): Promise<string> {
  const [code = ''] = await subject.codes(1);
  const connection = await openConnection(subject.endpoint, 0);
  const answer = await connection.send(redemption(subject, code));
  connection.close();
  assertGood(answer);
  return (JSON.parse(answer.body.toString('utf8')) as { access_token: string }).access_token;
}

/**
 * This row measures introspection and userinfo with one access token, the published documents, and authorization
 * requests of users who are signed in.
 */
export const oauthReads = duelRow({
  name: 'oauth-reads',
  settings: protocolOf,
  prepare: async (arena, options) => {
    const { gatehouse, peer } = arena;
    const { endpoint, orgId } = gatehouse;
    const subject = await gatehouseSubject(arena, options);
    const token = await accessTokenOf(subject);
    const { rows } = await gatehouse.pool.query<{ id: string }>('select id from users where org_id = $1 limit 1', [
      orgId,
    ]);
    const loops = loopsOf(arena, options);
    const limits = {
      select: loops.peer(() => cycling([requestBytes(peer.endpoint, 'GET', `/select/${orgId}/${rows[0]?.id ?? ''}`)])),
      headers: loops.peer(() => cycling([requestBytes(peer.endpoint, 'GET', '/answer')])),
      transaction: loops.peer(() => transacting(arena, 'logged-transaction')),
    };
    const reading = (work: string, request: Buffer, beside: Contest['besides'][number]): Contest => ({
      work,
      gatehouse: loops.gatehouse(() => cycling([request])),
      besides: [beside],
    });
    const select = { name: SELECT_LIMIT, bound: 0.7, measure: limits.select };
    const headers = { name: HEADERS_LIMIT, bound: 0.5, measure: limits.headers };
    const introspect = tokenRequest({ ...subject, path: '/oauth2/v1/introspect' }, { token });
    const bearer = { Authorization: `Bearer ${token}` };
    const { authorizations } = subject;
    return {
      contests: [
        reading('introspection of an access token by its client', introspect, select),
        reading('userinfo', requestBytes(endpoint, 'GET', '/oauth2/v1/userinfo', bearer), select),
        reading('JWKS', requestBytes(endpoint, 'GET', '/oauth2/v1/keys'), headers),
        reading('discovery', requestBytes(endpoint, 'GET', '/.well-known/openid-configuration'), headers),
        {
          work: 'authorization request of a signed-in user, code in the redirect, logged',
          gatehouse: loops.gatehouse((index) => ({ ...cycling(authorizations, index * 8), status: 303 })),
          besides: [{ name: TRANSACTION_LIMIT, bound: null, measure: limits.transaction }],
        },
      ],
    };
  },
});
