import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { Work } from '../../../system-log/index.ts';
import type { BehaviorInput } from '../contract.ts';
import { lockBehavior } from '../get-behavior.ts';
import { readName, readSettings, readType } from '../rules.ts';
import { type Behavior, updateBehavior } from '../store.ts';
import { behaviorChange } from '../wire.ts';

/**
 * Replaces name, settings and, where given, status by the body's. A change of nothing records no event. 404 E0000007;
 * 400 as on create, and for another type.
 */
export async function replaceBehavior(
  work: Work,
  context: Context,
  id: string,
  input: BehaviorInput,
): Promise<Behavior> {
  const type = readType(input.type);
  const settings = readSettings(type, input.settings);
  return work(context, async (tx, record) => {
    const before = await lockBehavior(tx, context, id);
    if (type !== before.type) throw invalid('type', 'cannot be changed.');
    const name = readName(input.name, before.name);
    const status = input.status ?? before.status;
    const lastUpdatedAt = wholeSecond(context.now);
    const after = { ...before, name, status, settings, lastUpdatedAt, revision: before.revision + 1 };
    const target = behaviorChange([before, after]);
    if (target.changeDetails === undefined) return before;
    await updateBehavior(tx, context.orgId, after);
    record({ eventType: 'security.behavior.settings.update', target: [target] });
    return after;
  });
}
