export { MAXIMUM_BEHAVIORS } from './changes/create-behavior.ts';
export { checkStoredBehavior } from './check-stored.ts';
