import { Type } from '@sinclair/typebox';

const text = (description: string, maxLength: number) => Type.Optional(Type.String({ description, maxLength }));

/** The form of a logout request (OpenID Connect RP-Initiated Logout 1.0 2). */
export const LogoutForm = Type.Object({
  id_token_hint: text(
    'An ID token that was issued to the client for the user. It may have expired. Without it, the user is asked.',
    16_384,
  ),
  post_logout_redirect_uri: text(
    'The address to which the browser goes afterwards. It must be registered for the client.',
    1_024,
  ),
  state: text('A value that is returned with the redirect.', 2_048),
  client_id: text('The id of the client, if there is no `id_token_hint`.', 255),
  logout_hint: text('Has no effect: only the session of this browser ends.', 2_048),
  ui_locales: text('The languages of the pages, in order of preference.', 255),
  form_token: text('The token that the confirmation page of the org sends.', 255),
});
