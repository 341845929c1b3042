import type { Context } from '../../../kernel/context.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Work } from '../../../system-log/index.ts';
import type { ServerInput } from '../contract.ts';
import { servers } from '../resource.ts';
import type { AuthorizationServer } from '../store.ts';
import { freshRow } from './create-default-server.ts';
import { readServer } from './server-rules.ts';

/** A new server issues no tokens until it has a policy with a rule. */
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
