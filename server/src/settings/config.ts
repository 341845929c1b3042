import { OperatorError } from '../kernel/errors/operator-error.ts';
import { thisMachine } from './cores.ts';
import { type Environment, type FormerNameInUse, formerNameConflicts, formerNamesIn, textOf } from './former-names.ts';
import { SETTINGS, type Setting, type SettingKey } from './settings.ts';
import { connectionShortage, type Sizes, type Sizing, sizesFitting } from './sizes.ts';

export { type Environment, formerNameText } from './former-names.ts';
export { SETTINGS, type SettingKey } from './settings.ts';
export { connectionShortage, connectionsNeeded, type Sizes, sizesFitting } from './sizes.ts';

type Row<Key extends SettingKey> = (typeof SETTINGS)[Key];
type ValueOf<Key extends SettingKey> = Row<Key> extends Setting<infer Value> ? Value : never;

/** Settings that are null if they are absent. Every other setting has a value. */
type Optional =
  | 'databaseUrl'
  | 'databaseReplicaUrl'
  | 'tlsCertificateFile'
  | 'tlsKeyFile'
  | 'masterKey'
  | 'masterKeyPrevious'
  | 'smtpUrl'
  | 'geographyFile'
  | 'asnFile'
  | 'awsAccessKeyId'
  | 'awsSecretAccessKey'
  | 'awsSessionToken'
  | 'awsEventBridgeUrl'
  | 'rateLimitPerMinute';

export type Config = {
  readonly [Key in SettingKey]: Key extends Optional ? ValueOf<Key> | null : ValueOf<Key>;
} & {
  /** The facts from which the sizes are derived anew once the database's limit is known. */
  readonly sizing: Sizing;
};

/** The message lists all problems that were found, so that the operator can correct them together. */
export class ConfigError extends OperatorError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings can't be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const PREFIX = 'GATEHOUSE_';
const KEYS = Object.keys(SETTINGS) as SettingKey[];
const NAMES: readonly string[] = KEYS.map((key) => SETTINGS[key].name);

const MOST_EMBEDDED_CONNECTIONS = 1000;

function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

function unknownNames(environment: Environment): string[] {
  const known = new Set([...NAMES, ...formerNamesIn(environment).map(({ formerName }) => formerName)]);
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name))
    .sort()
    .map((name) => {
      const nearest = [...NAMES].sort((one, other) => distance(name, one) - distance(name, other))[0];
      return `${name} is not a setting; the nearest is ${nearest}`;
    });
}

/** Returns the former name only if the variable with the present name has no value. */
function nameInUse({ formerly, name }: Setting<unknown>, environment: Environment): string {
  const isFormer = formerly !== undefined && textOf(environment, name) === null;
  return isFormer && textOf(environment, formerly.name) !== null ? formerly.name : name;
}

type Parsed = { readonly [Key in SettingKey]: ValueOf<Key> | null };

function parse(environment: Environment, problems: string[]): Parsed {
  const read = (key: SettingKey): unknown => {
    const row: Setting<unknown> = SETTINGS[key];
    const name = nameInUse(row, environment);
    const text = textOf(environment, name) ?? row.default;
    if (text === null) return null;
    try {
      return row.read(text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.push(`${name} ${error.message}`);
      return null;
    }
  };
  return Object.fromEntries(KEYS.map((key) => [key, read(key)])) as Parsed;
}

function contradictions(parsed: Parsed, { workers, databasePoolSize }: Sizes): string[] {
  const { port, managementPort } = parsed;
  const problems: string[] = [];
  if ((parsed.tlsCertificateFile === null) !== (parsed.tlsKeyFile === null)) {
    problems.push('GATEHOUSE_TLS_CERT and GATEHOUSE_TLS_KEY go together: set both or none');
  }
  if ((parsed.awsAccessKeyId === null) !== (parsed.awsSecretAccessKey === null)) {
    problems.push('GATEHOUSE_AWS_ACCESS_KEY_ID and GATEHOUSE_AWS_SECRET_ACCESS_KEY go together: set both or none');
  }
  if (port !== null && (managementPort === port || (managementPort === null && port === 65_535))) {
    problems.push('GATEHOUSE_MANAGEMENT_PORT must be another port than GATEHOUSE_PORT');
  }
  if (parsed.databaseUrl !== null && parsed.masterKey === null) {
    problems.push(
      'GATEHOUSE_MASTER_KEY is required with GATEHOUSE_DATABASE_URL: every process needs the same key. ' +
        'Make one with: openssl rand -base64 32',
    );
  }
  if (parsed.databaseReplicaUrl !== null && parsed.databaseUrl === null) {
    problems.push(
      'GATEHOUSE_DATABASE_REPLICA_URL needs GATEHOUSE_DATABASE_URL: the embedded PostgreSQL has no standbys',
    );
  }
  if (parsed.databaseUrl === null) {
    const shortage = connectionShortage({ workers, databasePoolSize }, MOST_EMBEDDED_CONNECTIONS);
    if (shortage !== null) problems.push(shortage);
  }
  return problems;
}

/** Derives absent settings whose default depends on other settings. */
function derive(parsed: Parsed): Partial<Parsed> {
  const { port, trustedProxies } = parsed;
  const isBehindProxies = trustedProxies !== null && trustedProxies.length > 0;
  return {
    managementPort: parsed.managementPort ?? (port === null ? null : port + 1),
    publicPort: parsed.publicPort ?? (isBehindProxies ? 443 : port),
    mailFrom: parsed.mailFrom ?? `no-reply@${parsed.baseDomain}`,
  };
}

function freezeDeep<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) freezeDeep(part);
    Object.freeze(value);
  }
  return value;
}

/** Reads the environment. Throws ConfigError with the problems found. */
export function loadConfig(environment: Environment = process.env, machine = thisMachine()): Config {
  const problems = [...unknownNames(environment), ...formerNameConflicts(environment)];
  const misnamed = problems.length;
  const parsed = parse(environment, problems);
  const { databasePoolSize, passwordHashWorkers, workers } = parsed;
  const sizing: Sizing = { given: { databasePoolSize, passwordHashWorkers, workers }, machine };
  const sizes = sizesFitting(sizing);
  // If some values can't be read, reporting contradictions would be misleading.
  if (problems.length === misnamed) problems.push(...contradictions(parsed, sizes));
  if (problems.length > 0) throw new ConfigError(problems);
  return freezeDeep({ ...parsed, ...derive(parsed), ...sizes, sizing } as Config);
}

export const formerNamesInUse = (environment: Environment = process.env): FormerNameInUse[] =>
  formerNamesIn(environment);

export interface DescribedSetting {
  readonly name: string;
  readonly value: string;
  readonly source: 'environment' | 'default';
  readonly meaning: string;
}

const MASK = '********';

/** Masks everything between the user name and the last `@`, and every password among the parameters. */
const maskPassword = (url: string): string =>
  url.replace(/^([a-z]+:\/\/[^:/?#@]*):.*@/i, `$1:${MASK}@`).replace(/([?&](?:[a-z]*password)=)[^&#]*/gi, `$1${MASK}`);

function shown(key: SettingKey, text: string | null, config: Config): string {
  const row: Setting<unknown> = SETTINGS[key];
  const value = config[key];
  if (text === null) {
    if (typeof value === 'number' || typeof value === 'string') return String(value);
    return row.otherwise === undefined ? '' : `(${row.otherwise})`;
  }
  if (row.secret === 'password') return maskPassword(text);
  const isPath = (key === 'masterKey' || key === 'masterKeyPrevious') && config[key]?.kind === 'file';
  return row.secret === 'whole' && !isPath ? MASK : text;
}

/** Returns the settings in effect, with secrets masked. */
export function describeConfig(environment: Environment = process.env): DescribedSetting[] {
  const config = loadConfig(environment);
  return KEYS.map((key) => {
    const { name, meaning } = SETTINGS[key];
    const text = textOf(environment, nameInUse(SETTINGS[key], environment));
    return { name, value: shown(key, text, config), source: text === null ? 'default' : 'environment', meaning };
  });
}

export const cidrText = ({ address, prefixLength }: Config['trustedProxies'][number]): string =>
  `${address}/${prefixLength}`;

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

/**
 * Tells whether the first org has the address `localhost` itself. This requires a server on loopback, because the name
 * does not lead to the server from other machines.
 */
export const isAtLocalhost = ({ baseDomain, host }: Pick<Config, 'baseDomain' | 'host'>): boolean =>
  baseDomain === 'localhost' && LOOPBACK.test(host);

/**
 * Tells whether a page may show emails and their links. This requires that no mail server is set and that only this
 * machine can reach the page.
 */
export const showsMails = (config: Config): boolean =>
  config.smtpUrl === null &&
  LOOPBACK.test(config.host) &&
  /(?:^|\.)localhost$/.test(config.baseDomain) &&
  config.tlsCertificateFile === null &&
  config.trustedProxies.length === 0;
