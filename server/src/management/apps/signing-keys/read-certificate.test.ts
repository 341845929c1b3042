import { expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { readCertificate } from './read-certificate.ts';

function refusedWithin(body: Buffer): number {
  const before = process.cpuUsage();
  expect(() => readCertificate('file', body)).toThrow(ApiError);
  const { system, user } = process.cpuUsage(before);
  return (system + user) / 1_000;
}

test.each([
  ['blanks in the middle', (n: number) => `A${' '.repeat(n)}!`],
  ['blanks in a PEM that does not end', (n: number) => `-----BEGIN CERTIFICATE-----A${' \n'.repeat(n / 2)}!`],
  ['equals signs', (n: number) => `A${'='.repeat(n)}!`],
])('%s cost no more than their length', (_, made) => {
  refusedWithin(Buffer.from(made(1_000)));
  expect(refusedWithin(Buffer.from(made(500_000)))).toBeLessThan(300);
});
