import { Type } from '@sinclair/typebox';
import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import { wireDate, wireDateOrNull } from '../../kernel/texts/dates.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { type AnyRoute, type CursorCodec, keysetPage, ok, page, paging, route } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Work } from '../relay/work.ts';
import type { Target } from '../write/event.ts';
import { DeadLetterListSchema, DeliveryListSchema, DeliveryStateSchema, ReplayBody } from './contract.ts';
import { type DeadLetter, type Delivery, readDeadLetters, readDeliveries } from './delivery/deliveries-store.ts';
import { replaySink } from './replay-sink.ts';
import { findSinkState, type SinkState } from './store.ts';

export interface SinkRoutesOptions {
  readonly db: Db;
  readonly work: Work;
  readonly cursors: CursorCodec;
  /** The resource's name in operationIds and errors. For example, `EventHook` leads to `listEventHookDeliveries`. */
  readonly resource: string;
  /** The resource's name in summaries, such as `an event hook`. */
  readonly words: string;
  /** The path of one resource, such as `/api/v1/eventHooks/:eventHookId`. */
  readonly path: string;
  readonly idParameter: string;
  readonly tag: string;
  /** The scope for reading, and the permission of the same name. */
  readonly read: string;
  readonly manage: string;
  readonly targetOf: (db: Db, orgId: OrgId, id: string) => Promise<Target | null>;
}

const DAYS_KEPT_MILLISECONDS = 30 * 24 * 60 * 60_000;

const wireDelivery = (delivery: Delivery) => ({
  id: delivery.batchId,
  attempt: delivery.attempt,
  outcome: delivery.outcome,
  status: delivery.status,
  reason: delivery.reason,
  firstPosition: delivery.firstPosition,
  lastPosition: delivery.lastPosition,
  events: delivery.events,
  attempted: wireDate(delivery.attemptedAt),
  milliseconds: delivery.milliseconds,
});

const wireDeadLetter = (letter: DeadLetter) => ({
  firstPosition: letter.firstPosition,
  lastPosition: letter.lastPosition,
  uuid: letter.uuid,
  eventType: letter.eventType,
  reason: letter.reason,
  status: letter.status,
  created: wireDate(letter.createdAt),
});

const wireState = (state: SinkState | null) => ({
  status: state?.status ?? 'NEW',
  position: state?.position ?? null,
  head: state?.head ?? null,
  lag: state === null ? null : Math.max(0, state.head - state.position),
  failures: state?.failures ?? 0,
  failingSince: wireDateOrNull(state?.failingSince ?? null),
  nextAttempt: wireDateOrNull(state?.nextAttemptAt ?? null),
  lastError: state?.lastError ?? null,
  lastStatus: state?.lastStatus ?? null,
  lastDelivered: wireDateOrNull(state?.lastDeliveredAt ?? null),
});

const LIST_QUERY = paging({ default: 20, maximum: 200 });

function commonOf(options: SinkRoutesOptions) {
  const common = { tag: options.tag, access: 'authenticated', bucket: 'management', cors: false } as const;
  const find = async (context: Context, params: Readonly<Record<string, string>>): Promise<Target> => {
    const id = params[options.idParameter] ?? '';
    const target = await options.targetOf(options.db, context.orgId, id);
    if (target === null) throw notFound(id, options.resource);
    return target;
  };
  return {
    reading: { ...common, scopes: [options.read], permission: options.read },
    managing: { ...common, scopes: [options.manage], permission: options.manage },
    params: Type.Object({ [options.idParameter]: Type.String() }),
    find,
  };
}

function listDeliveriesRoute(options: SinkRoutesOptions): AnyRoute {
  const { reading, params, find } = commonOf(options);
  const list = `list${options.resource}Deliveries`;
  return route({
    ...reading,
    operationId: list,
    method: 'GET',
    url: `${options.path}/deliveries`,
    summary: `List the deliveries of ${options.words}, newest first`,
    params,
    query: LIST_QUERY,
    response: { status: 200, schema: DeliveryListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, params: given, query, rawQuery }) => {
      const { id } = await find(context, given);
      const since = new Date(context.now.getTime() - DAYS_KEPT_MILLISECONDS);
      const { rows, links } = await keysetPage(
        options.cursors,
        { orgId: context.orgId, list: `${list}:${id}`, ...query, query: rawQuery },
        (delivery: Delivery) => delivery.number,
        (request) => readDeliveries(options.db, context.orgId, id, since, request),
      );
      return page(rows.map(wireDelivery), links);
    },
  });
}

function listDeadLettersRoute(options: SinkRoutesOptions): AnyRoute {
  const { reading, params, find } = commonOf(options);
  const list = `list${options.resource}DeadLetters`;
  return route({
    ...reading,
    operationId: list,
    method: 'GET',
    url: `${options.path}/deadLetters`,
    summary: `List the dead letters of ${options.words}, newest first`,
    params,
    query: LIST_QUERY,
    response: { status: 200, schema: DeadLetterListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, params: given, query, rawQuery }) => {
      const { id } = await find(context, given);
      const { rows, links } = await keysetPage(
        options.cursors,
        { orgId: context.orgId, list: `${list}:${id}`, ...query, query: rawQuery },
        (letter: DeadLetter) => letter.number,
        (request) => readDeadLetters(options.db, context.orgId, id, request),
      );
      return page(rows.map(wireDeadLetter), links);
    },
  });
}

function getDeliveryRoute(options: SinkRoutesOptions): AnyRoute {
  const { reading, params, find } = commonOf(options);
  return route({
    ...reading,
    operationId: `get${options.resource}Delivery`,
    method: 'GET',
    url: `${options.path}/delivery`,
    summary: `Retrieve the delivery state of ${options.words}`,
    params,
    response: { status: 200, schema: DeliveryStateSchema },
    errors: ['E0000007'],
    handler: async ({ context, params: given }) => {
      const { id } = await find(context, given);
      return ok(wireState(await findSinkState(options.db, context.orgId, id)));
    },
  });
}

function replayRoute(options: SinkRoutesOptions): AnyRoute {
  const { managing, params, find } = commonOf(options);
  return route({
    ...managing,
    operationId: `replay${options.resource}`,
    method: 'POST',
    url: `${options.path}/lifecycle/replay`,
    summary: 'Continue the delivery at another position or time',
    params,
    body: ReplayBody,
    response: { status: 200, schema: DeliveryStateSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params: given, body }) => {
      const target = await find(context, given);
      await replaySink(options.work, context, target, body);
      return ok(wireState(await findSinkState(options.db, context.orgId, target.id)));
    },
  });
}

/** Returns a sink's routes for deliveries, dead letters, state and replay, which extend the contract. */
export const sinkRoutes = (options: SinkRoutesOptions): AnyRoute[] => [
  listDeliveriesRoute(options),
  listDeadLettersRoute(options),
  getDeliveryRoute(options),
  replayRoute(options),
];
