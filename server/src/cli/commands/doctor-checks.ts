import { X509Certificate } from 'node:crypto';
import { readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ask, countSealedOtherwise, type SealedOtherwise } from '../../directory-transfer/index.ts';
import { bootstrapPath } from '../../installation/bootstrap-file.ts';
import { openMasterKey } from '../../installation/installation.ts';
import {
  countOwnerless,
  readClockDifferenceMilliseconds,
  readPartitionedDays,
  readServerFacts,
} from '../../installation/installation-store.ts';
import { commandLine } from '../../kernel/command-line.ts';
import { findMisnamed, findSelfNamingApps } from '../../management/app-assignments/index.ts';
import { findPlainRedirectApps } from '../../management/apps/index.ts';
import { findShutApps, type ShuttingRule } from '../../management/policies/index.ts';
import { type MasterKey, matchesCheckValue } from '../../platform/crypto/index.ts';
import { countJobs } from '../../platform/jobs/index.ts';
import { readLogBacklog, readSealingLag, type SealingLag } from '../../platform/operations/index.ts';
import {
  type ConnectionSettings,
  type Db,
  findInstallationFact,
  type KnownMigrations,
  knownMigrations,
  run,
} from '../../platform/postgres/index.ts';
import { replicasIn } from '../../process/database/log-replicas.ts';
import { type Config, type Environment, formerNamesInUse, formerNameText } from '../../settings/config.ts';
import { assessReplicas } from '../../system-log/index.ts';
import { absentVersions, appliedVersionsOf, neededText, neededVersions } from '../running/schema-version.ts';

export interface Finding {
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
}

export interface Subject {
  readonly config: Config;
  readonly connection: ConnectionSettings;
  readonly db: Db;
  readonly now: Date;
  /** Whether a server may be running: another process uses the data folder, or the database is external. */
  readonly isServing: boolean;
}

const DAY_MILLISECONDS = 86_400_000;
const MEGABYTE = 1_048_576;
const OLDEST_NODE = [20, 19] as const;

const ok = (detail: string): Finding => ({ state: 'ok', detail });
const warn = (detail: string): Finding => ({ state: 'warn', detail });
const fail = (detail: string): Finding => ({ state: 'fail', detail });

const missing = (): null => null;

export function checkNode(version: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return isNew ? ok(`Node.js ${version}`) : fail(`Node.js ${version}; ${OLDEST_NODE.join('.')} or newer is needed`);
}

export function judgeSettingNames(environment?: Environment): Finding {
  const renamed = formerNamesInUse(environment);
  return renamed.length === 0 ? ok('no former name is in use') : warn(renamed.map(formerNameText).join('; '));
}

export function reportSpace(freeMegabytes: number): Finding {
  const detail = `${freeMegabytes} MB free in the data folder`;
  if (freeMegabytes < 200) return fail(detail);
  return freeMegabytes < 2_000 ? warn(detail) : ok(detail);
}

async function checkSpace({ config }: Subject): Promise<Finding> {
  const { bavail, bsize } = await statfs(config.dataDirectory);
  return reportSpace(Math.floor((bavail * bsize) / MEGABYTE));
}

/** Accepts the group's x bit: PostgreSQL's own user needs it to enter the folder if the server runs as root. */
export function reportDataFolder(mode: number): Finding {
  const shown = (mode & 0o777).toString(8);
  if ((mode & 0o067) === 0) return ok(`mode ${shown}`);
  return warn(`mode ${shown}: others can enter or list the data folder; restrict it with chmod 700 (710 under root)`);
}

async function checkDataFolder({ config }: Subject): Promise<Finding> {
  if (process.platform === 'win32') return ok('access is controlled by Windows');
  return reportDataFolder((await stat(config.dataDirectory)).mode);
}

async function checkServer({ connection }: Subject): Promise<Finding> {
  const { version } = await readServerFacts(connection);
  const name = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}`;
  return version >= 150_000 ? ok(name) : fail(`${name}; 15 or later is needed`);
}

export function reportSchema(applied: readonly number[], known: KnownMigrations): Finding {
  const found = applied.at(-1) ?? 0;
  const wanted = known.version;
  if (found > wanted) return warn(`version ${found}, created by a newer release; this one knows ${wanted}`);
  const absent = absentVersions(applied, known);
  if (absent.length === 0) return ok(`version ${found}`);
  if (absent.every((version) => known.deferred.includes(version))) {
    const follow = absent.length === 1 ? 'follows' : 'follow';
    return ok(`version ${found}; ${absent.join(', ')} ${follow} when no older version has run for a minute`);
  }
  const needed = neededText(applied, neededVersions(applied, known), { subject: 'release', version: wanted });
  return fail(`version ${needed}: ${commandLine('migrate')}`);
}

const checkSchema = async ({ db }: Subject): Promise<Finding> =>
  reportSchema(await appliedVersionsOf(db), await knownMigrations());

export function reportMasterKey(hasPrevious: boolean, { previous, unknown }: SealedOtherwise): Finding {
  const told = (count: number) => (count === 1 ? '1 value is' : `${count} values are`);
  if (unknown > 0) return fail(`${told(unknown)} sealed with another key and cannot be opened`);
  if (!hasPrevious) return ok('matches the database; keep a copy elsewhere');
  if (previous > 0) return warn(`${told(previous)} still sealed with the old key: gatehouse keys rekey`);
  return warn('nothing is sealed with the old key any more: you can remove GATEHOUSE_MASTER_KEY_PREVIOUS');
}

async function checkMasterKey({ config, db }: Subject): Promise<Finding> {
  const noted = await findInstallationFact(db, 'master_key_check');
  if (noted === null) return warn('no key is recorded yet: the first start has not happened');
  // `openMasterKey` would create a new key if the key file were missing.
  const isMissing = config.masterKey === null && (await stat(join(config.dataDirectory, 'master.key')).catch(missing));
  if (isMissing === null) return fail(`${config.dataDirectory}/master.key is missing: restore it from a copy`);
  const masterKey = await openMasterKey(config);
  const isOf = (key: MasterKey | null): boolean => key !== null && matchesCheckValue(key, noted);
  if (!isOf(masterKey) && !isOf(masterKey.previous)) return fail('does not match this database');
  const ask: Ask = (text, values) => run(db, text, values);
  return reportMasterKey(masterKey.previous !== null, await countSealedOtherwise(ask, masterKey));
}

async function checkNamespace({ config, db }: Subject): Promise<Finding> {
  const word = await findInstallationFact(db, 'namespace');
  if (word === null || word === config.namespace) return ok(config.namespace);
  return fail(`GATEHOUSE_NAMESPACE is "${config.namespace}", but the installation's word is "${word}"`);
}

async function checkBootstrap({ config }: Subject): Promise<Finding> {
  const path = bootstrapPath(config.dataDirectory);
  const found = await stat(path).catch(missing);
  if (found === null) return ok('bootstrap.json is gone');
  const isOpen = process.platform !== 'win32' && (found.mode & 0o077) !== 0;
  if (isOpen) return fail(`${path} holds secrets and others can read it: delete it`);
  return warn(`${path} still holds the first password and token: note them and delete it`);
}

export function reportClock(differenceMilliseconds: number): Finding {
  const seconds = Math.abs(Math.round(differenceMilliseconds / 1_000));
  if (seconds === 0) return ok('the same as the database');
  const detail = `${seconds} s ${differenceMilliseconds > 0 ? 'behind' : 'ahead of'} the database`;
  return seconds < 5 ? ok(detail) : seconds < 60 ? warn(detail) : fail(detail);
}

export function reportExpiry(notAfter: Date, now: Date): Finding {
  const days = Math.floor((notAfter.getTime() - now.getTime()) / DAY_MILLISECONDS);
  if (days < 0) return fail(`expired on ${notAfter.toISOString().slice(0, 10)}`);
  const detail = `good until ${notAfter.toISOString().slice(0, 10)} (${days} days)`;
  return days < 14 ? warn(detail) : ok(detail);
}

async function checkCertificate({ config, now }: Subject): Promise<Finding> {
  const path = config.tlsCertificateFile ?? join(config.dataDirectory, 'tls', 'ca.pem');
  const text = await readFile(path, 'utf8').catch(missing);
  if (text === null) return config.tlsCertificateFile === null ? warn('no local CA yet') : fail(`no file ${path}`);
  return reportExpiry(new Date(new X509Certificate(text).validTo), now);
}

async function checkRelay({ db, isServing }: Subject): Promise<Finding> {
  const { events, oldestSeconds } = await readLogBacklog(db);
  if (events === 0) return ok('no events are waiting');
  const detail = `${events} events are waiting, the oldest for ${Math.round(oldestSeconds)} s`;
  if (!isServing) return warn(`${detail}; no server is running`);
  return oldestSeconds > 60 ? fail(detail) : ok(detail);
}

export function reportPartitions(days: number | null): Finding {
  if (days === null) return ok('the System Log needs no partitions ahead');
  const detail = `the System Log's partitions reach ${days} days ahead`;
  if (days <= 0) return fail(detail);
  return days < 14 ? warn(`${detail}; a running server creates more`) : ok(detail);
}

const MOST_SEALING_LAG_SECONDS = 3_600;

/** `lag` is null if nothing has ever been sealed, as before every process knows segments. */
export function reportSealing(lag: SealingLag | null, isServing: boolean): Finding {
  if (lag === null) return ok('nothing is sealed yet');
  const { blockedOrgs, seconds, unsealed } = lag;
  if (blockedOrgs > 0) {
    const orgs = blockedOrgs === 1 ? 'the log of 1 org' : `the logs of ${blockedOrgs} orgs`;
    return fail(`${orgs} cannot be sealed, because an event is not what was written: ${commandLine('log verify')}`);
  }
  if (seconds <= MOST_SEALING_LAG_SECONDS) return ok(`${unsealed} events are not sealed yet, and none is late`);
  const detail = `an event should have been sealed ${Math.round(seconds / 3_600)} hours ago`;
  return warn(isServing ? detail : `${detail}; no server is running`);
}

async function checkJobs({ db, now }: Subject): Promise<Finding> {
  const { due, dead } = await countJobs(db, now);
  const detail = `${due} due, ${dead} given up`;
  return dead > 0 ? warn(detail) : ok(detail);
}

const MAXIMUM_NAMED = 20;

export function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAXIMUM_NAMED).join(', ');
  return names.length > MAXIMUM_NAMED ? `${shown} and more` : shown;
}

async function checkRedirects({ db }: Subject): Promise<Finding> {
  const apps = await findPlainRedirectApps(db, MAXIMUM_NAMED + 1);
  if (apps.length === 0) return ok('codes and tokens go to https addresses or to the device itself');
  const names = apps.map(({ appId, subdomain }) => `${subdomain}/${appId}`);
  return warn(`apps with http:// redirect URIs, so that others can read their codes and tokens: ${listed(names)}`);
}

async function checkNames({ db }: Subject): Promise<Finding> {
  const found = await findMisnamed(db, MAXIMUM_NAMED + 1);
  if (found.length === 0) return ok("no user's name in an app belongs to somebody else");
  const names = found.map(({ appId, subdomain, userId }) => `${subdomain}/${appId}/${userId}`);
  return warn(
    `users whose name in an app belongs to somebody else, so that tokens contain their ids instead: ${listed(names)}`,
  );
}

async function checkNameTemplates({ db }: Subject): Promise<Finding> {
  const found = await findSelfNamingApps(db, MAXIMUM_NAMED + 1);
  if (found.length === 0) return ok('no app builds names from attributes that users edit themselves');
  const names = found.map(({ appId, attributes, subdomain }) => `${subdomain}/${appId} (${attributes.join(', ')})`);
  return warn(
    'apps that build names from attributes that users edit themselves, so that tokens contain ids instead: ' +
      listed(names),
  );
}

export function reportOwners({ hooks, streams }: { readonly hooks: number; readonly streams: number }): Finding {
  if (hooks + streams === 0)
    return ok('each event hook and log stream has an owner, and sends only what the owner may read');
  return warn(
    `${hooks} event hooks and ${streams} log streams have no owner and send the values of all attributes: ` +
      'an administrator who replaces or activates one becomes its owner',
  );
}

const toldRule = ({ apps, org, parts, policy, rule }: ShuttingRule): string =>
  `${org}: ${apps.join(', ')} (rule "${rule}" of the policy "${policy}": ${parts.join(', ')})`;

export function reportShutApps(rules: readonly ShuttingRule[]): Finding {
  if (rules.length === 0) return ok('no access policy requires a feature that does not exist yet');
  return warn(`apps closed by rules that require features that do not exist yet: ${rules.map(toldRule).join('; ')}`);
}

export async function checkReplicas({ config, connection, db }: Pick<Subject, 'config' | 'connection' | 'db'>) {
  if (config.databaseReplicaUrl === null) return ok('none is set: the System Log is read from the primary');
  const replicas = replicasIn(config.databaseReplicaUrl);
  const assessed = await assessReplicas({ replicas, connection, db });
  const texts = assessed.map(
    ({ lagBytes, name, objection }) => `${name} ${objection ?? `is ${lagBytes} bytes behind`}`,
  );
  return assessed.every(({ objection }) => objection === null) ? ok(texts.join('; ')) : warn(texts.join('; '));
}

export const CHECKS: readonly (readonly [name: string, check: (subject: Subject) => Promise<Finding>])[] = [
  ['Node.js', async () => checkNode()],
  ['Settings', async () => judgeSettingNames()],
  ['Disk', checkSpace],
  ['Data folder', checkDataFolder],
  ['Database', checkServer],
  ['Schema', checkSchema],
  ['Namespace', checkNamespace],
  ['Master key', checkMasterKey],
  ['Bootstrap', checkBootstrap],
  ['Clock', async ({ db }) => reportClock(await readClockDifferenceMilliseconds(db))],
  ['Certificate', checkCertificate],
  ['Relay', checkRelay],
  ['Sealing', async ({ db, isServing }) => reportSealing(await readSealingLag(db), isServing)],
  ['Replicas', checkReplicas],
  ['Partitions', async ({ db }) => reportPartitions(await readPartitionedDays(db))],
  ['Jobs', checkJobs],
  ['Redirect URIs', checkRedirects],
  ['Names in apps', checkNames],
  ['Templates of names', checkNameTemplates],
  ['Owners', async ({ db }) => reportOwners(await countOwnerless(db))],
  ['App policies', async ({ db }) => reportShutApps(await findShutApps(db))],
];
