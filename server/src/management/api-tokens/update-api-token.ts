import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/dates.ts';
import { invalid } from '../../kernel/errors.ts';
import type { Work } from '../../system-log/index.ts';
import type { ApiTokenUpdateInput } from './contract.ts';
import { lockApiToken } from './guards.ts';
import { readTokenName } from './read-token-name.ts';
import { type ApiToken, renameApiToken } from './store.ts';
import { apiTokenChange } from './wire.ts';

function assertAnywhere(network: ApiTokenUpdateInput['network']): void {
  const zones = [...(network?.include ?? []), ...(network?.exclude ?? [])];
  if ((network?.connection ?? 'ANYWHERE') === 'ANYWHERE' && zones.length === 0) return;
  throw invalid('network', 'network: Only the connection ANYWHERE is possible, as there are no network zones yet.');
}

/** Changes the name; one that stays as it is changes nothing. 404 E0000007; 400 E0000001, also for network zones. */
export async function updateApiToken(
  ports: { readonly work: Work },
  context: Context,
  id: string,
  input: ApiTokenUpdateInput,
): Promise<ApiToken> {
  assertAnywhere(input.network);
  const name = input.name === undefined ? null : readTokenName(input.name);
  return ports.work(context, async (tx, record) => {
    const before = await lockApiToken(tx, context, id);
    if (name === null || name === before.name) return before;
    const after = { ...before, name, lastUpdatedAt: wholeSecond(context.now) };
    await renameApiToken(tx, context.orgId, after);
    record({ eventType: 'system.api_token.update', target: [apiTokenChange([before, after])] });
    return after;
  });
}
