import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useTrustingFetch } from '../support/trusting-fetch.ts';
import { useService } from '../support/use-service.ts';

// This file tests that published tools can read the OpenAPI document: a linter, and a generator of TypeScript clients.

const ROOT = join(import.meta.dirname, '..', '..', '..');
const run = promisify(execFile);

const { service, org } = useService();
useTrustingFetch(service);
let folder: string;

beforeAll(async () => {
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  // The folder is inside node_modules, so that `PROGRAM` finds the packages that it imports.
  folder = mkdtempSync(join(cache, 'openapi-client-'));
  const { text } = await org.anonymous.get('/api/openapi.json');
  writeFileSync(join(folder, 'openapi.json'), text);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

// The linter reads the generated file. In the served document, it would report a server on localhost.
test('a linter finds nothing to say about the document', async () => {
  const program = join(ROOT, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
  const files = [
    'lint',
    join(ROOT, 'openapi', 'management.json'),
    '--config',
    join(ROOT, 'redocly.yaml'),
    '--format=json',
  ];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await run(process.execPath, [program, ...files], { env });
  const report = JSON.parse(stdout) as { totals: unknown; problems: readonly unknown[] };
  expect(report.problems).toEqual([]);
  expect(report.totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
}, 120_000);

/** A program like one that a user of the API would write. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

export type User = components['schemas']['User'];

export async function createUser(baseUrl: string, token: string) {
  const client = createClient<paths>({ baseUrl, headers: { authorization: \`SSWS \${token}\` } });
  const profile = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', login: 'ada@example.com' };
  const created = await client.POST('/api/v1/users', {
    params: { query: { activate: false } },
    body: { profile },
  });
  if (created.data === undefined) throw new Error(created.error?.errorSummary);
  const user: User = created.data;
  const read = await client.GET('/api/v1/users/{id}', { params: { path: { id: user.id } } });
  const missing = await client.GET('/api/v1/users/{id}', { params: { path: { id: '00unobody' } } });
  return { user, read: read.data?.profile, refusal: missing.error?.errorCode };
}
`;

/** Calls that must not compile: the profile is missing, the user's id is missing, or the operation does not exist. */
const MISTAKES = `
import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';
const client = createClient<paths>({});
void client.POST('/api/v1/users', { body: {} });
void client.GET('/api/v1/users/{id}', {});
void client.GET('/api/v1/persons');
`;

const OPTIONS = {
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2023', 'dom'],
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  // The compiler must also check the generated declarations.
  skipLibCheck: false,
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: true,
  outDir: 'out',
};

const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

async function compile(file: string): Promise<string> {
  const config = join(folder, `tsconfig-${file}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions: OPTIONS, files: [file, 'api.d.ts'] }));
  try {
    return (await run(process.execPath, [compiler, '-p', config])).stdout;
  } catch (error) {
    if (error instanceof Error && 'stdout' in error) return String(error.stdout);
    throw error;
  }
}

describe('a TypeScript client that is generated from the document', () => {
  test('compiles, knows what an operation takes, and creates a user', async () => {
    const generated = await openapiTS(pathToFileURL(join(folder, 'openapi.json')));
    writeFileSync(join(folder, 'api.d.ts'), astToString(generated));
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'mistakes.ts'), MISTAKES);
    expect(await compile('program.ts')).toBe('');
    const lines = [...(await compile('mistakes.ts')).matchAll(/mistakes\.ts\((\d+),\d+\): error/g)];
    expect(new Set(lines.map(([, line]) => line))).toEqual(new Set(['5', '6', '7']));

    const program: { createUser: (...given: string[]) => Promise<unknown> } = await import(
      pathToFileURL(join(folder, 'out', 'program.js')).href
    );
    expect(await program.createUser(org.baseUrl, org.adminToken)).toMatchObject({
      user: { id: expect.stringMatching(/^00u/), status: 'STAGED' },
      read: { login: 'ada@example.com' },
      refusal: 'E0000007',
    });
  }, 120_000);
});
