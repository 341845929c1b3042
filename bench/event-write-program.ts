import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../server/src/kernel/context.ts';
import { wholeRole } from '../server/src/kernel/words/held-role.ts';
import type { OrgId } from '../server/src/kernel/words/ids.ts';
import type { ConnectionSettings, Pool } from '../server/src/platform/postgres/index.ts';
import type { NewEvent, Work } from '../server/src/system-log/index.ts';
import { built } from './built.ts';

// This program measures event writes: the product's unit of work, outbox and relay, without HTTP and without a use
// case.

export interface EventWriteSettings {
  readonly dataDirectory: string;
  readonly writers: number;
  readonly rounds: number;
  /** The measurement starts after this many transactions (`requests`), but not before this many seconds have passed. */
  readonly warmUp: { readonly requests: number; readonly seconds: number };
  readonly seconds: number;
}

/**
 * The transactions per second of each round. For `intoLedger`, the time includes the warm-up and ends when the last
 * event is in the ledger.
 */
export interface EventWriteRates {
  readonly without: number[];
  readonly withEvent: number[];
  readonly intoLedger: number[];
}

const postgres = await built('platform/postgres/index');
const systemLog = await built('system-log/index');
const { newRequestId, toOrgId } = await built('kernel/words/ids');
const { namespaceOf } = await built('kernel/words/namespace');

const ORG = toOrgId('00oBenchmarkOrg00001');
const clock = { now: () => new Date() };
const ACTOR = { id: '00uadministrator0001', type: 'User', alternateId: 'ada@example.com', displayName: 'Ada Lovelace' };
const CLIENT: Context['client'] = {
  ipAddress: '203.0.113.9',
  ipChain: ['203.0.113.9'],
  userAgent: { rawUserAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0)', os: 'Linux', browser: 'FIREFOX' },
  device: 'Computer',
  deviceFingerprint: null,
  acceptLanguage: 'en',
};
const namespace = namespaceOf('svc');

const contextOf = (orgId: OrgId): Context => ({
  orgId,
  namespace,
  now: clock.now(),
  requestId: newRequestId(),
  transactionType: 'WEB',
  baseUrl: 'https://acme.localhost:8443',
  canonicalUrl: 'https://acme.localhost:8443',
  principal: { kind: 'apiToken', tokenId: '00Ttoken000000000001', userId: ACTOR.id },
  roles: [wholeRole('SUPER_ADMIN')],
  actor: ACTOR,
  client: CLIENT,
  requestUri: '/api/v1/users',
  url: '/api/v1/users?activate=false',
  idempotency: null,
  precondition: null,
  scopes: null,
  eventNames: 'specification',
});

let rows = 0;
const BODY = JSON.stringify({
  firstName: 'Ada',
  lastName: 'Lovelace',
  login: 'ada@example.com',
  department: 'Engines',
});

async function write(work: Work, hasEvent: boolean): Promise<void> {
  rows += 1;
  const id = `${process.pid}-${rows}`;
  const event: NewEvent = {
    eventType: 'user.lifecycle.create',
    target: [{ id, type: 'User', alternateId: `user.${rows}@example.com`, displayName: 'Ada Lovelace' }],
  };
  await work(contextOf(ORG), async (tx, record) => {
    await postgres.prepared(tx, 'bench_insert', 'insert into bench_rows (org_id, id, body) values ($1, $2, $3)', [
      ORG,
      id,
      BODY,
    ]);
    if (hasEvent) record(event);
  });
}

async function drained(pool: Pool): Promise<void> {
  for (;;) {
    const { rows: found } = await pool.query('select waiting > 0 as waiting from log_backlog(0)');
    if (found[0]?.waiting === false) return;
    await delay(5);
  }
}

/** Measures the transactions that start and end within `seconds`, after the warm-up of this round. */
async function ratesOf(work: Work, pool: Pool, settings: EventWriteSettings, hasEvent: boolean) {
  const begun = performance.now();
  let from = Number.POSITIVE_INFINITY;
  let counted = 0;
  let all = 0;
  const endsAt = (): number => from + settings.seconds * 1_000;
  const writer = async (): Promise<void> => {
    for (;;) {
      const started = performance.now();
      const isWarm = all >= settings.warmUp.requests && started >= begun + settings.warmUp.seconds * 1_000;
      if (isWarm && from === Number.POSITIVE_INFINITY) from = started;
      if (started >= endsAt()) return;
      await write(work, hasEvent);
      all += 1;
      if (started >= from && performance.now() <= endsAt()) counted += 1;
    }
  };
  await Promise.all(Array.from({ length: settings.writers }, writer));
  if (hasEvent) await drained(pool);
  return { perSecond: counted / settings.seconds, intoLedger: (all * 1_000) / (performance.now() - begun) };
}

async function openPools(connection: ConnectionSettings, writers: number) {
  const open = (maximumConnections: number, applicationName: string) =>
    postgres.createPool({ connection, maximumConnections, applicationName, statementTimeoutMilliseconds: 15_000 });
  const pools = { pool: open(writers, 'bench'), logPool: open(4, 'bench-log') };
  await pools.pool.query(`create table bench_rows (
    org_id text collate "C" not null, id text collate "C" not null, body jsonb not null, primary key (org_id, id))`);
  await pools.pool.query(
    `insert into orgs (id, subdomain, company_name, created_at, last_updated_at)
       values ($1, 'bench', 'B', now(), now())`,
    [ORG],
  );
  return pools;
}

async function measure(settings: EventWriteSettings): Promise<EventWriteRates> {
  const embedded = await built('platform/postgres/embedded/index');
  const { dataDirectory } = settings;
  const database = await embedded.startEmbeddedPostgres({ dataDirectory, log: () => undefined });
  await postgres.migrate(database.connection);
  const { logPool, pool } = await openPools(database.connection, settings.writers);
  const makeInput = systemLog.createInputMaker();
  const connections = systemLog.connectionsOver(logPool);
  const relay = systemLog.createRelay({
    connections,
    clock,
    namespace,
    makeInput,
    renderThreadFile: systemLog.renderThreadFile(),
  });
  const work: Work = postgres.createUnitOfWork<NewEvent>({
    pool,
    constraints: {},
    reactions: {},
    outbox: systemLog.createOutboxStatement(makeInput),
    committed: () => relay.wake(),
  });
  relay.start();
  const rates: EventWriteRates = { without: [], withEvent: [], intoLedger: [] };
  for (let round = 0; round < settings.rounds; round += 1) {
    rates.without.push((await ratesOf(work, pool, settings, false)).perSecond);
    const { intoLedger, perSecond } = await ratesOf(work, pool, settings, true);
    rates.withEvent.push(perSecond);
    rates.intoLedger.push(intoLedger);
  }
  await relay.stop();
  await Promise.all([pool.end(), logPool.end()]);
  await database.stop();
  return rates;
}

process.send?.(await measure(JSON.parse(process.argv[2] ?? '{}') as EventWriteSettings), () => process.exit(0));
