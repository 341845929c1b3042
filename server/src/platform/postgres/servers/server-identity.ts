import type pg from 'pg';
import { failureCode } from '../connections/failures.ts';
import type { ServerIdentity } from './connection-settings.ts';

/** The pg_control file names the timeline of the last checkpoint, but the name of a WAL file the current one. */
const QUESTION = `select (select system_identifier::text from pg_control_system()) as "systemIdentifier",
  pg_walfile_name(pg_current_wal_lsn()) as "walFile"`;

const ASKED = { text: QUESTION, query_timeout: 5_000 };

const TIMELINE_DIGITS = 8;

/** The codes of servers that do not tell: insufficient_privilege, feature_not_supported and undefined_function. */
const SILENT = new Set(['42501', '0A000', '42883']);

/** PostgreSQL's code (object_not_in_prerequisite_state) for a question that a standby cannot answer. */
const IN_RECOVERY = '55000';
/** PostgreSQL's code for a server that cannot serve yet (cannot_connect_now). Requests that fail with it get 503. */
const NOT_YET = '57P03';

/** Makes the error for a server that must not be used. */
export const notYet = (message: string): Error => Object.assign(new Error(message), { code: NOT_YET });

export const standbyError = (): Error => notYet('the database server is a standby');

/** Returns null if the server does not tell, as some hosted ones do not. */
export async function readIdentity(client: pg.ClientBase): Promise<ServerIdentity | null> {
  try {
    const { rows } = await client.query<{ systemIdentifier: string; walFile: string }>(ASKED);
    const [row] = rows;
    if (row === undefined) return null;
    const timeline = Number.parseInt(row.walFile.slice(0, TIMELINE_DIGITS), 16);
    return { systemIdentifier: row.systemIdentifier, timeline };
  } catch (error) {
    if (SILENT.has(failureCode(error) ?? '')) return null;
    throw failureCode(error) === IN_RECOVERY ? standbyError() : error;
  }
}
