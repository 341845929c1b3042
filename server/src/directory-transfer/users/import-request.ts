import type { Context } from '../../kernel/context.ts';
import { lockSchemaForWrite, readUserTypes } from '../../management/schemas/index.ts';
import type { ImportMode } from '../../management/users/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { TransferError } from '../formats/raw-rows.ts';
import type { UserImportPorts } from '../ports.ts';
import type { ImportCounts, NumberedProblem } from './import-journal-store.ts';
import type { UserFormat, UsersFile } from './open-users-file.ts';

export interface UserImportRequest {
  readonly file: UsersFile;
  /** As the log names it. */
  readonly fileName: string;
  readonly format: UserFormat;
  readonly existing: ImportMode['existing'];
  readonly ignoreUnknown: boolean;
  /** Whether users with administrator roles are changed, and groups that give them are filled. */
  readonly administrators: boolean;
  /** Imports a file once more that was imported already. */
  readonly again: boolean;
  /** The person who runs the command, as the log names them. */
  readonly operator: string;
}

export interface ImportProgress {
  readonly bytes: number;
  readonly counts: ImportCounts;
}

export interface ImportHooks {
  readonly now: () => Date;
  readonly progressed: (progress: ImportProgress) => void;
  /** Awaited before each batch: holds the import back while events wait for the relay. */
  readonly throttle: () => Promise<void>;
  /** Given everything that was refused, in order, once all rows are done. */
  readonly problems: (problems: AsyncIterable<readonly NumberedProblem[]>) => Promise<void>;
}

export interface ImportReport {
  readonly counts: ImportCounts;
  /** An earlier run had begun. */
  readonly isResumed: boolean;
  /** The file was imported before, and nothing was done now. */
  readonly finishedBefore: Date | null;
}

export const modeOf = ({ administrators, existing }: UserImportRequest, writes: boolean): ImportMode => ({
  administrators,
  existing,
  writes,
});

/** The user types of an org by their names. */
export const typesByName = async (db: Db, { orgId }: Context): Promise<ReadonlyMap<string, string>> =>
  new Map((await readUserTypes(db, orgId)).map(({ id, name }) => [name, id]));

/** A column that no user type has would have every row refused: said before the first one. */
export async function assertAttributes(
  ports: UserImportPorts,
  context: Context,
  types: ReadonlyMap<string, string>,
  request: UserImportRequest,
): Promise<void> {
  if (request.ignoreUnknown || request.file.attributes.length === 0) return;
  const known = await ports.work(context, async (tx) => {
    const names = new Set<string>();
    for (const typeId of types.values()) {
      const found = await lockSchemaForWrite(tx, context.orgId, typeId);
      for (const name of found?.schema.keys() ?? []) names.add(name);
    }
    return names;
  });
  const unknown = request.file.attributes.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const named = unknown.slice(0, 10).join(', ');
  throw new TransferError(
    `No user type has an attribute for ${unknown.length === 1 ? 'this column' : 'these columns'}: ${named}. ` +
      'Add --ignore-unknown to leave such columns out.',
  );
}
