import { randomBytes } from 'node:crypto';
import { chown, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EmbeddedPostgresError } from '../embedded-error.ts';
import { DATABASE, type Endpoint, SUPERUSER } from '../endpoint.ts';
import { type Finished, runProgram } from '../postmaster/run-program.ts';
import type { Binaries } from './binaries.ts';
import type { ClusterUser } from './cluster-user.ts';
import { exists, makePrivateDirectory, syncDirectory } from './durable-files.ts';

export interface InitialisePlan {
  readonly directory: string;
  readonly binaries: Binaries;
  readonly user: ClusterUser | null;
  readonly endpoint: Endpoint;
  /** If false, the operating system decides when the files are written to disk. */
  readonly isDurable: boolean;
}

function refuseFailure(step: string, { status, output }: Finished): void {
  if (status === 0) return;
  throw new EmbeddedPostgresError(`PostgreSQL's ${step} failed (status ${status}): ${output.trim().slice(-2000)}`);
}

/** Removes the remains of killed initialisations. No live process needs them, because this one has the owner lock. */
async function removeRemains(directory: string): Promise<void> {
  const parent = dirname(directory);
  const remains = (await readdir(parent)).filter((name) => name.startsWith(`${basename(directory)}.incomplete-`));
  for (const name of remains) await rm(join(parent, name), { recursive: true, force: true, maxRetries: 5 });
}

async function fillCluster(incomplete: string, plan: InitialisePlan): Promise<void> {
  const { binaries, user, endpoint, isDurable } = plan;
  const passwordFile = `${incomplete}.password`;
  const { password } = endpoint.connection;
  if (password !== undefined) await writeFile(passwordFile, password, { mode: 0o600 });
  const authentication = ['--auth', 'scram-sha-256', '--pwfile', passwordFile];
  const initdbArguments = ['--pgdata', incomplete, '--username', SUPERUSER, '--encoding', 'UTF8', '--data-checksums']
    .concat(['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C', '--no-instructions'])
    .concat(password === undefined ? ['--auth', 'trust'] : authentication)
    .concat(isDurable ? [] : ['--no-sync']);
  try {
    refuseFailure('initdb', await runProgram(binaries.initdb, initdbArguments, user));
  } finally {
    if (password !== undefined) await rm(passwordFile, { force: true });
  }
  // Single-user mode creates the database before the folder gets its final name, so no finished cluster lacks it.
  const single = ['--single', '-c', `fsync=${isDurable ? 'on' : 'off'}`, '-D', incomplete, 'postgres'];
  const created = await runProgram(binaries.postgres, single, user, `create database ${DATABASE}\n`);
  refuseFailure('creation of its database', created);
  if (/\b(?:ERROR|FATAL|PANIC):/.test(created.output)) refuseFailure('database', { ...created, status: 1 });
}

/** Writes pg_hba.conf at each start, so that clients can connect only through the endpoint of this release. */
export async function writeClientAuthentication(directory: string, plan: InitialisePlan): Promise<void> {
  const path = join(directory, 'pg_hba.conf');
  await writeFile(path, plan.endpoint.clientAuthentication, { mode: 0o600 });
  if (plan.user !== null) await chown(path, plan.user.uid, plan.user.gid);
}

async function refuseOtherMajorVersion({ directory, binaries }: InitialisePlan): Promise<void> {
  const found = (await readFile(join(directory, 'PG_VERSION'), 'utf8')).trim();
  if (found === binaries.majorVersion) return;
  throw new EmbeddedPostgresError(
    `The cluster ${directory} was made by PostgreSQL ${found}; this release runs ` +
      `PostgreSQL ${binaries.majorVersion}, ` +
      'which cannot open it. Nothing was changed. Either go back to the Gatehouse release that made it, or move it: ' +
      `start PostgreSQL ${found} on it, dump the database "${DATABASE}" with pg_dump ${binaries.majorVersion}, ` +
      'and restore the dump into the database of a new, empty GATEHOUSE_DATA_DIR (keep its master key).',
  );
}

/**
 * Creates the cluster, unless it exists. It is created under another name and then renamed, so that a kill leaves a
 * complete cluster or none.
 */
export async function initialiseCluster(plan: InitialisePlan): Promise<'made' | 'found'> {
  const { directory, user, isDurable } = plan;
  await removeRemains(directory);
  if (await exists(join(directory, 'PG_VERSION'))) {
    await refuseOtherMajorVersion(plan);
    await writeClientAuthentication(directory, plan);
    return 'found';
  }
  if ((await exists(directory)) && (await readdir(directory)).length > 0) {
    throw new EmbeddedPostgresError(`${directory} holds files but no PostgreSQL cluster. Move them away.`);
  }
  const incomplete = `${directory}.incomplete-${randomBytes(6).toString('hex')}`;
  try {
    await makePrivateDirectory(incomplete, user);
    await fillCluster(incomplete, plan);
    await writeClientAuthentication(incomplete, plan);
    await rm(directory, { recursive: true, force: true });
    await rename(incomplete, directory);
    if (isDurable) await syncDirectory(dirname(directory));
  } finally {
    await rm(incomplete, { recursive: true, force: true, maxRetries: 5 });
  }
  return 'made';
}
