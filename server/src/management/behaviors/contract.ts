import { type Static, Type } from '@sinclair/typebox';
import { BEHAVIOR_STATUSES, type BehaviorStatus } from './lifecycle.ts';
import { BEHAVIOR_TYPES } from './rules.ts';

export const BehaviorIdParams = Type.Object({ behaviorId: Type.String() });

const Status = Type.Unsafe<BehaviorStatus>({ type: 'string', enum: [...BEHAVIOR_STATUSES] });
const Settings = Type.Record(Type.String(), Type.Unknown());

export const BehaviorBody = Type.Object({
  name: Type.String({ description: 'Unique in the org; at most 128 characters.' }),
  type: Type.String({ description: `One of ${BEHAVIOR_TYPES.join(', ')}; a behavior keeps its type.` }),
  status: Type.Optional(
    Type.Union([Status, Type.Null()], { description: 'Ignored: a new behavior is active, a replaced one stays.' }),
  ),
  settings: Type.Optional(Type.Union([Settings, Type.Null()])),
});
export type BehaviorInput = Static<typeof BehaviorBody>;

/** Dates of this resource have a special form: `2025-08-25 08:25:43.0` (contract section 2). */
const DateTime = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.0$' });

export const BehaviorSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  status: Status,
  settings: Settings,
  type: Type.String(),
  created: DateTime,
  lastUpdated: DateTime,
  _links: Type.Record(Type.String(), Type.Unknown()),
});

export const BehaviorListSchema = Type.Array(BehaviorSchema);
