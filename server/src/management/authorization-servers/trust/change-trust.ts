import type { Context } from '../../../kernel/context.ts';
import { invalid, notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Work } from '../../../system-log/index.ts';
import type { TrustInput } from '../contract.ts';
import { getServer, lockServer } from '../guards.ts';
import { readTexts } from '../rules/shape-rules.ts';
import { type AuthorizationServer, findServer } from '../store.ts';
import { authorizationServerTarget } from '../wire.ts';
import { countTrusts, insertTrust, lockServers, removeTrust } from './trust-store.ts';

const FIELD = 'trusted';
export const MAXIMUM_TRUSTED = 100;

/** Finds each of the named servers once, in the order of `names`. */
async function findNamed(tx: Tx, { orgId }: Context, names: readonly string[]): Promise<AuthorizationServer[]> {
  const named: AuthorizationServer[] = [];
  for (const name of names) {
    const server = await findServer(tx, orgId, name);
    if (server === undefined) throw invalid(FIELD, `There is no authorization server ${name}.`);
    if (named.every(({ id }) => id !== server.id)) named.push(server);
  }
  return named;
}

/** Makes a server accept the tokens of other servers of its org in exchange for its own. */
export function trustServers(
  work: Work,
  context: Context,
  authServerId: string,
  input: TrustInput,
): Promise<readonly AuthorizationServer[]> {
  const names = readTexts(FIELD, input.trusted, MAXIMUM_TRUSTED);
  if (names.length === 0) throw invalid(FIELD, 'must name the authorization servers to trust.');
  const { orgId } = context;
  return work(context, async (tx, record) => {
    const { id } = await getServer(tx, context, authServerId);
    const named = await findNamed(tx, context, names);
    if (named.some((other) => other.id === id)) throw invalid(FIELD, 'must not name the server itself.');
    const locked = await lockServers(tx, orgId, [id, ...named.map((other) => other.id)]);
    const server = locked.find((one) => one.id === id);
    if (server === undefined) throw notFound(authServerId, 'AuthorizationServer');
    const gone = named.find((other) => locked.every((one) => one.id !== other.id));
    if (gone !== undefined) throw invalid(FIELD, `There is no authorization server ${gone.id}.`);
    for (const other of named) {
      const trust = { serverId: id, trustedServerId: other.id, createdAt: wholeSecond(context.now) };
      if (!(await insertTrust(tx, orgId, trust))) continue;
      const changeDetails = { from: {}, to: { trustedServer: other.id } };
      const target = [{ ...authorizationServerTarget(server), changeDetails }, authorizationServerTarget(other)];
      record({ eventType: 'app.oauth2.trusted_server.add', target });
    }
    if ((await countTrusts(tx, orgId, id)) > MAXIMUM_TRUSTED) {
      throw invalid(FIELD, `A server may trust at most ${MAXIMUM_TRUSTED} others.`);
    }
    return named;
  });
}

export function distrustServer(
  work: Work,
  context: Context,
  authServerId: string,
  associatedServerId: string,
): Promise<void> {
  const { orgId } = context;
  return work(context, async (tx, record) => {
    const server = await lockServer(tx, context, authServerId);
    const other = await findServer(tx, orgId, associatedServerId);
    const isRemoved = other !== undefined && (await removeTrust(tx, orgId, server.id, other.id));
    if (!isRemoved) throw notFound(associatedServerId, 'AuthorizationServer');
    const changeDetails = { from: { trustedServer: other.id }, to: {} };
    const target = [{ ...authorizationServerTarget(server), changeDetails }, authorizationServerTarget(other)];
    record({ eventType: 'app.oauth2.trusted_server.delete', target });
  });
}
