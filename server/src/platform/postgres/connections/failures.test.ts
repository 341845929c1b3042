import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { invalid } from '../../../kernel/errors/errors.ts';
import { asApiError } from './failures.ts';

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

  test('but not another constraint, nor a message of another error', () => {
    const other = databaseError('23505', message.replaceAll('login', 'id'));
    expect(asApiError(other, CONSTRAINTS)).toBe(other);
    const unlike = databaseError('42P01', 'no constraint "users_login_key_102008"');
    expect(asApiError(unlike, CONSTRAINTS)).toBe(unlike);
  });
});
