import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../../kernel/context.ts';
import { apiError, invalid } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Work } from '../../../system-log/index.ts';
import type { ApiTokenUpdateInput } from '../contract.ts';
import { lockApiToken } from '../guards.ts';
import { type ApiToken, lockZones, updateApiTokenRow } from '../store.ts';
import { readNetwork, type TokenNetwork, zonesOf } from '../use/network-rules.ts';
import { apiTokenChange } from '../wire.ts';
import { readTokenName } from './read-token-name.ts';

async function assertZones(tx: Tx, context: Context, network: TokenNetwork): Promise<void> {
  const wanted = zonesOf(network);
  if (wanted.length === 0) return;
  const found = await lockZones(tx, context.orgId, wanted);
  const missing = wanted.find((id) => !found.includes(id));
  if (missing !== undefined) throw invalid('network', `There is no network zone ${missing}.`);
}

/** Somebody who steals the token could otherwise use it to remove the token's network restriction. */
function assertNotOwnFetter({ principal }: Context, before: ApiToken): void {
  const isItself = principal.kind === 'apiToken' && principal.tokenId === before.id;
  if (isItself && before.network.connection !== 'ANYWHERE') throw apiError('E0000006');
}

export async function updateApiToken(
  ports: { readonly work: Work },
  context: Context,
  id: string,
  input: ApiTokenUpdateInput,
): Promise<ApiToken> {
  const network = input.network === undefined ? null : readNetwork(input.network);
  return ports.work(context, async (tx, record) => {
    const before = await lockApiToken(tx, context, id);
    const name = input.name === undefined ? before.name : readTokenName(input.name, before.name);
    const given = { ...before, name, network: network ?? before.network };
    if (isDeepStrictEqual(given, before)) return before;
    if (!isDeepStrictEqual(given.network, before.network)) {
      assertNotOwnFetter(context, before);
      await assertZones(tx, context, given.network);
    }
    const after = { ...given, lastUpdatedAt: wholeSecond(context.now), revision: before.revision + 1 };
    await updateApiTokenRow(tx, context.orgId, after);
    record({ eventType: 'system.api_token.update', target: [apiTokenChange([before, after])] });
    return after;
  });
}
