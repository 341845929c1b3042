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
  readonly fileName: string;
  readonly format: UserFormat;
  readonly existing: ImportMode['existing'];
  readonly ignoreUnknown: boolean;
  /** Whether the import may change administrators, and add members to groups with administrator roles. */
  readonly administrators: boolean;
  readonly again: boolean;
  /** The operating system's name for the user who runs the command. */
  readonly operator: string;
}

export interface ImportProgress {
  readonly bytes: number;
  readonly counts: ImportCounts;
}

export interface ImportHooks {
  readonly now: () => Date;
  readonly progressed: (progress: ImportProgress) => void;
  readonly throttle: () => Promise<void>;
  /** Receives the problems in the order of the file. */
  readonly problems: (problems: AsyncIterable<readonly NumberedProblem[]>) => Promise<void>;
}

export interface ImportReport {
  readonly counts: ImportCounts;
  readonly isResumed: boolean;
  /** The time when an earlier run finished importing the whole file; null if none did. */
  readonly finishedBefore: Date | null;
}

export const modeOf = ({ administrators, existing }: UserImportRequest, writes: boolean): ImportMode => ({
  administrators,
  existing,
  writes,
});

export const typesByName = async (db: Db, { orgId }: Context): Promise<ReadonlyMap<string, string>> =>
  new Map((await readUserTypes(db, orgId)).map(({ id, name }) => [name, id]));

/** Throws TransferError if no user type has an attribute for a column, unless unknown attributes are ignored. */
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
