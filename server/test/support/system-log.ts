import type { Clock } from '../../src/kernel/clock.ts';
import type { Context } from '../../src/kernel/context.ts';
import { ApiError } from '../../src/kernel/errors/errors.ts';
import { wholeRole } from '../../src/kernel/words/held-role.ts';
import { newRequestId, type OrgId, randomAlphanumeric, toOrgId } from '../../src/kernel/words/ids.ts';
import { namespaceOf } from '../../src/kernel/words/namespace.ts';
import { createCursorCodec } from '../../src/platform/http/index.ts';
import {
  type Connections,
  connectionsOver,
  createInputMaker,
  createOutboxRowMaker,
  createOutboxStatement,
  createRelay,
  type JsonObject,
  type LogPage,
  type NewEvent,
  type PoolLike,
  type Relay,
  type RelayOptions,
  readLogPage,
} from '../../src/system-log/index.ts';
import { insertOutbox } from '../../src/system-log/outbox/outbox-store.ts';
import type { LogConnection } from '../../src/system-log/relay/connections.ts';

/** A clock that stands still until a test sets it. */
export interface TestClock extends Clock {
  set(instant: string | Date): void;
}

export function testClock(start: string | Date = '2026-11-20T12:00:00.000Z'): TestClock {
  let now = new Date(start);
  return {
    now: () => new Date(now),
    set: (instant) => {
      now = new Date(instant);
    },
  };
}

export const cursors = createCursorCodec(Buffer.alloc(32, 7));

export const actor = {
  id: '00uadministrator0001',
  type: 'User',
  alternateId: 'ada@example.com',
  displayName: 'Ada Lovelace',
};

/** Builds the context of a request that an administrator sends with an API token. */
export const requestContext = (orgId: OrgId, now: Date): Context => {
  const requestId = newRequestId();
  return {
    orgId,
    namespace: namespaceOf('svc'),
    now,
    requestId,
    transactionType: 'WEB',
    baseUrl: 'https://acme.localhost:8443',
    canonicalUrl: 'https://acme.localhost:8443',
    principal: { kind: 'apiToken', tokenId: '00Ttoken000000000001', userId: actor.id },
    roles: [wholeRole('SUPER_ADMIN')],
    actor,
    client: {
      ipAddress: '203.0.113.9',
      ipChain: ['203.0.113.9', '2001:db8::1'],
      userAgent: { rawUserAgent: 'Mozilla/5.0 (X11; Linux) Firefox/140.0', os: 'Linux', browser: 'FIREFOX' },
      device: 'Computer',
      deviceFingerprint: null,
      acceptLanguage: 'en',
    },
    requestUri: '/api/v1/users',
    url: '/api/v1/users?activate=true',
    idempotency: null,
    precondition: null,
    scopes: null,
    eventNames: 'specification',
  };
};

export const userTarget = (id: string) => ({
  id,
  type: 'User',
  alternateId: `${id}@example.com`,
  displayName: 'New-York Jones',
});

export const created = (id: string, more: Partial<NewEvent> = {}): NewEvent => ({
  eventType: 'user.lifecycle.create',
  target: [userTarget(id)],
  ...more,
});

export class LogBench {
  readonly connections: Connections;
  readonly makeInput = createInputMaker();
  readonly makeRow = createOutboxRowMaker(this.makeInput);
  readonly clock: TestClock;
  readonly #outbox = createOutboxStatement(this.makeInput);

  constructor(pool: PoolLike, clock: TestClock = testClock()) {
    this.connections = connectionsOver(pool);
    this.clock = clock;
  }

  /**
   * Returns how many rows of the outbox this connection has read. Only differences count: PostgreSQL includes earlier
   * transactions of the connection until it has reported them, which it does about once a second.
   */
  async outboxRowsRead(connection: LogConnection): Promise<number> {
    const { rows } = await connection.query(
      `select sum(seq_tup_read + idx_tup_fetch) as rows from pg_stat_xact_user_tables
       where relname in ('log_inputs', 'log_outbox')`,
    );
    return Number(Reflect.get(Object(rows[0]), 'rows'));
  }

  query<Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.connections.withConnection(async (connection) => {
      const result = await connection.query(text, values);
      return result.rows as readonly Row[];
    });
  }

  async newOrg(): Promise<OrgId> {
    const id = `00o${randomAlphanumeric(17)}`;
    await this.query(
      `insert into orgs (id, subdomain, company_name, created_at, last_updated_at)
         values ($1, $2, 'Acme', now(), now())`,
      [id, `s${id.toLowerCase()}${Math.floor(Math.random() * 1e9)}`],
    );
    return toOrgId(id);
  }

  /** Commits events as a use case does, with one insert in a transaction. */
  async write(orgId: OrgId, events: readonly NewEvent[], context = requestContext(orgId, this.clock.now())) {
    const statement = this.#outbox([{ context, events }]);
    await this.connections.withConnection(async (connection) => {
      await connection.query('begin');
      await connection.query(statement.text, statement.values);
      await connection.query('commit');
    });
  }

  async positions(orgId: OrgId): Promise<number[]> {
    const text = 'select position from log_unsealed where org_id = $1 order by position';
    const rows = await this.query<{ position: string | number }>(text, [orgId]);
    return rows.map((row) => Number(row.position));
  }

  /** Commits events in the form that builds up to 0.3 wrote. */
  async writeRows(orgId: OrgId, events: readonly NewEvent[], context = requestContext(orgId, this.clock.now())) {
    const { text, values } = insertOutbox(events.map((event) => this.makeRow(context, event)));
    await this.query(text, values);
  }

  relay(more: Partial<RelayOptions> = {}): Relay {
    return createRelay({
      connections: this.connections,
      clock: this.clock,
      namespace: namespaceOf('svc'),
      makeInput: this.makeInput,
      ...more,
    });
  }

  async drainAll(relay = this.relay()): Promise<void> {
    for (;;) {
      await relay.drain();
      const [row] = await this.query<{ waiting: number }>('select waiting::integer from log_backlog(0)');
      if (row?.waiting === 0) return;
    }
  }

  page(orgId: OrgId, query: Readonly<Record<string, string>> = {}, timeoutMilliseconds = 30_000): Promise<LogPage> {
    return readLogPage(
      { connections: this.connections, cursors, timeoutMilliseconds },
      requestContext(orgId, this.clock.now()),
      Object.entries(query),
    );
  }

  async events(orgId: OrgId, query: Readonly<Record<string, string>> = {}): Promise<JsonObject[]> {
    return parsed(await this.page(orgId, query));
  }
}

export const numbersTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

export const parsed = (page: LogPage): JsonObject[] => page.bodies.map((body) => JSON.parse(body) as JsonObject);

export function nextOf(page: LogPage): Record<string, string> | null {
  const next = page.links.find((link) => link.rel === 'next');
  return next === undefined ? null : Object.fromEntries(next.query);
}

export const targetIds = (events: readonly JsonObject[]): string[] =>
  events.map((event) => (event['target'] as { id: string }[])[0]?.id ?? '');

export async function refusalOf(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => new Error('nothing was refused'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApiError) return error;
  throw error;
}
