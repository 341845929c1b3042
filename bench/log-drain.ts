import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { OrgId } from '../server/src/kernel/words/ids.ts';
import { built } from './built.ts';
import { openCopyClient } from './copy.ts';
import type { Gatehouse } from './gatehouse.ts';
import { RELAY_LOCK } from './log-data.ts';
import { OrgLife } from './log-events.ts';

const EVENTS_AT_ONCE = 50;

/** A new process drains this number of events before the measured ones, as rates elsewhere are measured warm. */
const WARM_UP_EVENTS = 10_000;

export async function drainPerSecond(gatehouse: Gatehouse, orgId: OrgId, events: number): Promise<number> {
  const { createInputMaker, createOutboxStatement } = await built('system-log/index');
  const { namespaceOf } = await built('kernel/words/namespace');
  const life = new OrgLife(orgId, 1_000, namespaceOf('svc'));
  const statementOf = createOutboxStatement(createInputMaker());
  const client = await openCopyClient(gatehouse.connection);
  try {
    const drained = async (count: number): Promise<number> => {
      // While this connection holds the lock, the relay waits. The measurement starts only when all events have been
      // written.
      await client.query('select pg_advisory_lock($1)', [RELAY_LOCK]);
      for (let written = 0; written < count; written += EVENTS_AT_ONCE) {
        const happenings = Array.from({ length: EVENTS_AT_ONCE }, () => life.next(new Date()));
        for (const { context, event } of happenings) {
          const { text, values } = statementOf([{ context, events: [event] }]);
          await client.query(text, [...(values ?? [])]);
        }
      }
      await client.query('checkpoint');
      await client.query('select pg_advisory_unlock($1)', [RELAY_LOCK]);
      return await untilDrained(client, count);
    };
    await drained(Math.min(WARM_UP_EVENTS, events));
    return await drained(events);
  } finally {
    await client.end();
  }
}

/** Returns the events a second. */
async function untilDrained(client: pg.Client, events: number): Promise<number> {
  const started = performance.now();
  for (;;) {
    const { rows } = await client.query<{ waiting: boolean }>('select waiting > 0 as waiting from log_backlog(0)');
    if (rows[0]?.waiting === false) return (events * 1_000) / (performance.now() - started);
    await delay(5);
  }
}
