import type { Context } from '../../../kernel/context.ts';
import { limitReached } from '../../../kernel/errors/field-errors.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Work } from '../../../system-log/index.ts';
import type { ServerInput } from '../contract.ts';
import { madeBefore } from '../guards.ts';
import { type AuthorizationServer, countServers, findServer, insertServer } from '../store.ts';
import { serverChange } from '../wire.ts';
import { addSystemParts, freshRow } from './create-default-server.ts';
import { readServer } from './server-rules.ts';

export const MAXIMUM_SERVERS = 500;

/**
 * Creates a server with its built-in scopes and claims, and without a policy, so that it issues no tokens until it has
 * one. 400 E0000001 with one cause per fault, for a name that the org has already, and past 500 servers. A repeated
 * `Idempotency-Key` returns what the first request created.
 */
export function createServer(work: Work, context: Context, input: ServerInput): Promise<AuthorizationServer> {
  const server: AuthorizationServer = {
    ...freshRow(context),
    ...readServer(input),
    id: newId('authorizationServer', orgSuffixOf(context.orgId)),
    status: input.status ?? 'ACTIVE',
    isDefault: false,
  };
  return work(context, async (tx, record) => {
    const earlier = await madeBefore(tx, context, server.id, (id) => findServer(tx, context.orgId, id));
    if (earlier !== null) return earlier;
    if ((await countServers(tx, context.orgId, MAXIMUM_SERVERS)) >= MAXIMUM_SERVERS) {
      throw limitReached('name', MAXIMUM_SERVERS, 'authorization servers');
    }
    await insertServer(tx, context.orgId, server);
    await addSystemParts(tx, context, server.id);
    record({ eventType: 'oauth2.as.created', target: [serverChange([null, server])] });
    return server;
  });
}
