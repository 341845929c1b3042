export { checkStoredEventHook } from './check-stored.ts';
export { MAXIMUM_EVENT_HOOKS } from './create-hook.ts';
export { createEventHookSinks } from './hook-sink.ts';
