import { importGroups, type UserImportPorts } from '../../directory-transfer/index.ts';
import { asApiError } from '../../platform/postgres/index.ts';
import type { Application } from '../application.ts';
import { CONSTRAINT_ERRORS } from '../constraints.ts';

export const userImportPorts = ({ db, work }: Pick<Application, 'db' | 'work'>): UserImportPorts => ({
  db,
  work,
  groups: importGroups({ db, work }),
  explain: (error) => asApiError(error, CONSTRAINT_ERRORS),
});
