import { randomBytes } from 'node:crypto';
import { randomAlphanumeric } from '../../kernel/words/ids.ts';

/** 22 url-safe characters: 132 random bits. */
const unguessable = (): string => randomBytes(17).toString('base64url').slice(0, 22);

/** The cookie's value (contract section 2). */
export const newSessionId = (): string => `102${unguessable()}`;

/** Makes the id that events show in place of the cookie's value. */
export const newExternalSessionId = (): string => `trs${unguessable()}`;

/** 256 random bits. */
export const newSessionToken = (): string => randomAlphanumeric(43);
