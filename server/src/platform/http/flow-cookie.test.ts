import { expect, test } from 'vitest';
import { flowCookie, newFlowCookie, readFlowCookie } from './flow-cookie.ts';

const value = newFlowCookie();
const other = newFlowCookie();

test('what is set is read', () => {
  const [pair] = flowCookie(value).split(';');
  expect(readFlowCookie({ cookie: `a=b; ${pair}; c=d` })).toBe(value);
  expect(flowCookie(value)).toMatch(/^__Host-flow=[^;]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
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
