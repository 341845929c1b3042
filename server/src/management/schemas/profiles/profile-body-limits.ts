import type { BodyLimit } from '../../../platform/http/index.ts';

export const NEW_PROFILE_BODY: BodyLimit = {
  bytes: 196_608,
  reason: 'A profile of 64 KB, some of it written as escapes, and what stands beside it.',
};

export const STORED_PROFILE_BODY: BodyLimit = {
  bytes: 1_048_576,
  reason: 'A profile that was stored before profiles had a size of their own can be sent back.',
};
