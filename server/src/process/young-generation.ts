import { setFlagsFromString } from 'node:v8';

// V8 doubles the space for new objects whenever much of it survives, up to 32 MB, and an idle process keeps that space.
// Loading modules makes little but survivors, so each process would grow to its full size before its first request.

/** Keeps the space for new objects at its first size, 2 MB, so that what survives leaves it early. */
export const keepYoungGenerationSmall = (): void => setFlagsFromString('--semi-space-growth-factor=1');

/** Lets the space grow as V8 does by default. Under load, a small space would cost time. */
export const letYoungGenerationGrow = (): void => setFlagsFromString('--semi-space-growth-factor=2');
