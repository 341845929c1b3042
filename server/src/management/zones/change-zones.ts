import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../kernel/context.ts';
import { invalid } from '../../kernel/errors/errors.ts';
import { wholeSecond } from '../../kernel/texts/dates.ts';
import { readLine } from '../../kernel/texts/written-text.ts';
import { FIRST_REVISION } from '../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../kernel/words/ids.ts';
import { type Tx, waitForOthers } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import type { ZoneInput } from './contract.ts';
import { readZoneDocument, type ZoneDocument } from './matching/zone-document.ts';
import { zones } from './resource.ts';
import { countProxies, ZONES, type Zone } from './store.ts';

const MAXIMUM_NAME_LENGTH = 128;
/** The zones of an org have at most this many proxies, because the addresses of requests are compared with them. */
export const MAXIMUM_PROXIES = 1_000;

/** Accepts the stored name even if it is not valid. */
export const readName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_NAME_LENGTH, stored);

export const proxiesOf = (document: ZoneDocument): number =>
  'proxies' in document ? (document.proxies?.length ?? 0) : 0;

async function assertProxiesFit(
  tx: Tx,
  context: Context,
  { document, id }: Pick<Zone, 'id' | 'document'>,
): Promise<void> {
  const own = proxiesOf(document);
  if (own === 0 || own + (await countProxies(tx, context.orgId, id)) <= MAXIMUM_PROXIES) return;
  throw invalid('proxies', `The zones of an org may have at most ${MAXIMUM_PROXIES} proxies in total.`);
}

export async function createZone(work: Work, context: Context, input: ZoneInput): Promise<Zone> {
  const now = wholeSecond(context.now);
  const usage = input.usage ?? 'POLICY';
  const zone: Zone = {
    id: newId('zone', orgSuffixOf(context.orgId)),
    type: input.type,
    name: readName(input.name),
    status: input.status ?? 'ACTIVE',
    usage,
    system: false,
    document: readZoneDocument(input, usage),
    createdAt: now,
    lastUpdatedAt: now,
    revision: FIRST_REVISION,
  };
  return zones.create(work, context, zone, (tx) => assertProxiesFit(tx, context, zone));
}

/** Keeps the status if the body omits it. */
export async function replaceZone(work: Work, context: Context, id: string, input: ZoneInput): Promise<Zone> {
  const usage = input.usage ?? 'POLICY';
  const document = readZoneDocument(input, usage);
  return zones.replace(work, context, id, async (before, tx) => {
    if (input.type !== before.type) throw invalid('type', 'cannot be changed.');
    if (before.system && usage !== before.usage) throw invalid('usage', 'cannot be changed in a system zone.');
    const name = readName(input.name, before.name);
    if (!isDeepStrictEqual(document, before.document)) {
      await waitForOthers(tx, context.orgId, ZONES.table);
      await assertProxiesFit(tx, context, { id, document });
    }
    return { name, usage, status: input.status ?? before.status, document };
  });
}

export const deleteZone = (
  work: Work,
  context: Context,
  id: string,
  usedBy: (tx: Tx, context: Context, zoneId: string) => Promise<string | null>,
): Promise<void> =>
  zones.delete(work, context, id, async (zone, tx) => {
    if (zone.system) throw invalid('zone', 'A system zone cannot be deleted.');
    if (zone.status === 'ACTIVE') throw invalid('status', 'Only an inactive zone can be deleted.');
    const user = await usedBy(tx, context, id);
    if (user !== null) throw invalid('zone', `The zone is in use by ${user}.`);
  });
