import { type ChildProcess, spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { copyIn, copyOut, openCopyClient } from '../copy.ts';
import { canPin, spawnFree } from '../cores.ts';
import { type Gatehouse, newPlace, type Place, ROOT, startGatehouse } from '../gatehouse.ts';
import type { Result } from '../result.ts';
import type { Row, RowOptions } from '../row.ts';

const PROGRAM = join(ROOT, 'server', 'dist', 'cli', 'gatehouse.js');

const FIRST_NAMES = ['Ada', 'Alan', 'Barbara', 'Clara', 'Dennis', 'Edsger', 'Frances', 'Grace', 'Hedy', 'Ivan'];
const LAST_NAMES = ['Allen', 'Babbage', 'Church', 'Estrin', 'Floyd', 'Hopper', 'Iverson', 'Jensen', 'Kay', 'Lamport'];
/** `FOUR` are the attributes that a user must have by default. `NINE` adds attributes that companies typically use. */
const FOUR = ['login', 'email', 'firstName', 'lastName'];
const NINE = [...FOUR, 'department', 'city', 'title', 'costCenter', 'employeeNumber'];

const pick = (list: readonly string[], number: number): string => list[number % list.length] ?? '';

/** Generates the same CSV file every time, with unique logins. */
function* people(attributes: readonly string[], count: number): Generator<string> {
  yield `${attributes.join(',')}\n`;
  for (let number = 0; number < count; number += 1) {
    const spread = Math.imul(number + 1, 2_654_435_761) >>> 0;
    const login = `user.${number}@example.com`;
    const last = `${pick(LAST_NAMES, spread >>> 7)}son ${(spread >>> 11) % 100}`;
    const work = `Department ${spread % 20},City ${spread % 500},Title ${spread % 200},Cost ${spread % 1_000}`;
    const employee = `${work},E${String(number).padStart(8, '0')}`;
    const line = `${login},${login},${pick(FIRST_NAMES, spread >>> 3)},${last}`;
    yield attributes.length === NINE.length ? `${line},${employee}\n` : `${line}\n`;
  }
}

/** Joins lines, so that a file of a million lines does not take a million writes. */
function* chunks(lines: Iterable<string>): Generator<string> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < 262_144) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

async function writePeople(path: string, attributes: readonly string[], count: number): Promise<void> {
  await pipeline(Readable.from(chunks(people(attributes, count))), createWriteStream(path));
}

interface Report {
  readonly created: number;
  readonly seconds: { readonly import: number; readonly events: number };
}

function ended(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`the import ended with ${code}`))));
  });
}

/** Imports the file without a running server, so that the command itself starts PostgreSQL. */
async function importOnce(place: Place, file: string, options: RowOptions): Promise<Report> {
  const profile =
    options.profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profileDirectory}`];
  const start = canPin ? spawnFree : spawn;
  const child = start(options.node, [...profile, PROGRAM, 'import', 'users', file, '--json'], {
    cwd: ROOT,
    env: { ...process.env, GATEHOUSE_DATA_DIR: place.dataDirectory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await ended(child)) as Report;
}

const COLUMNS = `org_id, id, type_id, status, login, login_key, short_login_key, normal_form_version, profile,
  provider_type, provider_name, has_password, created_at, last_updated_at, valid_after, revision`;

/** Copies the imported rows into a table whose only index is its primary key. Returns the rows per second. */
async function copyRate({ connection, pool }: Gatehouse, path: string): Promise<number> {
  const client = await openCopyClient(connection);
  try {
    const file = createWriteStream(path);
    await copyOut(client, `copy (select ${COLUMNS} from users) to stdout`, (chunk) => {
      // The driver may reuse the memory of the chunk before the file has been written.
      file.write(Buffer.from(chunk));
    });
    await new Promise((resolve) => file.end(resolve));
    await pool.query('create table bench_users (like users including defaults, primary key (org_id, id))');
    const started = performance.now();
    await copyIn(
      client,
      `copy bench_users (${COLUMNS}) from stdin`,
      createReadStream(path, { highWaterMark: 262_144 }),
    );
    const seconds = (performance.now() - started) / 1_000;
    const { rows } = await pool.query<{ count: number }>('select count(*) as count from bench_users');
    await pool.query('drop table bench_users');
    return (rows[0]?.count ?? 0) / seconds;
  } finally {
    await client.end();
  }
}

interface Imported {
  readonly report: Report;
  /** The rows per second that COPY reaches with the same rows. */
  readonly copied: number;
}

async function imported(attributes: readonly string[], options: RowOptions): Promise<Imported> {
  const place = await newPlace();
  try {
    const { build, node } = options;
    const { importUsers } = options.sizes;
    await (await startGatehouse({ place, build, node })).stop();
    const file = join(place.directory, 'people.csv');
    await writePeople(file, attributes, importUsers);
    const report = await importOnce(place, file, options);
    if (report.created !== importUsers) throw new Error(`${report.created} of ${importUsers} users were created`);
    const gatehouse = await startGatehouse({ place, build, node });
    const copied = await copyRate(gatehouse, join(place.directory, 'users.copy'));
    await gatehouse.stop();
    return { report, copied };
  } finally {
    await place.remove();
  }
}

function resultsOf(what: string, { copied, report }: Imported): readonly Result[] {
  const { created, seconds } = report;
  const rate = (value: number) => ({ name: 'Gatehouse', unit: 'per second' as const, values: [value] });
  return [
    {
      work: `import of users with ${what}, no passwords, out of CSV: search index and an event each`,
      gatehouse: rate(created / seconds.import),
      beside: { name: 'COPY of the same user rows, primary key alone', unit: 'per second', values: [copied] },
      target: { bound: 8_000, atLeast: true, isOfValue: true },
    },
    {
      work: 'the same, until the last event is in the ledger',
      gatehouse: rate(created / (seconds.import + seconds.events)),
      beside: null,
      target: null,
    },
  ];
}

async function run(options: RowOptions): Promise<readonly Result[]> {
  const four = resultsOf('4 attributes', await imported(FOUR, options));
  return [...four, ...resultsOf('9 attributes', await imported(NINE, options))];
}

/** This row measures `gatehouse import users` with CSV files, on all cores. */
export const usersImport: Row = {
  name: 'import',
  settings: ({ sizes }) => `${sizes.importUsers.toLocaleString('en-US')} users, no server beside it, all cores`,
  run,
};
