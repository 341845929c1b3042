export { MAXIMUM_EVENT_HOOKS } from './create-hook.ts';
export { createEventHookSinks } from './delivery/hook-sink.ts';
export { checkStoredEventHook } from './documents/check-stored.ts';
