import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import type { Work } from '../../../system-log/index.ts';
import type { BehaviorInput } from '../contract.ts';
import { behaviors } from '../resource.ts';
import { readName, readSettings, readType } from '../rules.ts';
import type { Behavior } from '../store.ts';

/** Keeps the status if the body omits it. */
export async function replaceBehavior(
  work: Work,
  context: Context,
  id: string,
  input: BehaviorInput,
): Promise<Behavior> {
  const type = readType(input.type);
  const settings = readSettings(type, input.settings);
  return behaviors.replace(work, context, id, (before) => {
    if (type !== before.type) throw invalid('type', 'cannot be changed.');
    return { name: readName(input.name, before.name), status: input.status ?? before.status, settings };
  });
}
