import { assert, constantFrom, property, string } from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FORMERLY, renameSetting, restoreSetting } from '../../test/support/renamed-setting.ts';
import {
  ConfigError,
  describeConfig,
  type Environment,
  formerNamesInUse,
  formerNameText,
  loadConfig,
  SETTINGS,
  showsMails,
} from './config.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

function problemsOf(environment: Environment): readonly string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const machineOf = (cores: number) => ({ cores, memoryBytes: Number.POSITIVE_INFINITY });

test('the defaults', () => {
  expect(loadConfig({ PATH: '/bin' }, machineOf(1))).toEqual({
    dataDirectory: './data',
    host: '127.0.0.1',
    port: 8443,
    managementHost: '127.0.0.1',
    managementPort: 8444,
    publicPort: 8443,
    baseDomain: 'localhost',
    namespace: 'svc',
    databaseUrl: null,
    databaseReplicaUrl: null,
    databasePoolSize: 20,
    tlsCertificateFile: null,
    tlsKeyFile: null,
    trustedProxies: [],
    workers: 1,
    masterKey: null,
    masterKeyPrevious: null,
    geographyFile: null,
    asnFile: null,
    smtpUrl: null,
    mailFrom: 'no-reply@localhost',
    logFilesMegabytes: 10_000,
    awsAccessKeyId: null,
    awsSecretAccessKey: null,
    awsSessionToken: null,
    awsEventBridgeUrl: null,
    logLevel: 'info',
    rateLimitPerMinute: null,
    outboundNetworks: [],
    passwordHashWorkers: 1,
    logQueryTimeoutSeconds: 30,
    logBacklogEvents: 200_000,
    logBacklogSeconds: 60,
    drainSeconds: 0,
    sizing: { given: { workers: null, databasePoolSize: null, passwordHashWorkers: null }, machine: machineOf(1) },
  });
});

describe('mails stand on a page', () => {
  test.each([{}, { GATEHOUSE_HOST: '::1' }, { GATEHOUSE_BASE_DOMAIN: 'gatehouse.localhost' }])('with %j', (given) =>
    expect(showsMails(loadConfig(given))).toBe(true),
  );

  test.each([
    { GATEHOUSE_SMTP_URL: 'smtp://mail.example' },
    { GATEHOUSE_HOST: '0.0.0.0' },
    { GATEHOUSE_HOST: '127.0.0.1.example.com' },
    { GATEHOUSE_BASE_DOMAIN: 'id.example.com' },
    { GATEHOUSE_BASE_DOMAIN: 'notlocalhost' },
    { GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' },
    { GATEHOUSE_TLS_CERT: '/c.pem', GATEHOUSE_TLS_KEY: '/k.pem' },
  ])('and never with %j', (given) => expect(showsMails(loadConfig(given))).toBe(false));
});

test('an empty variable is an absent one', () => {
  expect(loadConfig({ GATEHOUSE_PORT: '', GATEHOUSE_DATABASE_URL: '' }, machineOf(2))).toEqual(
    loadConfig({}, machineOf(2)),
  );
});

test('is frozen, lists too', () => {
  const config = loadConfig({ GATEHOUSE_TRUSTED_PROXIES: '10.0.0.1' });
  expect(Object.isFrozen(config)).toBe(true);
  expect(Object.isFrozen(config.trustedProxies)).toBe(true);
  expect(Object.isFrozen(config.trustedProxies[0])).toBe(true);
});

describe('derived values', () => {
  test('follow the port', () => {
    expect(loadConfig({ GATEHOUSE_PORT: '9000' })).toMatchObject({ managementPort: 9001, publicPort: 9000 });
  });

  test('behind trusted proxies the public port is 443, unless set', () => {
    const proxies = { GATEHOUSE_TRUSTED_PROXIES: '10.0.0.0/8, ::1' };
    expect(loadConfig(proxies)).toMatchObject({
      publicPort: 443,
      trustedProxies: [
        { address: '10.0.0.0', prefixLength: 8, family: 'ipv4' },
        { address: '::1', prefixLength: 128, family: 'ipv6' },
      ],
    });
    expect(loadConfig({ ...proxies, GATEHOUSE_PUBLIC_PORT: '8443' }).publicPort).toBe(8443);
  });

  test('mail comes from the base domain', () => {
    expect(loadConfig({ GATEHOUSE_BASE_DOMAIN: 'id.example.com' }).mailFrom).toBe('no-reply@id.example.com');
  });
});

describe('what is accepted', () => {
  test.each([
    ['GATEHOUSE_DATABASE_URL', 'postgres://user:pass@db.example:5432/gatehouse?sslmode=require'],
    ['GATEHOUSE_DATABASE_URL', 'postgresql:///gatehouse?host=/run/postgresql'],
    ['GATEHOUSE_DATABASE_URL', 'postgresql://user@/gatehouse?host=/run/postgresql'],
    ['GATEHOUSE_DATABASE_URL', 'postgres://me@one:5432,two.example,[2001:db8::1]:5433/db?target_session_attrs=primary'],
    ['GATEHOUSE_DATABASE_URL', 'postgres://me@one,two/db?target_session_attrs=read-write&sslmode=require'],
    ['GATEHOUSE_SMTP_URL', 'smtps://user:pass@mail.example:465'],
    ['GATEHOUSE_MAIL_FROM', 'Example Login <login@example.com>'],
    ['GATEHOUSE_HOST', '::'],
    ['GATEHOUSE_NAMESPACE', 'okta'],
    ['GATEHOUSE_MASTER_KEY', '/run/secrets/key'],
    ['GATEHOUSE_MASTER_KEY', KEY],
  ])('%s=%s', (name, value) => {
    expect(problemsOf({ GATEHOUSE_MASTER_KEY: KEY, [name]: value })).toEqual([]);
  });
});

describe('what is refused', () => {
  test.each([
    ['GATEHOUSE_PORT', ['0', '65536', '8443x', '-1', '1e3', ' 80', '0x50']],
    ['GATEHOUSE_NAMESPACE', ['Okta', 'a', '1ab', 'a-b', 'abcdefghijklmnopq']],
    ['GATEHOUSE_BASE_DOMAIN', ['127.0.0.1', 'Example.com', 'a..b', 'example.com.', 'example.com:443', '-a.com']],
    ['GATEHOUSE_HOST', ['a b', 'http://x']],
    ['GATEHOUSE_DATABASE_URL', ['mysql://x/y', 'db.example', 'postgres://[', 'postgres://one,,two/db']],
    ['GATEHOUSE_DATABASE_URL', ['postgres://one,two:x/db', 'postgres://one,two/db?target_session_attrs=any']],
    [
      'GATEHOUSE_DATABASE_REPLICA_URL',
      ['mysql://x/y', 'postgres://one,/db', 'postgres://one/db?target_session_attrs=any'],
    ],
    ['GATEHOUSE_SMTP_URL', ['http://mail', 'mail:25']],
    ['GATEHOUSE_MAIL_FROM', ['nobody', 'a@b\r\nBcc: c@d', 'x <y>']],
    ['GATEHOUSE_OUTBOUND_NETWORKS', ['10.0.0.0/33', 'logs.internal', '10.0.0.0/8;::1', '*']],
    ['GATEHOUSE_TRUSTED_PROXIES', ['10.0.0.0/33', '10.0.0', '10.0.0.0/8/8', '10.0.0.0/x', 'fe80::/129', '*']],
    ['GATEHOUSE_LOG_LEVEL', ['verbose', 'INFO']],
    ['GATEHOUSE_WORKERS', ['0', 'auto', '65']],
    ['GATEHOUSE_MASTER_KEY', ['c2hvcnQ=', 'secret-phrase']],
  ])('%s', (name, values) => {
    for (const value of values) {
      expect(problemsOf({ [name]: value }), value).toEqual([expect.stringMatching(new RegExp(`^${name} must `))]);
    }
  });

  test('an unknown name, with the nearest one', () => {
    expect(problemsOf({ GATEHOUSE_PROT: '1', GATEHOUSE_DATABSE_URL: 'x' })).toEqual([
      'GATEHOUSE_DATABSE_URL is not a setting; the nearest is GATEHOUSE_DATABASE_URL',
      'GATEHOUSE_PROT is not a setting; the nearest is GATEHOUSE_PORT',
    ]);
  });

  test('all problems at once', () => {
    expect(problemsOf({ GATEHOUSE_PORT: 'x', GATEHOUSE_WORKERS: '0', GATEHOUSE_X: '' })).toHaveLength(3);
  });

  test.each([
    [{ GATEHOUSE_TLS_CERT: 'a.pem' }, 'both or none'],
    [{ GATEHOUSE_TLS_KEY: 'a.pem' }, 'both or none'],
    [{ GATEHOUSE_PORT: '8000', GATEHOUSE_MANAGEMENT_PORT: '8000' }, 'another port'],
    [{ GATEHOUSE_PORT: '65535' }, 'another port'],
    [{ GATEHOUSE_DATABASE_URL: 'postgres://db/x' }, 'GATEHOUSE_MASTER_KEY is required'],
    [{ GATEHOUSE_DATABASE_REPLICA_URL: 'postgres://db/x' }, 'REPLICA_URL needs GATEHOUSE_DATABASE_URL'],
    [{ GATEHOUSE_WORKERS: '60', GATEHOUSE_DATABASE_POOL_SIZE: '20' }, 'is 1210, but the database allows 1000'],
  ])('settings that contradict each other: %j', (environment, text) => {
    expect(problemsOf(environment)).toEqual([expect.stringContaining(text)]);
  });

  test('a mistyped key is not repeated', () => {
    expect(problemsOf({ GATEHOUSE_MASTER_KEY: 'hunter2-hunter2' }).join()).not.toContain('hunter2');
  });
});

test('any text is read or refused as ConfigError, never otherwise', () => {
  const names = Object.values(SETTINGS).map(({ name }) => name);
  assert(
    property(constantFrom(...names), string({ maxLength: 60 }), (name, value) => {
      expect(Array.isArray(problemsOf({ [name]: value }))).toBe(true);
    }),
  );
});

describe('the listing', () => {
  test('has every setting, its source, and no secret', () => {
    const listed = describeConfig({
      GATEHOUSE_DATABASE_URL: 'postgres://me:hunter2@db/x?sslpassword=hunter2',
      GATEHOUSE_SMTP_URL: 'smtp://me:hun:ter2@h@mail',
      GATEHOUSE_MASTER_KEY: KEY,
      GATEHOUSE_PORT: '9000',
    });
    const values = Object.fromEntries(listed.map(({ name, value }) => [name, value]));
    expect(listed.map(({ name }) => name)).toEqual(Object.values(SETTINGS).map(({ name }) => name));
    expect(values).toMatchObject({
      GATEHOUSE_DATABASE_URL: 'postgres://me:********@db/x?sslpassword=********',
      GATEHOUSE_SMTP_URL: 'smtp://me:********@mail',
      GATEHOUSE_MASTER_KEY: '********',
      GATEHOUSE_PORT: '9000',
      GATEHOUSE_MANAGEMENT_PORT: '9001',
      GATEHOUSE_TLS_CERT: '(certificates of the local CA)',
    });
    expect(listed.filter(({ source }) => source === 'environment')).toHaveLength(4);
  });

  test('shows where a key file lies', () => {
    const listed = describeConfig({ GATEHOUSE_MASTER_KEY: '/run/key' });
    expect(listed.find(({ name }) => name === 'GATEHOUSE_MASTER_KEY')?.value).toBe('/run/key');
  });
});

describe('a setting that was renamed', () => {
  beforeEach(renameSetting);
  afterEach(restoreSetting);
  const drainSecondsOf = (environment: Environment): number => loadConfig(environment).drainSeconds;

  test('is read by its former name where the present one is absent or empty', () => {
    expect(drainSecondsOf({ [FORMERLY.name]: '7' })).toBe(7);
    expect(drainSecondsOf({ [FORMERLY.name]: '7', GATEHOUSE_DRAIN_SECONDS: '' })).toBe(7);
    expect(drainSecondsOf({ [FORMERLY.name]: '', GATEHOUSE_DRAIN_SECONDS: '8' })).toBe(8);
    expect(drainSecondsOf({ [FORMERLY.name]: '8', GATEHOUSE_DRAIN_SECONDS: '8' })).toBe(8);
    expect(drainSecondsOf({ [FORMERLY.name]: '' })).toBe(0);
  });

  test('is refused under two names with different values, without repeating them', () => {
    expect(problemsOf({ [FORMERLY.name]: '123', GATEHOUSE_DRAIN_SECONDS: '124' })).toEqual([
      'GATEHOUSE_DRAIN_SECONDS and its former name GATEHOUSE_DRAIN_TIME are set to different values: ' +
        'remove GATEHOUSE_DRAIN_TIME',
    ]);
  });

  test('is named as the operator named it when its value is refused', () => {
    expect(problemsOf({ [FORMERLY.name]: '301' })).toEqual([
      'GATEHOUSE_DRAIN_TIME must be a whole number from 0 to 300',
    ]);
  });

  test('is listed under its present name', () => {
    const listed = describeConfig({ [FORMERLY.name]: '7' });
    expect(listed).toContainEqual(expect.objectContaining({ name: 'GATEHOUSE_DRAIN_SECONDS', value: '7' }));
    expect(listed.map(({ name }) => name)).not.toContain(FORMERLY.name);
  });

  test('is reported while its former name is set at all', () => {
    expect(formerNamesInUse({ GATEHOUSE_DRAIN_SECONDS: '7' })).toEqual([]);
    for (const value of ['7', '']) {
      expect(formerNamesInUse({ [FORMERLY.name]: value }).map(formerNameText)).toEqual([
        'GATEHOUSE_DRAIN_TIME is now GATEHOUSE_DRAIN_SECONDS: ' +
          'rename the variable before release 99.0.0, which refuses the old name',
      ]);
    }
  });

  test('has no former name any more once its row forgets it', () => {
    restoreSetting();
    expect(problemsOf({ [FORMERLY.name]: '7' })).toEqual([expect.stringContaining('is not a setting')]);
  });
});
