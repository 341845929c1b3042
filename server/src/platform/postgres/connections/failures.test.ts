import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { invalid } from '../../../kernel/errors/errors.ts';
import { asApiError, constraintOf, failureCode, isRetryable, isUnavailable } from './failures.ts';

const CONSTRAINTS = { users_login_key: () => invalid('login', 'is taken.') };

function databaseError(code: string, message: string, constraint?: string): pg.DatabaseError {
  const error = new pg.DatabaseError(message, message.length, 'error');
  return Object.assign(error, { code, constraint });
}

describe('a violated constraint becomes the error of the API', () => {
  const message = 'duplicate key value violates unique constraint "users_login_key"';

  test('that PostgreSQL names', () => {
    expect(asApiError(databaseError('23505', message, 'users_login_key'), CONSTRAINTS)).toMatchObject({
      code: 'E0000001',
    });
  });

  test('of a shard, whose number a worker of Citus appends', () => {
    const ofShard = message.replace('_key"', '_key_102008"');
    expect(asApiError(databaseError('23505', ofShard), CONSTRAINTS)).toMatchObject({ code: 'E0000001' });
  });

  test('of a row that Citus has copied to a shard, as an internal error', () => {
    const copied = databaseError('XX000', message.replace('_key"', '_key_102008"'));
    expect(asApiError(copied, CONSTRAINTS)).toMatchObject({ code: 'E0000001' });
  });

  test('but not another constraint, nor a message of another error', () => {
    const other = databaseError('23505', message.replaceAll('login', 'id'));
    expect(asApiError(other, CONSTRAINTS)).toBe(other);
    const unlike = databaseError('42P01', 'no constraint "users_login_key_102008"');
    expect(asApiError(unlike, CONSTRAINTS)).toBe(unlike);
  });
});

describe('an error that Citus passes on as an internal one', () => {
  const copied = (message: string) => databaseError('XX000', message);

  test('has the code of its message', () => {
    expect(isRetryable(copied('deadlock detected'))).toBe(true);
    expect(isRetryable(copied('could not serialize access due to concurrent update'))).toBe(true);
    expect(isUnavailable(copied('canceling statement due to lock timeout'))).toBe(true);
    expect(isUnavailable(copied('could not extend file "base/1/2": No space left on device'))).toBe(true);
    const refused = copied('new row for relation "users_102008" violates check constraint "users_status_check_102008"');
    expect([failureCode(refused), constraintOf(refused)]).toEqual(['23514', 'users_status_check']);
  });

  test('unless nothing is known of it', () => {
    expect(failureCode(copied('cache lookup failed for type 0'))).toBe('XX000');
    expect(failureCode(databaseError('42703', 'deadlock detected'))).toBe('42703');
    expect(failureCode(new Error('deadlock detected'))).toBeUndefined();
  });
});
