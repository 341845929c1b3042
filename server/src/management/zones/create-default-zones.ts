import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../kernel/words/ids.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { ZONES } from './store.ts';

const SYSTEM_ZONES = [
  { name: 'LegacyIpZone', usage: 'POLICY' },
  { name: 'BlockedIpZone', usage: 'BLOCKLIST' },
] as const;

export async function createDefaultZones(tx: Tx, context: Context): Promise<void> {
  const now = wholeSecond(context.now);
  for (const { name, usage } of SYSTEM_ZONES) {
    await ZONES.insert(tx, context.orgId, {
      id: newId('zone', orgSuffixOf(context.orgId)),
      type: 'IP',
      name,
      status: 'ACTIVE',
      usage,
      system: true,
      document: { gateways: [], proxies: null },
      createdAt: now,
      lastUpdatedAt: now,
      revision: FIRST_REVISION,
    });
  }
}
