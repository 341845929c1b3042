import { generateKeyPairSync, sign, sign as signSync, verify } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { hash, verifySync } from '@node-rs/argon2';
import Fastify, { type FastifyInstance } from 'fastify';
import { systemClock } from '../server/src/kernel/clock.ts';
import { hostCertificates, openCertificateAuthority } from '../server/src/platform/crypto/index.ts';
import { DEFAULT_ARGON2_PARAMETERS } from '../server/src/platform/crypto/passwords/stored-password.ts';
import { type ConnectionSettings, createPool, type Pool } from '../server/src/platform/postgres/index.ts';
import { copyOfLog, copyOut, openCopyClient, streamOf } from './copy.ts';
import type { PeerReady, PeerSettings } from './peer.ts';

// This program is the limit with which the product is compared: bare Fastify with the product's database driver and
// pool.

/** The load uses this many connections, so no request waits for a connection to the database. */
const POOL_SIZE = 16;

const COLUMNS = `id, status, login, profile, created_at, activated_at, status_changed_at, last_updated_at,
  password_changed_at, type_id, revision`;

const SELECT_ONE = `select ${COLUMNS} from users where org_id = $1 and id = $2`;
const SELECT_PAGE = `select ${COLUMNS} from users where org_id = $1 and id > $2 order by id limit 200`;
const SELECT_IN_TRANSACTION = 'select id, schema_id from user_types where org_id = $1';
const UPDATE = `insert into bench_rows (org_id, id, body) values ($1, $2, $3)
  on conflict (org_id, id) do update set body = excluded.body returning id, body`;
/** This single statement writes an update and its event, and therefore needs only one round trip and one commit. */
const LOGGED_UPDATE = `with logged as (insert into bench_outbox (org_id, body) values ($1, $4))
  insert into bench_rows (org_id, id, body) values ($1, $2, $3)
  on conflict (org_id, id) do update set body = excluded.body returning id, body`;
const PASSWORD = 'Correct-1-Horse';
const INSERT = 'insert into bench_rows (org_id, id, body) values ($1, $2, $3)';

interface Params {
  readonly org: string;
  readonly id: string;
}

/** The size of the additional row that any design must write if it records a change in the same transaction. */
const LOGGED_BYTES = 500;
const LOGGED_BODY = Buffer.alloc(LOGGED_BYTES, 'a');
const INSERT_LOGGED = 'insert into bench_outbox (org_id, body) values ($1, $2)';

const logged = (org: string) => ({ name: 'bench_logged', text: INSERT_LOGGED, values: [org, LOGGED_BODY] });

type Named = { readonly name: string; readonly text: string; readonly values: unknown[] };

/** Sends BEGIN with the first statement, and the others together with COMMIT, as the product does. */
async function transact(pool: Pool, org: string, writes: readonly Named[]): Promise<void> {
  const client = await pool.connect();
  try {
    const begun = client.query('begin');
    const selected = client.query({ name: 'bench_type', text: SELECT_IN_TRANSACTION, values: [org] });
    await Promise.all([begun, selected]);
    await Promise.all([...writes.map((write) => client.query(write)), client.query('commit')]);
  } finally {
    client.release();
  }
}

const inserted = (org: string, body: unknown): Named => ({
  name: 'bench_insert',
  text: INSERT,
  values: [org, crypto.randomUUID(), JSON.stringify(body)],
});

/** Returns the statement that updates one of 2,000 table rows. A full run of `users-update` updates 2,000 users. */
const updated = (org: string, body: unknown): Named => ({
  name: 'bench_update',
  text: UPDATE,
  values: [org, `row${Math.floor(Math.random() * 2_000)}`, JSON.stringify(body)],
});

const SELECT_LOG_PAGE = `select position, persisted_at, body from bench_events
  where org_id = $1 and position > $2 and persisted_at >= $3 order by position limit 1000`;
/** Rows from COPY are sent to the client in pieces of about this size. */
const PIECE_BYTES = 65_536;

async function copyTo(answer: PassThrough, connection: ConnectionSettings, org: string): Promise<void> {
  const client = await openCopyClient(connection);
  const stream = streamOf(client);
  let rows: Buffer[] = [];
  let bytes = 0;
  const send = (): void => {
    if (!answer.write(Buffer.concat(rows))) {
      stream.pause();
      void once(answer, 'drain').then(() => stream.resume());
    }
    rows = [];
    bytes = 0;
  };
  await copyOut(client, copyOfLog(org), (row) => {
    rows.push(row);
    bytes += row.length;
    if (bytes >= PIECE_BYTES) send();
  });
  send();
  answer.end();
  await client.end();
}

interface LogPlace extends Params {
  readonly persistedAt: string;
}

async function readLogPage(pool: Pool, { id, org, persistedAt }: LogPlace): Promise<string> {
  const { rows } = await pool.query<{ body: string }>(SELECT_LOG_PAGE, [org, id, persistedAt]);
  return `[${rows.map(({ body }) => body).join(',')}]`;
}

function registerLog(app: FastifyInstance, pool: Pool, connection: ConnectionSettings): void {
  app.get<{ Params: LogPlace }>('/log/:org/:id/:persistedAt', ({ params }, reply) => {
    void reply.type('application/json');
    return readLogPage(pool, params);
  });
  app.get<{ Params: Params }>('/log-copy/:org', (request, reply) => {
    const answer = new PassThrough();
    void reply.type('text/plain').send(answer);
    copyTo(answer, connection, request.params.org).catch((error: unknown) => answer.destroy(new Error(String(error))));
  });
}

interface Loop {
  readonly seconds: string;
}

async function countLoop(seconds: number, atOnce: number, act: () => Promise<unknown>): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  let done = 0;
  const work = async (): Promise<void> => {
    while (performance.now() < until) {
      await act();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return done / seconds;
}

/** Registers loops of the unavoidable work in a token request or a sign-in, such as signatures and password hashes. */
function registerLoops(app: FastifyInstance): void {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const text = Buffer.alloc(500, 'a');
  const signOnce = () =>
    new Promise<void>((resolve, reject) => {
      sign('sha256', text, privateKey, (error) => (error === null ? resolve() : reject(error)));
    });
  const countHashes = async (seconds: number): Promise<number> => {
    const options = { ...DEFAULT_ARGON2_PARAMETERS, algorithm: 2 };
    const stored = await hash(PASSWORD, options);
    // The hashes run one at a time on the calling thread, so that none of them waits for a worker thread.
    return countLoop(seconds, 1, () => Promise.resolve(verifySync(stored, PASSWORD, options)));
  };
  const { privateKey: clientKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const signature = signSync('sha256', text, clientKey);
  const verifyOnce = () =>
    new Promise<void>((resolve, reject) => {
      verify('sha256', text, publicKey, signature, (error) => (error === null ? resolve() : reject(error)));
    });
  const answered = (counted: Promise<number>) => counted.then((perSecond) => ({ perSecond }));
  app.get<{ Querystring: Loop }>('/signs', ({ query }) => answered(countLoop(Number(query.seconds), 16, signOnce)));
  app.get<{ Querystring: Loop }>('/verifications', ({ query }) =>
    answered(countLoop(Number(query.seconds), 16, verifyOnce)),
  );
  app.get<{ Querystring: Loop }>('/hashes', ({ query }) => answered(countHashes(Number(query.seconds))));
}

const ask = async (pool: Pool, name: string, text: string, values: readonly unknown[]): Promise<unknown[]> =>
  (await pool.query<Record<string, unknown>>({ name, text, values: [...values] })).rows;

/** Headers like those of the product's responses. */
const HEADERS = {
  'cache-control': 'no-cache, no-store',
  pragma: 'no-cache',
  expires: '0',
  'strict-transport-security': 'max-age=315360000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-rate-limit-limit': '100000000',
  'x-svc-request-id': 'reqXXXXXXXXXXXXXXXXXXXXXX',
};

function registerHeaders(app: FastifyInstance): void {
  app.register((scope, _options, done) => {
    scope.addHook('onRequest', async () => undefined);
    scope.addHook('onResponse', async () => undefined);
    scope.get('/answer', (_request, reply) => reply.headers(HEADERS).send({ hello: 'world' }));
    done();
  });
}

function register(app: FastifyInstance, pool: Pool): void {
  app.get<{ Params: Params }>('/select/:org/:id', ({ params: { id, org } }) =>
    ask(pool, 'bench_one', SELECT_ONE, [org, id]).then(([row]) => row),
  );
  app.get('/hello', (_request, reply) => reply.send({ hello: 'world' }));
  registerHeaders(app);
  app.post<{ Params: Params }>('/update/:org/:id', ({ params: { id, org } }) =>
    ask(pool, 'bench_update', UPDATE, [org, id, { at: Date.now() }]).then(([row]) => row),
  );
  app.get<{ Params: Params }>('/page/:org/:id', ({ params: { id, org } }) =>
    ask(pool, 'bench_page', SELECT_PAGE, [org, id]),
  );
  app.post<{ Params: Params }>('/logged-row/:org/:id', async ({ params: { id, org } }) => {
    const [row] = await ask(pool, 'bench_logged_update', LOGGED_UPDATE, [org, id, { at: Date.now() }, LOGGED_BODY]);
    return row;
  });
  const transactions: Readonly<Record<string, (org: string, body: unknown) => readonly Named[]>> = {
    transaction: (org, body) => [inserted(org, body)],
    'logged-transaction': (org, body) => [inserted(org, body), logged(org)],
    'logged-transaction-3': (org, body) => [inserted(org, body), logged(org), logged(org), logged(org)],
    'logged-update': (org, body) => [updated(org, body), logged(org)],
  };
  for (const [kind, writesOf] of Object.entries(transactions)) {
    app.post<{ Params: Params }>(`/${kind}/:org`, ({ body, params: { org } }) =>
      transact(pool, org, writesOf(org, body)).then(() => ({ done: true })),
    );
  }
}

async function serve({ connection, tlsDirectory }: PeerSettings): Promise<PeerReady> {
  const pool = createPool({
    connection,
    maximumConnections: POOL_SIZE,
    applicationName: 'gatehouse-bench-peer',
    statementTimeoutMilliseconds: 15_000,
  });
  await pool.query(`create table if not exists bench_rows (
    org_id text collate "C" not null, id text collate "C" not null, body jsonb not null, primary key (org_id, id))`);
  await pool.query(`create table if not exists bench_outbox (
    org_id text collate "C" not null, id bigint generated always as identity, body bytea not null,
    primary key (org_id, id))`);
  const authority = tlsDirectory === null ? null : await openCertificateAuthority(tlsDirectory, systemClock);
  const app: FastifyInstance =
    authority === null ? Fastify() : Fastify({ https: hostCertificates({ authority, clock: systemClock }).options });
  register(app, pool);
  registerLog(app, pool, connection);
  registerLoops(app);
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  const ca = authority === null ? null : await readFile(authority.certificateFile, 'utf8');
  return { port, ca };
}

process.on('disconnect', () => process.exit(0));
process.send?.(await serve(JSON.parse(process.argv[2] ?? '{}') as PeerSettings));
