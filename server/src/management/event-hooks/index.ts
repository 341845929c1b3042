export { createEventHookSinks } from './delivery/hook-sink.ts';
export { checkStoredEventHook } from './documents/check-stored.ts';
export { MAXIMUM_EVENT_HOOKS } from './resource.ts';
