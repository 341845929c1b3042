import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Work } from '../../../system-log/index.ts';
import type { BehaviorInput } from '../contract.ts';
import { behaviors } from '../resource.ts';
import { readName, readSettings, readType } from '../rules.ts';
import type { Behavior } from '../store.ts';

function draft(context: Context, input: BehaviorInput): Behavior {
  const now = wholeSecond(context.now);
  const type = readType(input.type);
  return {
    id: newId('behavior', orgSuffixOf(context.orgId)),
    type,
    name: readName(input.name),
    // A new behavior is active, whatever status the body contains.
    status: 'ACTIVE',
    settings: readSettings(type, input.settings),
    createdAt: now,
    lastUpdatedAt: now,
    revision: FIRST_REVISION,
  };
}

export const createBehavior = async (work: Work, context: Context, input: BehaviorInput): Promise<Behavior> =>
  behaviors.create(work, context, draft(context, input));
