import type pg from 'pg';
import { failureCode } from '../connections/failures.ts';
import type { ServerIdentity } from './connection-settings.ts';

/** The pg_control file names the timeline of the last checkpoint, but the name of a WAL file the current one. */
const QUESTION = `select (select system_identifier::text from pg_control_system()) as "systemIdentifier",
  pg_walfile_name(pg_current_wal_lsn()) as "walFile"`;

const TIMELINE_DIGITS = 8;

/** The codes of servers that do not tell: insufficient_privilege, feature_not_supported and undefined_function. */
const SILENT = new Set(['42501', '0A000', '42883']);

/** Returns null if the server does not tell, as some hosted ones do not. */
export async function readIdentity(client: pg.ClientBase): Promise<ServerIdentity | null> {
  try {
    const { rows } = await client.query<{ systemIdentifier: string; walFile: string }>(QUESTION);
    const [row] = rows;
    if (row === undefined) return null;
    const timeline = Number.parseInt(row.walFile.slice(0, TIMELINE_DIGITS), 16);
    return { systemIdentifier: row.systemIdentifier, timeline };
  } catch (error) {
    if (SILENT.has(failureCode(error) ?? '')) return null;
    throw error;
  }
}
