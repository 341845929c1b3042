export { dropOldAuthorizationRequests } from './cross-org-store.ts';
export {
  findInteraction,
  findPushedRequest,
  type Interaction,
  insertInteraction,
  insertPushedRequest,
  lockInteraction,
  noteConsentDecision,
  takeRequest,
} from './store.ts';
