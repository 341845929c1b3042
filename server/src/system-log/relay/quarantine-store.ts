import type { OrgId } from '../../kernel/words/ids.ts';
import { type InputRow, quarantineInput } from '../outbox/input-store.ts';
import { quarantineStatement } from '../outbox/outbox-store.ts';
import { createRowRenderer } from '../rendering/render-row.ts';
import { type LogConnection, rowsOf } from './connections.ts';

export interface WaitingEvent {
  readonly id: number;
  readonly uuid: string;
  readonly eventType: string;
  /** Whether the event waits as an input, and not as a whole row in the form of older builds. */
  readonly isInput: boolean;
}

export async function findFirstWaiting(connection: LogConnection, orgId: OrgId): Promise<WaitingEvent | null> {
  const [row] = await rowsOf<Omit<WaitingEvent, 'id'> & { id: string | number }>(
    connection,
    `(select id, uuid, event_type as "eventType", true as "isInput" from log_inputs where org_id = $1
      order by id limit 1)
     union all
     (select id, uuid, event_type as "eventType", false as "isInput" from log_outbox where org_id = $1
      order by id limit 1)
     order by id limit 1`,
    [orgId],
  );
  return row === undefined ? null : { ...row, id: Number(row.id) };
}

/** Quarantines a waiting event and puts an event about the quarantine in its place. */
export async function quarantine(
  connection: LogConnection,
  { id, isInput }: WaitingEvent,
  replacement: InputRow,
  reason: string,
  now: Date,
): Promise<void> {
  const statement = isInput
    ? quarantineInput(replacement, id, reason, now)
    : quarantineStatement(createRowRenderer()(replacement), id, reason, now);
  await connection.query(statement.text, statement.values);
}
