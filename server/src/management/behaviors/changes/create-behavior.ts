import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { limitReached } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import { claimIdempotency, waitForOthers } from '../../../platform/postgres/index.ts';
import type { Work } from '../../../system-log/index.ts';
import type { BehaviorInput } from '../contract.ts';
import { readName, readSettings, readType } from '../rules.ts';
import { type Behavior, countBehaviors, findBehavior, insertBehavior } from '../store.ts';
import { behaviorChange } from '../wire.ts';

/** Limit per org, because each would be evaluated at every sign-in. */
export const MAXIMUM_BEHAVIORS = 100;

function draft(context: Context, input: BehaviorInput): Behavior {
  const now = wholeSecond(context.now);
  const type = readType(input.type);
  return {
    id: newId('behavior', orgSuffixOf(context.orgId)),
    type,
    name: readName(input.name),
    // Recorded: a new one is active, whatever the body says; deactivation is a separate operation.
    status: 'ACTIVE',
    settings: readSettings(type, input.settings),
    createdAt: now,
    lastUpdatedAt: now,
    revision: FIRST_REVISION,
  };
}

/**
 * Creates a behavior. 400 E0000001 with one cause per fault of its settings, for a name that the org has already, and
 * past 100 of them. A repeated `Idempotency-Key` returns what the first request created.
 */
export async function createBehavior(work: Work, context: Context, input: BehaviorInput): Promise<Behavior> {
  const behavior = draft(context, input);
  return work(context, async (tx, record) => {
    const earlier = await claimIdempotency(tx, context, behavior.id);
    if (earlier !== null) {
      const existing = await findBehavior(tx, context.orgId, earlier);
      if (existing === undefined) throw apiError('E0000195', { reason: 'what this key created is gone' });
      return existing;
    }
    await waitForOthers(tx, context.orgId, 'behaviors');
    if ((await countBehaviors(tx, context.orgId, MAXIMUM_BEHAVIORS)) >= MAXIMUM_BEHAVIORS) {
      throw limitReached('name', MAXIMUM_BEHAVIORS, 'behaviors');
    }
    await insertBehavior(tx, context.orgId, behavior);
    record({ eventType: 'security.behavior.settings.create', target: [behaviorChange([null, behavior])] });
    return behavior;
  });
}
