import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { defaultCapabilities, FEATURES, isFeatureName, readCapabilities, wireCapabilities } from './feature-rules.ts';

const WORDS = { upper: 'SVC' };

function fieldsOf(run: () => unknown): string[] {
  try {
    run();
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.causes.map(({ errorSummary }) => errorSummary.split(': ')[0] ?? '');
  }
}

describe.each(FEATURES)('%s', (name) => {
  const before = defaultCapabilities(name);

  test('stays as it is where nothing is said, and by what it was', () => {
    for (const nothing of [{}, before, wireCapabilities(name, before, WORDS), { unknown: 1, constructor: 2 }]) {
      expect(readCapabilities(name, nothing, before, WORDS)).toEqual(before);
    }
  });

  test('null falls back, and what is no object is refused', () => {
    for (const member of Object.keys(before)) {
      expect(readCapabilities(name, { [member]: null }, before, WORDS)).toEqual(before);
      for (const wrong of ['text', 5, [], true]) {
        expect(fieldsOf(() => readCapabilities(name, { [member]: wrong }, before, WORDS))).toEqual([member]);
      }
    }
  });
});

test('a change that is partial leaves the rest as it was', () => {
  const name = 'USER_PROVISIONING';
  const first = readCapabilities(
    name,
    { update: { profile: { status: 'ENABLED' }, password: { seed: 'SVC' } } },
    defaultCapabilities(name),
    WORDS,
  );
  const second = readCapabilities(name, { update: { password: { status: 'ENABLED' } } }, first, WORDS);
  expect(second).toEqual({
    create: { lifecycleCreate: { status: 'DISABLED' } },
    update: {
      profile: { status: 'ENABLED' },
      lifecycleDeactivate: { status: 'DISABLED' },
      password: { status: 'ENABLED', seed: 'WORD', change: 'KEEP_EXISTING' },
    },
  });
  expect(wireCapabilities(name, second, { upper: 'OTHER' })).toMatchObject({ update: { password: { seed: 'OTHER' } } });
  expect(fieldsOf(() => readCapabilities(name, { update: { password: { seed: 'OTHER' } } }, first, WORDS))).toEqual([
    'update.password.seed',
  ]);
});

test('a schedule is switched off by null', () => {
  const name = 'INBOUND_PROVISIONING';
  const fullImport = { expression: '0 21 * * Mon', timezone: 'Europe/Berlin' };
  const on = readCapabilities(
    name,
    { importSettings: { schedule: { status: 'ENABLED', fullImport } } },
    defaultCapabilities(name),
    WORDS,
  );
  expect(on).toMatchObject({ importSettings: { schedule: { fullImport, incrementalImport: null } } });
  const off = readCapabilities(
    name,
    { importSettings: { schedule: { status: 'DISABLED', fullImport: null } } },
    on,
    WORDS,
  );
  expect(off).toEqual(defaultCapabilities(name));
  for (const expression of ['', 'now', '* * * *', '0 21 * * Mon; drop', '* * * * * *']) {
    const schedule = { fullImport: { expression } };
    expect(fieldsOf(() => readCapabilities(name, { importSettings: { schedule } }, on, WORDS))).toEqual([
      'importSettings.schedule.fullImport.expression',
    ]);
  }
});

test('of both spellings of a format the one that was changed counts', () => {
  const name = 'INBOUND_PROVISIONING';
  const before = defaultCapabilities(name);
  const username = { userNameExpression: 'user.email' };
  const read = (given: object) =>
    readCapabilities(name, { importSettings: { username: { ...username, ...given } } }, before, WORDS);
  for (const given of [
    { usernameFormat: 'CUSTOM' },
    { userNameFormat: 'CUSTOM' },
    { usernameFormat: 'CUSTOM', userNameFormat: 'EMAIL' },
    { usernameFormat: 'EMAIL', userNameFormat: 'CUSTOM' },
  ]) {
    expect(read(given)).toMatchObject({ importSettings: { username: { ...username, userNameFormat: 'CUSTOM' } } });
  }
});

test('names', () => {
  expect(FEATURES.filter(isFeatureName)).toEqual([...FEATURES]);
  for (const name of ['', 'user_provisioning', 'constructor', 'toString']) expect(isFeatureName(name)).toBe(false);
});
