import { resource } from '../resource/index.ts';
import { addSystemParts } from './servers/create-default-server.ts';
import { type AuthorizationServer, SERVERS } from './store.ts';
import { serverChange, serverVersion } from './wire.ts';

export const MAXIMUM_SERVERS = 500;

/** Servers are found by their id or by the word `default`. */
export const servers = resource<AuthorizationServer>({
  noun: 'AuthorizationServer',
  store: SERVERS,
  version: serverVersion,
  target: serverChange,
  events: { create: 'oauth2.as.created', update: 'oauth2.as.updated', delete: 'oauth2.as.deleted' },
  limit: { maximum: MAXIMUM_SERVERS, field: 'name', plural: 'authorization servers' },
  // Every server starts with the system scopes and claims (contract section 18).
  follow: async (tx, context, [before, after]) => {
    if (before === null && after !== null) await addSystemParts(tx, context, after.id);
  },
});
