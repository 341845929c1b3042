import { invalid } from '../../../kernel/errors/errors.ts';
import { required, wrongType } from '../../../kernel/errors/field-errors.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import { collectFaults } from '../documents/fault-rules.ts';
import {
  type FieldRule,
  type FieldTable,
  flag,
  isAbsent,
  isObject,
  readFields,
  type Stored,
  type StoredMembers,
  sampleOf,
  tableSchema,
  text,
  word,
} from '../modes/field-rules.ts';

export const FEATURES = ['USER_PROVISIONING', 'INBOUND_PROVISIONING'] as const;
export type FeatureName = (typeof FEATURES)[number];

export const isFeatureName = (name: string): name is FeatureName => (FEATURES as readonly string[]).includes(name);

const STATUSES = ['DISABLED', 'ENABLED'] as const;
const status = (): FieldRule => word(STATUSES, { fallback: 'DISABLED' });

/** The form of a cron expression: minute, hour, day, month, weekday. */
const CRON = /^(?:[\d*,/-]+\s+){2}(?:[\d*,/?LW-]+\s+)(?:[\dA-Za-z*,/-]+\s+)[\dA-Za-z*,/?#L-]+$/;

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
};

const narrowed = (rule: FieldRule, accepts: (value: string) => boolean, problem: Problem, good: string): FieldRule => ({
  ...rule,
  read: (field, value) => {
    const read = rule.read(field, value);
    if (typeof read === 'string' && accepts(read)) return read;
    throw invalid(field, problem);
  },
  samples: { good, bad: [...rule.samples.bad, 'n o n s e n s e'] },
});

const SCHEDULE: FieldTable = {
  expression: narrowed(
    text({ required: true, maximum: 255 }),
    (value) => CRON.test(value),
    'must be a cron expression of five fields.',
    '00 21 * * Mon,Thu',
  ),
  timezone: narrowed(
    text({ fallback: undefined, maximum: 64 }),
    isTimeZone,
    'must be the name of a time zone.',
    'Europe/Berlin',
  ),
};

const part = (table: FieldTable): FieldRule & { readonly table: FieldTable } => ({
  schema: tableSchema(table),
  required: false,
  fallback: undefined,
  read: (field, value) => readFields(field, table, value),
  samples: { good: sampleOf(table, 'required'), bad: ['text', 5] },
  table,
});

const whole = (table: FieldTable): FieldRule => ({ ...part(table), fallback: null });

const capability = () => part({ status: status() });

/** The members of each feature's `capabilities`, in the order of recorded responses. */
const CAPABILITIES: Readonly<Record<FeatureName, FieldTable>> = {
  USER_PROVISIONING: {
    create: part({ lifecycleCreate: capability() }),
    update: part({
      profile: capability(),
      lifecycleDeactivate: capability(),
      password: part({
        status: status(),
        seed: word(['RANDOM', 'WORD'], { fallback: 'RANDOM' }),
        change: word(['KEEP_EXISTING', 'CHANGE'], { fallback: 'KEEP_EXISTING' }),
      }),
    }),
  },
  INBOUND_PROVISIONING: {
    importSettings: part({
      username: part({
        userNameFormat: word(['EMAIL', 'CUSTOM'], { fallback: 'EMAIL' }),
        userNameExpression: text({ fallback: undefined }),
      }),
      schedule: part({ status: status(), fullImport: whole(SCHEDULE), incrementalImport: whole(SCHEDULE) }),
    }),
    importRules: part({
      userCreateAndMatch: part({
        exactMatchCriteria: word(['USERNAME', 'EMAIL'], { fallback: 'USERNAME' }),
        allowPartialMatch: flag(true),
        autoConfirmPartialMatch: flag(false),
        autoConfirmExactMatch: flag(false),
        autoConfirmNewUsers: flag(false),
        autoActivateNewUsers: flag(false),
      }),
    }),
  },
};

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

const tableOf = (rule: FieldRule): FieldTable | null =>
  'table' in rule && rule.fallback === undefined ? (rule.table as FieldTable) : null;

/** Reads nested tables. A leaf without a given value keeps its former value or gets its default. */
function readTree(field: string, table: FieldTable, input: unknown, before: unknown): StoredMembers {
  if (!isAbsent(input) && !isObject(input)) throw wrongType(field, 'an object');
  const readers = Object.entries(table).map(([name, rule]) => {
    const [given, kept] = [membersOf(input)[name], membersOf(before)[name]];
    const inner = tableOf(rule);
    const read = (): Stored =>
      inner === null
        ? (readFields(field, { [name]: rule }, input, kept === undefined ? undefined : { [name]: kept as Stored })[
            name
          ] ?? null)
        : readTree(`${field}.${name}`, inner, given, kept);
    return [name, read] as const;
  });
  const members = Object.entries(collectFaults(Object.fromEntries(readers)));
  return Object.fromEntries(members.filter(([name, value]) => value !== null || table[name]?.fallback === null));
}

interface Words {
  readonly upper: string;
}

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((found, name) => membersOf(found)[name], value);

/**
 * Accepts both `userNameFormat` and `usernameFormat`, because the published schema has one and recorded responses have
 * the other. If a client sends both, `usernameFormat` counts if its value has changed; otherwise, `userNameFormat`
 * counts.
 */
function withOneSpelling(input: unknown, before: StoredMembers): unknown {
  const username = at(input, 'importSettings', 'username');
  if (!isObject(username) || username['usernameFormat'] === undefined) return input;
  const { usernameFormat, userNameFormat = usernameFormat, ...rest } = username;
  const isChanged = usernameFormat !== at(before, 'importSettings', 'username', 'userNameFormat');
  const one = { userNameFormat: isChanged ? usernameFormat : userNameFormat, ...rest };
  return { ...membersOf(input), importSettings: { ...membersOf(at(input, 'importSettings')), username: one } };
}

function withNeutralSeed(input: unknown, { upper }: Words): unknown {
  const password = at(input, 'update', 'password');
  if (!isObject(password) || password['seed'] !== upper) return input;
  const update = { ...membersOf(at(input, 'update')), password: { ...password, seed: 'WORD' } };
  return { ...membersOf(input), update };
}

function assertConsistent(name: FeatureName, capabilities: StoredMembers): void {
  if (name !== 'INBOUND_PROVISIONING') return;
  const username = at(capabilities, 'importSettings', 'username');
  const schedule = at(capabilities, 'importSettings', 'schedule');
  collectFaults({
    expression: () => {
      if (at(username, 'userNameFormat') === 'CUSTOM' && isAbsent(at(username, 'userNameExpression'))) {
        throw required('importSettings.username.userNameExpression');
      }
    },
    schedule: () => {
      const isEmpty = isAbsent(at(schedule, 'fullImport')) && isAbsent(at(schedule, 'incrementalImport'));
      if (at(schedule, 'status') === 'ENABLED' && isEmpty) throw required('importSettings.schedule.fullImport');
    },
  });
}

export const defaultCapabilities = (name: FeatureName): StoredMembers =>
  readTree('capabilities', CAPABILITIES[name], {}, {});

/** Members left out keep their values, but `fullImport` and `incrementalImport` are replaced as a whole. */
export function readCapabilities(
  name: FeatureName,
  input: unknown,
  before: StoredMembers,
  words: Words,
): StoredMembers {
  const given = withNeutralSeed(withOneSpelling(input, before), words);
  const readers = Object.entries(CAPABILITIES[name]).map(([member, rule]) => {
    const inner = tableOf(rule) ?? {};
    return [member, () => readTree(member, inner, membersOf(given)[member], before[member])] as const;
  });
  const capabilities = collectFaults(Object.fromEntries(readers));
  assertConsistent(name, capabilities);
  return capabilities;
}

/**
 * Renders stored capabilities, with the namespace word in place of the password seed `WORD`, and with both
 * `userNameFormat` and `usernameFormat`.
 */
export function wireCapabilities(name: FeatureName, capabilities: StoredMembers, { upper }: Words): StoredMembers {
  if (name === 'USER_PROVISIONING') {
    const password = at(capabilities, 'update', 'password');
    if (!isObject(password) || password['seed'] !== 'WORD') return capabilities;
    const update = { ...membersOf(capabilities['update']), password: { ...password, seed: upper } };
    return { ...capabilities, update };
  }
  const settings = membersOf(capabilities['importSettings']);
  const username = membersOf(settings['username']);
  const both = { ...username, usernameFormat: username['userNameFormat'] };
  return { ...capabilities, importSettings: { ...settings, username: both } as StoredMembers };
}

export const DESCRIPTIONS: Readonly<Record<FeatureName, string>> = {
  USER_PROVISIONING: 'Settings for accounts that are made in the app for users of this org',
  INBOUND_PROVISIONING: 'Settings for users that are made in this org for accounts of the app',
};
