import { randomBytes } from 'node:crypto';
import { randomAlphanumeric } from '../../kernel/words/ids.ts';

/** Returns 22 URL-safe characters with 132 random bits. */
const unguessable = (): string => randomBytes(17).toString('base64url').slice(0, 22);

/** Makes the value of the session cookie (contract section 2). */
export const newSessionId = (): string => `102${unguessable()}`;

/** Makes the id that events show in place of the cookie's value. */
export const newExternalSessionId = (): string => `trs${unguessable()}`;

/** Makes a session token of 256 random bits. */
export const newSessionToken = (): string => randomAlphanumeric(43);
