import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ContractOperation, coverageOf, ranksIn, servedIn } from './coverage.ts';

const operation = (method: string, path: string, tag: string): ContractOperation => ({
  api: 'management',
  method,
  path,
  operationId: `${method}${path}`,
  tag,
});
const READ = operation('GET', '/api/v1/users/{id}', 'User');
const WRITE = operation('POST', '/api/v1/users/{id}', 'User');
const RULE = operation('GET', '/api/v1/groups/rules', 'GroupRule');

describe('coverage of the contract', () => {
  test('counts by family, whatever path parameters are called; ranked families come first', () => {
    const served = new Set(['GET /api/v1/users/{}', 'GET /api/v1/made-up']);
    expect(coverageOf([RULE, READ, WRITE], served, new Map([['User', 'essential']]))).toEqual([
      { rank: 'essential', family: 'User', served: 1, all: 2, missing: [WRITE] },
      { rank: '-', family: 'GroupRule', served: 0, all: 1, missing: [RULE] },
    ]);
  });

  test('the namespace word in a path makes no difference', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-coverage-'));
    const paths = {
      '/.well-known/svc-organization': { get: {} },
      '/api/v1/users/{userId}': { get: {}, parameters: [] },
    };
    writeFileSync(join(folder, 'management.json'), JSON.stringify({ paths }));
    const served = servedIn(folder);
    rmSync(folder, { recursive: true });
    const metadata = operation('GET', '/.well-known/another-organization', 'Org');
    expect(coverageOf([metadata, READ, WRITE], served, new Map())).toMatchObject([
      { family: 'Org', served: 1, missing: [] },
      { family: 'User', served: 1, missing: [WRITE] },
    ]);
  });

  test('reads ranks out of the table, and nothing else', () => {
    const facts = '| Rank | Family (tag) | ops |\n|---|---|--:|\n| essential | User | 7 | 47 | 42 |  |\ntext\n';
    expect([...ranksIn(facts)]).toEqual([['User', 'essential']]);
  });
});
