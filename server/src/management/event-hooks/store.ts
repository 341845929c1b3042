import type { OrgId } from '../../kernel/words/ids.ts';
import { columns, type Db, prepared } from '../../platform/postgres/index.ts';
import { resourceStore } from '../resource/index.ts';
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
  /**
   * This number rises with each change to the channel or its secret, so that `verifyEventHook` notices a change during
   * its request.
   */
  readonly channelRevision: number;
  readonly sealedSecret: Buffer | null;
  readonly createdAt: Date;
  readonly createdBy: string;
  /**
   * Delivered events contain attribute values only if this user or client may see all attributes of all users. Without
   * an owner, they contain everything.
   */
  readonly ownerId: string | null;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

const COLUMNS = columns<EventHook>('event_hooks', {
  id: 'key',
  name: 'changes',
  description: 'changes',
  status: 'changes',
  verificationStatus: 'changes',
  subscription: 'json',
  channel: 'json',
  channelRevision: 'changes',
  sealedSecret: 'changes',
  createdAt: 'fixed',
  createdBy: 'fixed',
  ownerId: 'changes',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});

export const EVENT_HOOKS = resourceStore('event_hook', COLUMNS);

export async function readEventHooks(db: Db, orgId: OrgId): Promise<readonly EventHook[]> {
  const text = `select ${COLUMNS.select()} from event_hooks where org_id = $1 order by created_at, id`;
  return prepared<EventHook>(db, 'event_hooks_of_org', text, [orgId]);
}
