import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { matches, OPERATORS, readFilter } from '../../src/filter/index.ts';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { LOG_FIELDS } from '../../src/system-log/index.ts';
import { keywordsOf, wordToken } from '../../src/system-log/rendering/terms/search-terms.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { actor, created, LogBench, targetIds } from '../support/system-log.ts';

const database = beforeTests(() => openTestDatabase());
const bench = beforeTests(() => new LogBench(database.pool));

describe('q', () => {
  const says = async (text: string): Promise<(q: string) => Promise<number>> => {
    const orgId = await bench.newOrg();
    await bench.write(orgId, [created('00u1', { displayMessage: text })]);
    await bench.drainAll();
    return async (q) => (await bench.events(orgId, { q })).length;
  };

  test.each([
    ['whole', 1],
    ['WHOLE', 1],
    ['whol', 0],
    ['hyphen-ated-word', 1],
    ['ated', 1],
    ['hyphen', 1],
    ['hyphen-ated', 0],
    ['whole ated', 1],
    ['whole missing', 0],
    ['ünïque', 1],
    ['"quoted"', 1],
    ['quoted', 0],
    ['back\\slash', 1],
    ['tab', 1],
    ['a.b*c', 1],
    ['axbxc', 0],
    ['new-york', 1],
    [actor.alternateId.toUpperCase(), 1],
    ['user.lifecycle.create', 1],
    ['lifecycle', 0],
    ['displayMessage', 0],
  ])('%s finds %i', async (q, count) => {
    const find = await says('whole Hyphen-Ated-Word ÜNÏQUE "quoted" back\\slash tab\tline\nend a.b*c');
    expect(await find(q)).toBe(count);
  });

  test('the recheck finds every keyword of any text', async () => {
    const orgId = await bench.newOrg();
    const texts = fc.sample(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), { numRuns: 150, seed: 7 });
    const storable = texts.filter((text) => keywordsOf(text).length > 0);
    await bench.write(
      orgId,
      storable.map((text, index) => created(`t${index}`, { displayMessage: text })),
    );
    await bench.drainAll();
    for (const [index, text] of storable.entries()) {
      const words = keywordsOf(text).slice(0, 10);
      const found = targetIds(await bench.events(orgId, { q: words.join(' '), limit: '1000' }));
      expect(found, text).toContain(`t${index}`);
    }
  });

  test('a hash that collides is not enough', async () => {
    const orgId = await bench.newOrg();
    await bench.write(orgId, [created('00u1')]);
    await bench.drainAll();
    await bench.query('update log_fresh set tokens = tokens || $2::integer where org_id = $1', [
      orgId,
      wordToken(orgId, 'elsewhere'),
    ]);
    expect(await bench.events(orgId, { q: 'elsewhere' })).toEqual([]);
  });
});

describe('filter', () => {
  let orgId: OrgId;
  let stored: string[];

  beforeAll(async () => {
    orgId = await bench.newOrg();
    await bench.write(orgId, [
      created('00u1', { debugData: { risk: 'HIGH', 'dotted.key': 'x' } }),
      created('00u2', { outcome: { result: 'FAILURE', reason: 'NO%_LUCK' }, severity: 'WARN' }),
      { eventType: 'system.org.update', authentication: { externalSessionId: '102abc', rootSessionId: '102abc' } },
      {
        eventType: 'user.account.privilege.grant',
        target: [
          { id: '00u1', type: 'User', alternateId: 'a', displayName: null },
          { id: 'ra1', type: 'ROLE', alternateId: '', displayName: 'Super' },
        ],
      },
    ]);
    await bench.drainAll();
    stored = [...(await bench.page(orgId)).bodies];
  });

  const values = ['00u1', 'User', 'FAILURE', 'no%_luck', 'svc', 'a', '', '203.0.113.9', 'V6', 'WARN', '102abc', 'HIGH'];
  const names = [
    ...LOG_FIELDS.fields.keys(),
    'debugContext.debugData.risk',
    'debugContext.debugData.dotted.key',
    'debugContext.debugData.requestUri',
    'debugContext.debugData.requestId',
  ];

  test('every attribute and operator agrees with the in-memory twin', async () => {
    const leaf = fc.record({
      name: fc.constantFrom(...names),
      op: fc.constantFrom(...OPERATORS),
      value: fc.constantFrom(...values),
      negated: fc.boolean(),
    });
    const flat = (event: unknown) => {
      const debug = (event as { debugContext: { debugData: Record<string, string> } }).debugContext.debugData;
      return { event, debug };
    };
    await fc.assert(
      fc.asyncProperty(fc.array(leaf, { minLength: 1, maxLength: 3 }), async (leaves) => {
        const usable = leaves.filter(({ name, op }) => {
          const field = LOG_FIELDS.fields.get(name) ?? LOG_FIELDS.resolve?.(name);
          return field?.operators.includes(op) === true;
        });
        fc.pre(usable.length > 0);
        const text = usable
          .map(({ name, op, value, negated }) => {
            const type = LOG_FIELDS.fields.get(name)?.type ?? 'string';
            const literal = type === 'string' ? JSON.stringify(value) : type === 'number' ? '0' : 'true';
            return `${negated ? 'not ' : ''}${name} ${op}${op === 'pr' ? '' : ` ${literal}`}`;
          })
          .join(' and ');
        const checked = readFilter(text, {
          ...LOG_FIELDS,
          resolve: (name) => {
            const field = LOG_FIELDS.resolve?.(name);
            const key = name.slice('debugContext.debugData.'.length);
            return field && { ...field, value: (object) => flat(object).debug[key] };
          },
        });
        const expected = stored.filter((body) => matches(checked, JSON.parse(body)));
        expect((await bench.page(orgId, { filter: text })).bodies, text).toEqual(expected);
        expect(
          (await bench.page(orgId, { filter: text, since: '2026-11-20T10:00:00.000Z', until: '2026-11-21T00:00:00Z' }))
            .bodies,
        ).toEqual(expected);
      }),
      { numRuns: 400, seed: 11 },
    );
  });

  test.each([
    ['target.id eq "00u1" and target.id eq "ra1"', 1],
    ['target.id eq "00u1"', 2],
    ['eventType eq "user.lifecycle.create" and outcome.result eq "FAILURE"', 1],
    ['outcome.reason co "%_"', 1],
    ['outcome.reason co "no"', 0],
    ['debugContext.debugData.risk eq "HIGH"', 1],
    ['debugContext.debugData.risk pr', 1],
    ['debugContext.debugData.dotted.key eq "x"', 1],
    ['transaction.detail.requestApiTokenId eq "00Ttoken000000000001"', 4],
    ['authenticationContext.externalSessionId pr', 1],
    ['not (authenticationContext.externalSessionId pr)', 3],
    ['authenticationContext.authenticationStep eq 0', 4],
    ['displayMessage eq "\' or 1=1 --"', 0],
  ])('%s finds %i', async (filter, count) => {
    expect(await bench.events(orgId, { filter })).toHaveLength(count);
  });
});
