import { expect } from 'vitest';
import { ALL_RESPONSES, ask, CALLBACK, type Changes, ERROR_PAGE, newPkce, posted } from '../support/authorization.ts';
import { describeProfile, openWorld, row, verifiedClaims } from '../support/conformance.ts';
import { redeem } from '../support/user-tokens.ts';

const world = openWorld({ app: { settings: ALL_RESPONSES } });

const asForm = (changes: Changes = {}, client = world().browser.client) =>
  ask(client, world().app, { response_mode: 'form_post', ...changes });

const ROWS = [
  row('2', 'the mode is announced', async () => {
    const { body } = await world().org.anonymous.get('/.well-known/openid-configuration');
    expect(body.response_modes_supported).toContain('form_post');
  }),
  row('2', 'the answer is an HTML page whose form goes to the redirect URI by POST', async () => {
    const response = await asForm();
    expect(response.headers['content-type']).toMatch(/^text\/html/);
    expect(response.headers['location']).toBeUndefined();
    expect(posted(response).to).toBe(CALLBACK);
  }),
  row('2', 'each parameter of the answer is a field of its own', async () => {
    const { parameters } = posted(await asForm());
    expect(parameters).toEqual({ code: expect.any(String), state: 'xyz', iss: world().org.baseUrl });
  }),
  row('2', 'the form sends itself, without the user', async () => {
    expect((await asForm()).text).toMatch(/<script nonce="[^"]+">[^<]*\.submit\(\)/);
  }),
  row('2', 'without script there is a button', async () => {
    expect((await asForm()).text).toMatch(/<noscript>[^]*<button/);
  }),
  row('2', 'a code that came so is good', async () => {
    const { parameters, verifier } = newPkce();
    const { code = '' } = posted(await asForm(parameters)).parameters;
    expect((await redeem(world().org, world().app, { code, verifier })).status).toBe(200);
  }),
  row('2', 'tokens come so as well', async () => {
    const { parameters } = posted(await asForm({ response_type: 'id_token token', nonce: 'n' }));
    expect(parameters).toMatchObject({ access_token: expect.any(String), token_type: 'Bearer', state: 'xyz' });
    expect(await verifiedClaims(world().org, parameters['id_token'] ?? '')).toMatchObject({ nonce: 'n' });
  }),
  row('2', 'errors come so as well', async () => {
    const { parameters, to } = posted(await asForm({ prompt: 'none' }, world().org.anonymous));
    expect(to).toBe(CALLBACK);
    expect(parameters).toMatchObject({ error: 'login_required', state: 'xyz' });
  }),
  row('4', 'what the request said stands escaped', async () => {
    const state = '"><script>alert(1)</script>';
    const response = await asForm({ state });
    expect(posted(response).parameters['state']).toBe(state);
    expect(response.text.match(/<script/g)).toHaveLength(1);
  }),
  row('4', 'no cache keeps the page', async () => {
    expect((await asForm()).headers['cache-control']).toContain('no-store');
  }),
  row('2', 'an address that is not registered gets no form', async () => {
    expect(await asForm({ redirect_uri: 'https://evil.example/' })).toMatchObject(ERROR_PAGE);
  }),
];

describeProfile('OAuth 2.0 Form Post Response Mode', ROWS);
