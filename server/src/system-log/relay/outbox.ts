import type { Clock } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { pooledRandomBytes } from '../../kernel/random.ts';
import type { Statement } from '../../platform/postgres/index.ts';
import { type NewEvent, namesOf, severityOf, storable } from '../write/event.ts';
import type { Places } from '../write/event-parts.ts';
import { createEventWriter } from '../write/event-text.ts';
import { createUuidGenerator, type UuidGenerator } from '../write/event-uuid.ts';
import { SALT_BYTES, saltedBody } from './digest.ts';
import { insertOutbox, type OutboxRow } from './outbox-store.ts';

/** Builds the single insert of all events that a unit of work recorded. The insert is sent together with COMMIT. */
export type OutboxStatement = (context: Context, events: readonly NewEvent[]) => Statement;

/** Makes the row of an event: text, columns, search terms, salt and digest. The row does not change afterward. */
export type OutboxRowMaker = (context: Context, event: NewEvent) => OutboxRow;

const idsOf = ({ target = [] }: NewEvent): string[] => {
  const ids = target.map(({ id }) => storable(id));
  return ids.length < 2 ? ids : [...new Set(ids)];
};

export interface OutboxRowMakerOptions {
  readonly newUuid?: UuidGenerator;
  /** Finds the location of addresses. By default, locations are unknown. */
  readonly places?: Places;
}

const NOWHERE: Places = { placeOf: () => null, networkOf: () => null };

export function createOutboxRowMaker(options: OutboxRowMakerOptions = {}): OutboxRowMaker {
  const { newUuid = createUuidGenerator(), places = NOWHERE } = options;
  const write = createEventWriter(places);
  return (context, event) => {
    const uuid = newUuid(context.now);
    const { text, tokens } = write(context, event, uuid);
    const salt = pooledRandomBytes(SALT_BYTES);
    return {
      orgId: context.orgId,
      uuid,
      published: context.now,
      eventType: namesOf(context, event.eventType).eventType,
      severity: severityOf(event),
      actorId: storable((event.actor ?? context.actor).id),
      targetIds: idsOf(event),
      outcomeResult: event.outcome?.result ?? 'SUCCESS',
      clientIpAddress: context.client.ipAddress === null ? null : storable(context.client.ipAddress),
      transactionId: storable(context.requestId),
      tokens,
      salt,
      ...saltedBody(salt, text),
    };
  };
}

/**
 * Makes the builder of outbox inserts. A process has only one row maker, because UUIDs must not repeat. With a clock,
 * `published` is the time right before COMMIT instead of the start of the request. A reader that continues from its
 * last `published` then hardly ever misses an event (ADR 0023).
 */
export function createOutboxStatement(makeRow: OutboxRowMaker, clock?: Clock): OutboxStatement {
  return (context, events) => {
    const now = clock?.now() ?? context.now;
    const recorded = now > context.now ? { ...context, now } : context;
    return insertOutbox(events.map((event) => makeRow(recorded, event)));
  };
}
