import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { expressionsIn, expressionsOfServer, judge } from './regular-expressions.ts';

// Every event loop serves all orgs, so a regular expression that is slow on one org's input would block the others.

/** Expressions that earlier runs found safe. They are not checked again. */
const SAFE = new Set(
  JSON.parse(
    readFileSync(join(fileURLToPath(new URL('.', import.meta.url)), 'safe-expressions.json'), 'utf8'),
  ) as string[],
);

/** Files that build expressions at run time, with the reason why those expressions run in linear time. */
const MADE: Readonly<Record<string, string>> = {
  'server/src/expression/pattern.ts': 'It is parsed to see whether it can be, without a flag, and meets no text.',
  'server/src/app/openapi/document.ts':
    'The word of the namespace, which has at most a few letters, and one sign behind it.',
  'server/src/expression/functions/time-patterns.ts': 'Digits, so many at most, at the beginning.',
  'server/src/management/log-streams/settings/member-rules.ts':
    'One of the constants of stream-types-rules.ts, each of bounded length.',
  'server/src/platform/http/request/multipart.ts': 'Behind a semicolon, up to a quote or a blank: no two runs overlap.',
  'server/src/platform/http/routing/route-index.ts': 'The address of a route of ours: segments up to the next slash.',
  'server/src/platform/mail/plain-text.ts': 'A word of ours.',
  'server/src/system-log/query/keyword-pattern.ts': 'Single characters between two others; nothing is repeated.',
};

describe('regular expressions of the server', () => {
  const found = expressionsOfServer();
  const isMadeLater = (one: string): boolean => !one.startsWith('/');

  test('are seen', () => {
    expect(found.size).toBeGreaterThan(250);
  });

  test('those that are made while it runs say why they are linear', () => {
    const files = new Set([...found].filter(([one]) => isMadeLater(one)).map(([, file]) => file));
    expect([...files].toSorted()).toEqual(Object.keys(MADE).toSorted());
  });

  test('run in linear time', async () => {
    const unknown = [...found.keys()].filter((one) => !isMadeLater(one) && !SAFE.has(one));
    const verdicts = await judge(unknown);
    const wrong = unknown.flatMap((one, index) =>
      verdicts[index] === 'safe' ? [] : [`${found.get(one)}: ${one}: ${verdicts[index]}`],
    );
    expect(wrong).toEqual([]);
    // Expressions that are not in `SAFE` are checked in every run, which is slow, so only a few may be missing.
    expect(unknown.length, unknown.map((one) => JSON.stringify(one)).join(',\n')).toBeLessThanOrEqual(20);
  }, 120_000);
});

test('the judge finds those that stopped the service', async () => {
  const source = String.raw`
    const BASE64 = /^[A-Za-z\d+/_\-\s]+={0,2}\s*$/;
    const LINK = String.raw${'`'}(?:href|src)\s*=\s*["']?\s*(?:[a-z]+:|\/\/)${'`'};
    const ACTIVE = new RegExp([LINK, 'javascript:'].join('|'), 'i');
    const LATER = new RegExp(given);
  `;
  const expressions = expressionsIn('canary.ts', source);
  expect(expressions).toHaveLength(3);
  const verdicts = await judge(expressions);
  expect(verdicts).toEqual([
    expect.stringContaining('polynomial'),
    expect.stringContaining('polynomial'),
    'its text is known only while the server runs',
  ]);
}, 120_000);
