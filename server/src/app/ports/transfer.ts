import { importGroups, type UserImportPorts } from '../../directory-transfer/index.ts';
import { readUserTypes } from '../../management/schemas/index.ts';
import { asApiError } from '../../platform/postgres/index.ts';
import type { Application } from '../application.ts';
import { CONSTRAINT_ERRORS } from '../constraints.ts';

/** Hands an import of users the parts it needs of the slices. */
export const userImportPorts = ({ db, users, work }: Pick<Application, 'db' | 'users' | 'work'>): UserImportPorts => ({
  db,
  work,
  users,
  typesByName: async (reader, { orgId }) =>
    new Map((await readUserTypes(reader, orgId)).map(({ id, name }) => [name, id])),
  groups: importGroups({ db, work }),
  explain: (error) => asApiError(error, CONSTRAINT_ERRORS),
});
