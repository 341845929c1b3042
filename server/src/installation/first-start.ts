import { mkdir } from 'node:fs/promises';
import type { OrgId } from '../kernel/words/ids.ts';
import { newPassword } from '../platform/crypto/index.ts';
import {
  type ConnectionSettings,
  type Db,
  findInstallationFact,
  noteInstallationFact,
} from '../platform/postgres/index.ts';
import { type Config, isAtLocalhost } from '../settings/config.ts';
import { type Bootstrap, readDraft, removeDraft, writeBootstrap, writeDraft } from './bootstrap-file.ts';
import { withFirstStartLock } from './installation-store.ts';

export interface FirstOrg {
  findOrg(subdomain: string): Promise<OrgId | null>;
  createOrg(input: { subdomain: string; companyName: string }): Promise<OrgId>;
  findUser(orgId: OrgId, login: string): Promise<string | null>;
  /** Creates a user who must change the password at first use. */
  createAdministrator(orgId: OrgId, input: { login: string; password: string }): Promise<string>;
  /** Replaces a lost password and returns the new one-time password. */
  replacePassword(orgId: OrgId, userId: string): Promise<string>;
  /** Does nothing if the user already has the role. */
  assignSuperAdministrator(orgId: OrgId, userId: string): Promise<void>;
  /** Revokes earlier tokens with this name, because their values are lost. */
  createApiToken(orgId: OrgId, userId: string, name: string): Promise<string>;
}

export interface FirstStartOptions {
  readonly connection: ConnectionSettings;
  readonly db: Db;
  readonly firstOrg: FirstOrg;
  readonly dataDirectory: string;
  readonly baseUrl: string;
  readonly caFile: string | null;
  readonly namespace: string;
  readonly mailsUrl: string | null;
}

const STATE = 'first_start';
const SUBDOMAIN = 'acme';
const TOKEN_NAME = 'First start';

export function firstOrgUrl(config: Pick<Config, 'baseDomain' | 'host' | 'publicPort'>): string {
  const host = isAtLocalhost(config) ? 'localhost' : `${SUBDOMAIN}.${config.baseDomain}`;
  return `https://${host}${config.publicPort === 443 ? '' : `:${config.publicPort}`}`;
}

const loginOf = (subdomain: string): string => `admin@${subdomain}.localhost`;

async function makeFirstOrg(options: FirstStartOptions): Promise<Bootstrap> {
  const { firstOrg, dataDirectory, baseUrl } = options;
  const earlier = await readDraft(dataDirectory);
  const draft = earlier ?? { login: loginOf(SUBDOMAIN), password: newPassword() };
  // The draft is written before the user is created, so that the credentials are known even if the process is killed.
  if (earlier === null) await writeDraft(dataDirectory, draft);
  const orgId =
    (await firstOrg.findOrg(SUBDOMAIN)) ?? (await firstOrg.createOrg({ subdomain: SUBDOMAIN, companyName: 'Acme' }));
  const found = await firstOrg.findUser(orgId, draft.login);
  const userId = found ?? (await firstOrg.createAdministrator(orgId, draft));
  const isLost = found !== null && earlier === null;
  const password = isLost ? await firstOrg.replacePassword(orgId, userId) : draft.password;
  await firstOrg.assignSuperAdministrator(orgId, userId);
  const apiToken = await firstOrg.createApiToken(orgId, userId, TOKEN_NAME);
  return {
    baseUrl,
    consoleUrl: `${baseUrl}/`,
    orgId,
    subdomain: SUBDOMAIN,
    login: draft.login,
    password,
    apiToken,
    caFile: options.caFile,
    namespace: options.namespace,
    mailsUrl: options.mailsUrl,
  };
}

/** Creates the first org, its administrator and an API token. Returns null if an earlier start completed this work. */
export async function firstStart(options: FirstStartOptions): Promise<Bootstrap | null> {
  if ((await findInstallationFact(options.db, STATE)) === 'done') {
    await removeDraft(options.dataDirectory);
    return null;
  }
  await mkdir(options.dataDirectory, { recursive: true });
  return withFirstStartLock(options.connection, async () => {
    // Another process may have completed the first start while this process waited for the lock.
    if ((await findInstallationFact(options.db, STATE)) === 'done') return null;
    const bootstrap = await makeFirstOrg(options);
    await writeBootstrap(options.dataDirectory, bootstrap);
    await noteInstallationFact(options.db, STATE, 'done');
    await removeDraft(options.dataDirectory);
    return bootstrap;
  });
}

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

export function firstStartText(bootstrap: Bootstrap): string {
  const { mailsUrl } = bootstrap;
  const trust = bootstrap.caFile === null ? '' : `--cacert ${shellWord(bootstrap.caFile)} `;
  const rows: [string, string][] = [
    ['Base URL', bootstrap.baseUrl],
    ['Sign in', `${bootstrap.baseUrl}/signin`],
    ['Login', bootstrap.login],
    ['One-time password', `${bootstrap.password}   (must be changed at first use)`],
    ['API token', bootstrap.apiToken],
    ['CA file', bootstrap.caFile ?? '(your own certificate)'],
    ...(mailsUrl === null ? [] : [['Emails', mailsUrl] satisfies [string, string]]),
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(18)} ${value}`);
  const url = `${bootstrap.baseUrl}/api/v1/users?limit=1`;
  return [
    '',
    'Gatehouse is ready. This is shown once; it is also in bootstrap.json (delete that file once you have noted it).',
    '',
    ...lines,
    '',
    `  curl ${trust}-H "Authorization: SSWS ${bootstrap.apiToken}" "${url}"`,
    '',
    '',
  ].join('\n');
}
