import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAXIMUM_BODY_DEPTH, scanBody } from './body-scan.ts';

const scan = (text: string) => scanBody(Buffer.from(text));

describe('scanBody', () => {
  test.each([
    '{}',
    '[]',
    'null',
    ' {"a":[1,2,{"b":"c"}],"d":null,"e":true} ',
    '{"a":{"x":1},"b":{"x":1}}',
    '[{"id":1},{"id":2}]',
    '{"a":"say \\"hi\\", \\\\ and \\u00e9 é €"}',
    '{"a":"a","b":["a","a","b"]}',
    '{"é":1,"e\\u0301":2}',
  ])('finds nothing in %s', (text) => expect(scan(text)).toBeNull());

  test.each([
    ['{"profile":{"firstName":"x😀"}}', 'fourByteCharacter', 'profile.firstName'],
    ['{"profile":{"firstName":"\\ud83d\\ude00"}}', 'fourByteCharacter', 'profile.firstName'],
    ['{"groupIds":["😀"]}', 'fourByteCharacter', 'groupIds[0]'],
    ['{"groupIds":["a",["b"],{"c":"\\uD83D\\uDE00"}]}', 'fourByteCharacter', 'groupIds[2].c'],
    ['["a","b😀"]', 'fourByteCharacter', '[1]'],
    ['"😀"', 'fourByteCharacter', null],
    ['{"profile":{"a":1,"😀":2}}', 'fourByteCharacter', 'profile'],
    ['{"a":{"b":1},"c":"\\u0000"}', 'nul', 'c'],
    ['{"c":"\0"}', 'nul', 'c'],
    ['{"c":"\\ud83d"}', 'invalidUtf8', 'c'],
    ['{"c":"\\ude00\\ud83d"}', 'invalidUtf8', 'c'],
    ['{"c":"\\ud83d\\ud83d"}', 'invalidUtf8', 'c'],
    ['{"a":1,"a":2}', 'duplicateKey', 'a'],
    ['{"a":{"b":1,"c":[],"b":2}}', 'duplicateKey', 'a.b'],
    ['{"a":1,"\\u0061":2}', 'duplicateKey', 'a'],
    ['{"é":1,"\\u00e9":2}', 'duplicateKey', 'é'],
    ['{"__proto__":{}}', 'forbiddenKey', '__proto__'],
    ['{"a":{"\\u005f_proto__":{}}}', 'forbiddenKey', 'a.__proto__'],
    ['{"constructor":{"prototype":{}}}', 'forbiddenKey', 'constructor'],
    ['{"a":[{"constructor":{"b":1,"\\u0070rototype":2}}]}', 'forbiddenKey', 'a[0].constructor'],
    ['', 'malformed', null],
    ['  \n', 'malformed', null],
    ['{"a":', 'malformed', null],
    ['{"a":"', 'malformed', null],
    ['{"a":"\\', 'malformed', null],
    ['{"a":[1}', 'malformed', null],
    ['{}}', 'malformed', null],
    ['1,2', 'malformed', null],
    ['{"a":"\\u12g4"}', 'malformed', 'a'],
    ['{"a":"line\nbreak"}', 'malformed', 'a'],
    ['{"a\\x":1}', 'malformed', null],
    ['\ufeff{}', 'malformed', null],
    ['{"a":é}', 'malformed', null],
  ])('finds in %j: %s at %j', (text, kind, field) => expect(scan(text)).toEqual({ kind, field }));

  test.each([[[0xff]], [[0xc0, 0x80]], [[0xed, 0xa0, 0x80]], [[0xe2, 0x82]], [[0xf5, 0x80, 0x80, 0x80]]])(
    'refuses the bytes %j as invalid UTF-8',
    (bytes) => {
      const raw = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
      expect(scanBody(raw)).toEqual({ kind: 'invalidUtf8', field: null });
    },
  );

  test('allows the depth of the bound and no more', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(scan(nested(MAXIMUM_BODY_DEPTH))).toBeNull();
    expect(scan(nested(MAXIMUM_BODY_DEPTH + 1))?.kind).toBe('tooDeep');
    expect(scan(nested(10_000))?.kind).toBe('tooDeep');
  });

  test('cuts the path of a very long key', () => {
    expect(scan(`{"${'k'.repeat(10_000)}":"\\u0000"}`)?.field).toHaveLength(200);
  });

  test.each([
    ['many short keys', `{${Array.from({ length: 110_000 }, (_, index) => `"${index.toString(36)}":1`).join(',')}}`],
    ['many small objects', `[${'{"a":1,"b":2},'.repeat(75_000)}{}]`],
    ['one long text', JSON.stringify({ a: 'é'.repeat(500_000) })],
    ['escapes only', `["${'\\u00e9'.repeat(170_000)}"]`],
    ['escaped keys', `[${'{"\\u00e9":1},'.repeat(80_000)}{}]`],
    ['open brackets', '['.repeat(1_000_000)],
    ['quotes only', '""'.repeat(500_000)],
  ])('is linear: 1 MB of %s', (_, text) => {
    const cpuMilliseconds = (scanned: Buffer): number => {
      const start = process.cpuUsage();
      scanBody(scanned);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    };
    const whole = Buffer.from(text);
    const sixteenth = Buffer.from(text.slice(0, text.length / 16));
    // The best CPU times of alternating runs are compared, so that neither other programs nor a slow machine matter.
    // Linear work takes 16 times as long for the whole, or twice that if its keys no longer fit into the processor's
    // caches. Quadratic work takes 256 times as long.
    const times = Array.from({ length: 10 }, () => [cpuMilliseconds(sixteenth), cpuMilliseconds(whole)] as const);
    const [least, most] = [Math.min(...times.map(([time]) => time)), Math.min(...times.map(([, time]) => time))];
    expect(most / Math.max(least, 0.1)).toBeLessThan(80);
  });
});

const plainText = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\0\ud800-\udfff]/g, ''));
const key = plainText.filter((text) => text !== '__proto__' && text !== 'prototype');
const { value: jsonValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(plainText, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
}));

type Step = string | number;
const step = fc.oneof(fc.stringMatching(/^[a-zé]{1,5}$/), fc.nat({ max: 3 }));
const pathOf = (steps: readonly Step[]) =>
  steps.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`)).join('');
const nest = (steps: readonly Step[], leaf: unknown, filler: unknown): unknown =>
  steps.reduceRight<unknown>(
    (inner, part) =>
      typeof part === 'number'
        ? [...Array.from({ length: part }, () => filler), inner]
        : { UNUSED: filler, [part]: inner },
    leaf,
  );
const escapeAll = (text: string) =>
  text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

describe('scanBody, for any JSON value', () => {
  test('finds nothing where there is nothing, raw, escaped or indented', () => {
    fc.assert(
      fc.property(jsonValue, fc.nat({ max: 3 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(scan(text)).toBeNull();
        expect(scan(escapeAll(text))).toBeNull();
      }),
    );
  });

  test('names the field of an injected character', () => {
    const injected = fc.constantFrom(
      ['😀', 'fourByteCharacter'] as const,
      ['\0', 'nul'] as const,
      ['\u{10ffff}', 'fourByteCharacter'] as const,
    );
    const steps = fc.array(step, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        steps,
        plainText,
        plainText,
        injected,
        jsonValue,
        (path, before, after, [character, kind], filler) => {
          const text = JSON.stringify(nest(path, before + character + after, filler));
          expect(scan(text)).toEqual({ kind, field: pathOf(path) });
          expect(scan(escapeAll(text))).toEqual({ kind, field: pathOf(path) });
        },
      ),
    );
  });

  test('finds any key given twice', () => {
    fc.assert(
      fc.property(fc.dictionary(key, jsonValue, { minKeys: 1, maxKeys: 5 }), fc.nat(), (object, choice) => {
        const keys = Object.keys(object);
        const again = keys[choice % keys.length] ?? '';
        const text = `${JSON.stringify(object).slice(0, -1)},${JSON.stringify(again)}:1}`;
        expect(scan(text)?.kind).toBe('duplicateKey');
      }),
    );
  });
});
