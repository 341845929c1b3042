import { setFlagsFromString } from 'node:v8';

// V8 doubles the space for new objects whenever many of them survive, and an idle process keeps that space. While
// modules load, most objects survive, so the space would grow before the first request.

/** Keeps the space for new objects at its initial size, so that surviving objects soon move out of it. */
export const keepYoungGenerationSmall = (): void => setFlagsFromString('--semi-space-growth-factor=1');

/** Lets the space for new objects grow as it does by default. Under load, a small space would cost time. */
export const letYoungGenerationGrow = (): void => setFlagsFromString('--semi-space-growth-factor=2');
