import { randomBytes } from 'node:crypto';
import type { Context } from '../kernel/context.ts';
import type { Statement } from '../platform/postgres/index.ts';
import { bodyDigest, SALT_BYTES } from './digest.ts';
import { buildEvent, type JsonObject, type NewEvent, namesOf, severityOf, storable } from './event.ts';
import { createUuidGenerator, type UuidGenerator } from './event-uuid.ts';
import { insertOutbox, type OutboxRow } from './outbox-store.ts';
import { tokensOf } from './tokens.ts';

/** The one multi-row insert of what a unit of work recorded; it travels with COMMIT. */
export type OutboxStatement = (context: Context, events: readonly NewEvent[]) => Statement;

/** Makes an event's row: text, columns, tokens, salt and digest, final from here on. */
export type OutboxRowMaker = (context: Context, event: NewEvent) => OutboxRow;

const idsOf = (event: NewEvent): string[] => [...new Set((event.target ?? []).map((target) => storable(target.id)))];

export function createOutboxRowMaker(newUuid: UuidGenerator = createUuidGenerator()): OutboxRowMaker {
  return (context, event) => {
    const uuid = newUuid(context.now);
    const wire: JsonObject = buildEvent(context, event, uuid);
    const body = JSON.stringify(wire);
    const salt = randomBytes(SALT_BYTES);
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
      tokens: tokensOf(context.orgId, wire),
      salt,
      digest: bodyDigest(salt, body),
      body,
    };
  };
}

/** The insert of the rows that `makeRow` makes; one maker per process, since its uuids must not repeat within it. */
export function createOutboxStatement(makeRow: OutboxRowMaker): OutboxStatement {
  return (context, events) => insertOutbox(events.map((event) => makeRow(context, event)));
}
