import { Type } from '@sinclair/typebox';

const text = (description: string, maxLength: number) => Type.Optional(Type.String({ description, maxLength }));

/** The form of a logout request (OpenID Connect RP-Initiated Logout 1.0 2). */
export const LogoutForm = Type.Object({
  id_token_hint: text('An ID token of the client, expired or not; without one people are asked.', 16_384),
  post_logout_redirect_uri: text('Where to go on: one of the addresses that the client has registered.', 1_024),
  state: text('Handed back with the redirect.', 2_048),
  client_id: text('The client, where no hint says which.', 255),
  logout_hint: text('Not used: only the session of the browser that asks ends.', 2_048),
  ui_locales: text('Languages of the pages, best first.', 255),
  form_token: text('Of our own page alone.', 255),
});
