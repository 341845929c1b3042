export { checkStoredEventHook } from './check-stored.ts';
export { createEventHookSinks } from './hook-sink.ts';
