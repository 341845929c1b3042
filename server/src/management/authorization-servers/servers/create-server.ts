import type { Context } from '../../../kernel/context.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Work } from '../../../system-log/index.ts';
import type { ServerInput } from '../contract.ts';
import { servers } from '../resource.ts';
import type { AuthorizationServer } from '../store.ts';
import { freshRow } from './create-default-server.ts';
import { readServer } from './server-rules.ts';

/**
 * Creates a server, which issues no tokens until it has a policy with a rule. Throws the errors of `createOnce`. Also
 * throws 400 E0000001 if the body is invalid, the name is in use, or the org already has 500 servers.
 */
export function createServer(work: Work, context: Context, input: ServerInput): Promise<AuthorizationServer> {
  const server: AuthorizationServer = {
    ...freshRow(context),
    ...readServer(input),
    id: newId('authorizationServer', orgSuffixOf(context.orgId)),
    status: input.status ?? 'ACTIVE',
    isDefault: false,
  };
  return servers.create(work, context, server);
}
