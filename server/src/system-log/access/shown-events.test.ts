import { describe, expect, test } from 'vitest';
import { wholeRole } from '../../kernel/words/held-role.ts';
import { bodiesShownTo, withoutValues } from './shown-events.ts';

const event = {
  uuid: 'u',
  actor: { id: 'a', alternateId: 'ada@x.example', displayName: 'Ada' },
  debugContext: { debugData: { url: '/api/v1/users?search=profile.ssn+eq+%22078-05-1120%22&limit=1', requestId: 'r' } },
  target: [
    {
      id: 't',
      alternateId: 'bob@x.example',
      changeDetails: { from: { ssn: null, city: 'A' }, to: { ssn: '1', city: ['B'] } },
    },
    { id: 'k', detailEntry: { hash: 'h', claims: { email: 'bob@x.example', ssn: '1' } }, changeDetails: null },
  ],
};
const body = JSON.stringify(event);

describe('an event without values', () => {
  test('keeps the names of what changed, and who it was about', () => {
    const names = { ssn: null, city: null };
    expect(JSON.parse(withoutValues(body))).toEqual({
      ...event,
      debugContext: { debugData: { url: '/api/v1/users?search=...&limit=1', requestId: 'r' } },
      target: [
        { ...event.target[0], changeDetails: { from: names, to: names } },
        { ...event.target[1], detailEntry: { hash: 'h', claims: { email: null, ssn: null } } },
      ],
    });
  });

  test.each(['{"erased":true}', '[]', '{"target":null,"debugContext":null}', '{"target":[null,{"changeDetails":{}}]}'])(
    'is whatever it is where there are none: %s',
    (text) => expect(JSON.parse(withoutValues(text))).toMatchObject(JSON.parse(text.replace('{}', '{"from":null}'))),
  );
});

describe('who reads the log', () => {
  const principal = { kind: 'apiToken', tokenId: 't', userId: 'u' } as const;

  test('and all users is given the very text that is stored', () => {
    const bodies = ['not even JSON'];
    expect(bodiesShownTo({ principal, roles: [wholeRole('READ_ONLY_ADMIN')] }, bodies, ['x'])).toBe(bodies);
  });

  test('and no users finds nothing by a word that is not shown', () => {
    const reader = { principal, roles: [wholeRole('REPORT_ADMIN')] };
    expect(bodiesShownTo(reader, [body], [])).toEqual([withoutValues(body)]);
    expect(bodiesShownTo(reader, [body], ['ada@x.example'])).toHaveLength(1);
    for (const keyword of ['1', '05', 'B']) expect(bodiesShownTo(reader, [body], [keyword])).toEqual([]);
  });
});
