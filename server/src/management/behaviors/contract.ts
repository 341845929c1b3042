import { type Static, Type } from '@sinclair/typebox';
import { BEHAVIOR_STATUSES, type BehaviorStatus } from './lifecycle.ts';
import { BEHAVIOR_TYPES } from './rules.ts';

export const BehaviorIdParams = Type.Object({ behaviorId: Type.String() });

const Status = Type.Unsafe<BehaviorStatus>({ type: 'string', enum: [...BEHAVIOR_STATUSES] });
const Settings = Type.Record(Type.String(), Type.Unknown());

export const BehaviorBody = Type.Object({
  name: Type.String({ description: 'It is unique in the org and has at most 128 characters.' }),
  type: Type.String({
    description: `The type, which never changes: ${BEHAVIOR_TYPES.map((type) => `\`${type}\``).join(', ')}.`,
  }),
  status: Type.Optional(
    Type.Union([Status, Type.Null()], {
      description: 'The status of a replaced behavior. It stays if it is left out. A new behavior is always `ACTIVE`.',
    }),
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
