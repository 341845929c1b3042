import { expect, test } from 'vitest';
import { flowCookies, newFlowCookie, readFlowCookie, readFlowCookies } from './flow-cookie.ts';

const value = newFlowCookie();
const other = newFlowCookie();

test('what is set is read', () => {
  for (const line of flowCookies(value)) {
    const [pair] = line.split(';');
    expect(readFlowCookie({ cookie: `a=b; ${pair}; c=d` })).toBe(value);
    expect(line).toMatch(
      /^__Host-flow(?:-[^=]{8})?=[^;]{43};(?: Max-Age=3600;)? Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
  }
});

/** Returns the cookies that a browser holds after receiving these values one after the other. */
function held(...values: readonly string[]): string {
  const lines = values.flatMap((one) => flowCookies(one)).map((line) => line.split(';')[0]?.split('=') ?? []);
  return [...new Map(lines.map(([name = '', one = '']) => [name, one]))].map((pair) => pair.join('=')).join('; ');
}

test('one of several that were given at once takes the place of none', () => {
  expect(readFlowCookies({ cookie: held(value) })).toEqual([value]);
  expect(readFlowCookies({ cookie: held(value, other) })).toEqual([other, value]);
  const many = Array.from({ length: 30 }, newFlowCookie);
  expect(readFlowCookies({ cookie: held(...many) })).toHaveLength(20);
});

test('a value under the name of another is none', () => {
  expect(readFlowCookies({ cookie: `__Host-flow-${value.slice(0, 8)}=${other}` })).toEqual([]);
});

test('each is a new one', () => {
  expect(other).not.toBe(value);
});

test.each([
  [undefined],
  [''],
  ['__Host-flow='],
  [`flow=${value}`],
  [`__Host-flow=${value}x`],
  [`__Host-flow=${value.slice(1)}`],
  [`__Host-flow=${value.slice(1)}%`],
  [`__Host-flow=${value}; __Host-flow=${other}`],
  [`__Host-flow=${value}; __Host-flow=${value}`],
])('%j is absent', (cookie) => {
  expect(readFlowCookie({ cookie })).toBeNull();
});
