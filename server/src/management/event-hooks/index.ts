export { createEventHookSinks } from './hook-sink.ts';
