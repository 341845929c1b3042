import { revokeTokensOfUser } from './management/api-tokens/index.ts';
import { createDefaultUserType } from './management/schemas/index.ts';
import type { Reactions } from './platform/postgres/index.ts';
import type { NewEvent } from './system-log/index.ts';

/**
 * What one area's event does to another, in order, in the same transaction. Nothing else couples the slices. Sessions
 * and tokens will react to a user's suspension and deactivation here once they exist.
 */
export const REACTIONS: Reactions<NewEvent> = {
  'system.org.lifecycle.create': [createDefaultUserType],
  'user.lifecycle.deactivate': [revokeTokensOfUser],
};
