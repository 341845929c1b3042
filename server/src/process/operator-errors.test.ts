import { expect, test } from 'vitest';
import { apiError, invalid } from '../kernel/errors/errors.ts';
import { OperatorError } from '../kernel/errors/operator-error.ts';
import { ConfigError } from '../settings/config.ts';
import { EXIT } from './exit-codes.ts';
import { aboutSetting, exitCodeOf, isReported, operatorMessage, WorkerEndedError } from './operator-errors.ts';

const failed = (message: string, facts: object) => Object.assign(new Error(message), facts);
const listening = { syscall: 'listen', address: '::', port: 8_443 };

test.each([
  ['no error', 'text', null],
  ['an unknown error', new Error('broken'), null],
  ['an error for operators', new OperatorError('Stop the other process.'), 'Stop the other process.'],
  ['an error without causes', apiError('E0000038'), apiError('E0000038').message],
  ['an error with a cause', invalid('name', 'is taken.'), 'name: is taken.'],
  [
    'a port in use',
    failed('x', { ...listening, code: 'EADDRINUSE' }),
    ':::8443 is in use by another program. Set GATEHOUSE_PORT to another port.',
  ],
  [
    'the port of another setting in use',
    aboutSetting(failed('x', { syscall: 'bind', code: 'EADDRINUSE' }), 'GATEHOUSE_METRICS_PORT'),
    'address is in use by another program. Set GATEHOUSE_METRICS_PORT to another port.',
  ],
  [
    'an address of another machine',
    failed('address not available', { ...listening, code: 'EADDRNOTAVAIL' }),
    "Can't listen on :::8443: address not available",
  ],
  [
    'a file that is missing',
    failed('x', { code: 'ENOENT', syscall: 'open', path: '/srv/key.pem' }),
    "Can't open /srv/key.pem: it or a folder above it does not exist.",
  ],
  ['a file with another problem', failed('x', { code: 'EBUSY', syscall: 'open', path: '/srv/key.pem' }), null],
  [
    'a database that cannot be reached',
    failed('connect ENOENT /srv/.s.PGSQL.5432', { code: 'ENOENT', syscall: 'connect', path: '/srv/.s.PGSQL.5432' }),
    "The database can't be reached: connect ENOENT /srv/.s.PGSQL.5432",
  ],
])('%s', (_, error, message) => {
  expect(operatorMessage(error)).toBe(message);
});

test('a worker that has ended leaves its exit code, and has told the reason unless a signal ended it', () => {
  const byItself = new WorkerEndedError(EXIT.usage, '');
  const bySignal = new WorkerEndedError(null, 'SIGKILL');
  expect([byItself, bySignal].map(isReported)).toEqual([true, false]);
  expect([byItself, bySignal].map(exitCodeOf)).toEqual([EXIT.usage, EXIT.failure]);
  expect(operatorMessage(bySignal)).toBe('A worker was ended by SIGKILL while it was starting.');
  expect(isReported(new Error('broken'))).toBe(false);
});

test('wrong settings have an exit code of their own', () => {
  expect(exitCodeOf(new ConfigError(['GATEHOUSE_PORT must be a number.']))).toBe(EXIT.usage);
  expect(exitCodeOf(new Error('broken'))).toBe(EXIT.failure);
});
