import type { Clock } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import type { Recorded, Statement } from '../../platform/postgres/index.ts';
import { createEventRenderer } from '../rendering/event-text.ts';
import { createRowRenderer } from '../rendering/render-row.ts';
import { type NewEvent, namesOf } from '../write/event.ts';
import { createInputWriter, type Places } from '../write/event-facts.ts';
import { createUuidGenerator, type UuidGenerator } from '../write/event-uuid.ts';
import { type InputRow, insertInputs } from './input-store.ts';
import { insertOutbox, type OutboxRow } from './outbox-store.ts';

/** Builds the single insert of all events of a transaction. The insert is sent together with COMMIT. */
export type OutboxStatement = (recorded: readonly Recorded<NewEvent>[]) => Statement;

export type InputMaker = (context: Context, event: NewEvent) => InputRow;

/** Makes the row of an event in the form of older builds. */
export type OutboxRowMaker = (context: Context, event: NewEvent) => OutboxRow;

export interface InputMakerOptions {
  readonly newUuid?: UuidGenerator;
  /** The source of the locations and networks of addresses. By default, both are unknown. */
  readonly places?: Places;
}

const NOWHERE: Places = { placeOf: () => null, networkOf: () => null };

// The size limits of an event, in bytes (`log_outbox_sizes_check`). An event beyond them is refused together with its
// change, so that it never reaches the relay.
const MAXIMUM_ACTOR_ID_BYTES = 1_024;
const MAXIMUM_BODY_BYTES = 1_000_000;
/**
 * An input of at most this length, in UTF-16 code units, certainly has a body within the limit. A code unit takes at
 * most 3 bytes in UTF-8, and the names of members make the body at most 8 times as long as the input.
 */
const SURELY_STORABLE_LENGTH = 40_000;

/** A process should have only one maker, so that the times in its UUIDs always rise. */
export function createInputMaker(options: InputMakerOptions = {}): InputMaker {
  const { newUuid = createUuidGenerator(), places = NOWHERE } = options;
  const inputOf = createInputWriter(places);
  const render = createEventRenderer();
  return (context, event) => {
    if (event.target?.some(({ id }) => typeof id !== 'string') === true) throw new TypeError('a target needs an id');
    const row: InputRow = {
      orgId: context.orgId,
      uuid: newUuid(context.now),
      published: context.now,
      eventType: namesOf(context, event.eventType).eventType,
      input: inputOf(context, event),
    };
    if (Buffer.byteLength((event.actor ?? context.actor).id) > MAXIMUM_ACTOR_ID_BYTES) {
      throw new Error(`the actor of ${row.eventType} has too long an id for the System Log`);
    }
    if (row.input.length <= SURELY_STORABLE_LENGTH) return row;
    if (Buffer.byteLength(render(row.orgId, row).text) <= MAXIMUM_BODY_BYTES) return row;
    throw new Error(`the event ${row.eventType} is too large for the System Log`);
  };
}

/** Creates an `OutboxRowMaker`, for events that older builds must be able to read. */
export function createOutboxRowMaker(makeInput: InputMaker = createInputMaker()): OutboxRowMaker {
  const render = createRowRenderer();
  return (context, event) => render(makeInput(context, event));
}

export interface OutboxOptions {
  /**
   * With a clock, `published` is the time right before COMMIT instead of the start of the request. A reader that
   * continues from its last `published` then hardly ever misses an event (ADR 0023).
   */
  readonly clock?: Clock;
  /**
   * Tells whether events may be written as inputs, which versions up to 0.3 cannot read (ADR 0071). By default, they
   * may.
   */
  readonly mayWriteInputs?: () => boolean;
}

/** While inputs may not be written, the statement inserts rows in the form of older builds. */
export function createOutboxStatement(makeInput: InputMaker, options: OutboxOptions = {}): OutboxStatement {
  const { clock, mayWriteInputs = () => true } = options;
  const render = createRowRenderer();
  return (recorded) => {
    const times = recorded.map(({ context }) => context.now.getTime());
    const now = new Date(Math.max(clock?.now().getTime() ?? 0, ...times));
    const rows = recorded.flatMap(({ context, events }) => {
      const committing = { ...context, now };
      return events.map((event) => makeInput(committing, event));
    });
    return mayWriteInputs() ? insertInputs(rows) : insertOutbox(rows.map(render));
  };
}
