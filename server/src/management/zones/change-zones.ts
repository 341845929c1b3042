import type { Context } from '../../kernel/context.ts';
import { apiError, invalid, notFound } from '../../kernel/errors/errors.ts';
import { limitReached } from '../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../kernel/texts/dates.ts';
import { readLine } from '../../kernel/texts/written-text.ts';
import { assertVersion, FIRST_REVISION } from '../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../kernel/words/ids.ts';
import { claimIdempotency, type Db, type Tx, waitForOthers } from '../../platform/postgres/index.ts';
import type { Record, Work } from '../../system-log/index.ts';
import type { ZoneInput } from './contract.ts';
import { type ZoneAction, zoneLifecycle } from './lifecycle.ts';
import { readZoneDocument, type ZoneDocument } from './matching/zone-document.ts';
import {
  countProxies,
  countZones,
  findZone,
  findZoneForUpdate,
  insertZone,
  removeZone,
  updateZone,
  type Zone,
} from './store.ts';
import { zoneChange, zoneVersion } from './wire.ts';

/** Limit per org, because every sign-in is compared with all of its zones. */
export const MAXIMUM_ZONES = 1_000;
const MAXIMUM_NAME_LENGTH = 128;
/** Limit for all zones of an org, because each request from a trusted sender is compared with all of them. */
export const MAXIMUM_PROXIES = 1_000;

/** Reads the trimmed name; `stored` is the current one. 400 E0000001 when it is blank, too long or more than a line. */
export const readName = (text: string, stored?: string): string => readLine('name', text, MAXIMUM_NAME_LENGTH, stored);

/** 404 E0000007 when the org has none of this id. */
export async function getZone(db: Db, context: Context, id: string): Promise<Zone> {
  const zone = await findZone(db, context.orgId, id);
  if (zone === undefined) throw notFound(id, 'NetworkZone');
  return zone;
}

export const proxiesOf = (document: ZoneDocument): number =>
  'proxies' in document ? (document.proxies?.length ?? 0) : 0;

/** 400 E0000001 beyond the limit of trusted proxies. */
async function assertProxiesFit(tx: Tx, context: Context, { document, id }: Zone): Promise<void> {
  const own = proxiesOf(document);
  if (own === 0 || own + (await countProxies(tx, context.orgId, id)) <= MAXIMUM_PROXIES) return;
  throw invalid('proxies', `The zones of an org may have at most ${MAXIMUM_PROXIES} proxies in total.`);
}

function recordUsage(record: Record, before: Zone | null, after: Zone): void {
  const target = [zoneChange([before, after])];
  if (after.usage === 'BLOCKLIST' && before?.usage !== 'BLOCKLIST')
    record({ eventType: 'zone.make_blacklist', target });
  if (after.usage !== 'BLOCKLIST' && before?.usage === 'BLOCKLIST') {
    record({ eventType: 'zone.remove_blacklist', target });
  }
}

/**
 * Creates a zone. 400 E0000001 for members that its type does not have, a name the org has already, and past 1,000 of
 * them. A repeated `Idempotency-Key` returns what the first request created.
 */
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
  return work(context, async (tx, record) => {
    const earlier = await claimIdempotency(tx, context, zone.id);
    if (earlier !== null) {
      const existing = await findZone(tx, context.orgId, earlier);
      if (existing === undefined) throw apiError('E0000195', { reason: 'what this key created is gone' });
      return existing;
    }
    await waitForOthers(tx, context.orgId, 'network_zones');
    if ((await countZones(tx, context.orgId, MAXIMUM_ZONES)) >= MAXIMUM_ZONES) {
      throw limitReached('name', MAXIMUM_ZONES, 'zones');
    }
    await assertProxiesFit(tx, context, zone);
    await insertZone(tx, context.orgId, zone);
    record({ eventType: 'zone.create', target: [zoneChange([null, zone])] });
    recordUsage(record, null, zone);
    return zone;
  });
}

/** Locks the zone, in the version that the client has. */
async function lockZone(tx: Tx, context: Context, id: string): Promise<Zone> {
  const zone = await findZoneForUpdate(tx, context.orgId, id);
  if (zone === undefined) throw notFound(id, 'NetworkZone');
  assertVersion(context, zoneVersion(zone));
  return zone;
}

/** Replaces everything but the type by the body's. 404 E0000007; 400 as on create. */
export async function replaceZone(work: Work, context: Context, id: string, input: ZoneInput): Promise<Zone> {
  const usage = input.usage ?? 'POLICY';
  const document = readZoneDocument(input, usage);
  return work(context, async (tx, record) => {
    const before = await lockZone(tx, context, id);
    if (input.type !== before.type) throw invalid('type', 'cannot be changed.');
    if (before.system && usage !== before.usage) throw invalid('usage', 'cannot be changed in a system zone.');
    const name = readName(input.name, before.name);
    const status = input.status ?? before.status;
    const changed = { name, usage, status, document, lastUpdatedAt: wholeSecond(context.now) };
    const after = { ...before, ...changed, revision: before.revision + 1 };
    const target = zoneChange([before, after]);
    if (target.changeDetails === undefined) return before;
    await waitForOthers(tx, context.orgId, 'network_zones');
    await assertProxiesFit(tx, context, after);
    await updateZone(tx, context.orgId, after);
    record({ eventType: 'zone.update', target: [target] });
    recordUsage(record, before, after);
    return after;
  });
}

/** Activates or deactivates; a zone in that status already stays as it is, without an event. 404 E0000007. */
export function changeZoneStatus(work: Work, context: Context, id: string, action: ZoneAction): Promise<Zone> {
  return work(context, async (tx, record) => {
    const before = await lockZone(tx, context, id);
    if (!zoneLifecycle.allows(before.status, action)) return before;
    const { to, event } = zoneLifecycle.transition(action);
    const after = { ...before, status: to[0], lastUpdatedAt: wholeSecond(context.now), revision: before.revision + 1 };
    await updateZone(tx, context.orgId, after);
    record({ eventType: event, target: [zoneChange([before, after])] });
    return after;
  });
}

/**
 * Deletes an inactive zone that nothing names. 404 E0000007; 400 E0000001 while it is active, a system zone, or named
 * by a rule or a token, whose meaning would change.
 */
export function deleteZone(
  work: Work,
  context: Context,
  id: string,
  usedBy: (tx: Tx, context: Context, zoneId: string) => Promise<string | null>,
): Promise<void> {
  return work(context, async (tx, record) => {
    const zone = await lockZone(tx, context, id);
    if (zone.system) throw invalid('zone', 'A system zone cannot be deleted.');
    if (zone.status === 'ACTIVE') throw invalid('status', 'Only an inactive zone can be deleted.');
    const user = await usedBy(tx, context, id);
    if (user !== null) throw invalid('zone', `The zone is in use by ${user}.`);
    await removeZone(tx, context.orgId, id);
    record({ eventType: 'zone.delete', target: [zoneChange([zone, null])] });
  });
}
