import type { OrgId } from '../../kernel/words/ids.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import type { HookChannel } from './documents/channel-rules.ts';
import type { Subscription } from './documents/subscription-rules.ts';
import type { EventHookStatus, VerificationStatus } from './lifecycle.ts';

export interface EventHook {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: EventHookStatus;
  readonly verificationStatus: VerificationStatus;
  readonly subscription: Subscription;
  readonly channel: HookChannel;
  /** Counts changes of the channel and its secret. */
  readonly channelRevision: number;
  readonly sealedSecret: Buffer | null;
  readonly createdAt: Date;
  readonly createdBy: string;
  /**
   * The user who last created, changed or activated it, whose rights limit the events. Null in hooks older than owners.
   */
  readonly ownerId: string | null;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

/** Columns in the spelling of EventHook, so that a row needs no mapping. */
const COLUMNS = `id, name, description, status, verification_status as "verificationStatus", subscription, channel,
  channel_revision as "channelRevision", sealed_secret as "sealedSecret", created_at as "createdAt",
  created_by as "createdBy", owner_id as "ownerId", last_updated_at as "lastUpdatedAt", revision`;

export async function findEventHook(db: Db, orgId: OrgId, id: string): Promise<EventHook | undefined> {
  const text = `select ${COLUMNS} from event_hooks where org_id = $1 and id = $2`;
  const [row] = await prepared<EventHook>(db, 'event_hook_by_id', text, [orgId, id]);
  return row;
}

/** Locks the row, so that the status a caller checks is the status it then changes. */
export async function findEventHookForUpdate(tx: Tx, orgId: OrgId, id: string): Promise<EventHook | undefined> {
  const text = `select ${COLUMNS} from event_hooks where org_id = $1 and id = $2 for update`;
  const [row] = await prepared<EventHook>(tx, 'event_hook_for_update', text, [orgId, id]);
  return row;
}

/** Reads all hooks of the org, oldest first: an org has few. */
export async function readEventHooks(db: Db, orgId: OrgId): Promise<readonly EventHook[]> {
  const text = `select ${COLUMNS} from event_hooks where org_id = $1 order by created_at, id`;
  return prepared<EventHook>(db, 'event_hooks_of_org', text, [orgId]);
}

export async function countEventHooks(tx: Tx, orgId: OrgId): Promise<number> {
  const text = 'select count(*) as count from event_hooks where org_id = $1';
  const [row] = await prepared<{ count: number }>(tx, 'event_hook_count', text, [orgId]);
  return row?.count ?? 0;
}

const valuesOf = (orgId: OrgId, hook: EventHook): unknown[] => [
  orgId,
  hook.id,
  hook.name,
  hook.description,
  hook.status,
  hook.verificationStatus,
  JSON.stringify(hook.subscription),
  JSON.stringify(hook.channel),
  hook.channelRevision,
  hook.sealedSecret,
  hook.lastUpdatedAt,
  hook.ownerId,
];

export async function insertEventHook(tx: Tx, orgId: OrgId, hook: EventHook): Promise<void> {
  const text = `insert into event_hooks (org_id, id, name, description, status, verification_status, subscription,
      channel, channel_revision, sealed_secret, last_updated_at, owner_id, created_at, created_by)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;
  await prepared(tx, 'event_hook_insert', text, [...valuesOf(orgId, hook), hook.createdAt, hook.createdBy]);
}

export async function updateEventHook(tx: Tx, orgId: OrgId, hook: EventHook): Promise<void> {
  const text = `update event_hooks
    set name = $3, description = $4, status = $5, verification_status = $6, subscription = $7, channel = $8,
      channel_revision = $9, sealed_secret = $10, last_updated_at = $11, owner_id = $12, revision = revision + 1
    where org_id = $1 and id = $2`;
  await prepared(tx, 'event_hook_update', text, valuesOf(orgId, hook));
}

export async function removeEventHook(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  await prepared(tx, 'event_hook_delete', 'delete from event_hooks where org_id = $1 and id = $2', [orgId, id]);
}
