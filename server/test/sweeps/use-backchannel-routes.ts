import {
  answerRequest,
  BACKCHANNEL,
  CIBA_GRANT,
  newBackchannelApp,
  pollRequest,
  REQUEST_ALLOWED,
  type StartedRequest,
} from '../support/backchannel.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { newDeviceUser } from '../support/devices.ts';
import type { Use } from './asking.ts';
import { asking } from './use-page-routes.ts';

export async function useBackchannelRoutes(use: Use): Promise<void> {
  const { ask, service } = use;
  const org = asking(use);
  const app = await newBackchannelApp(use.org);
  const user = await newDeviceUser(service, org, app);
  const server = await newCustomServer(use.org, { grantTypes: [CIBA_GRANT] });
  const begin = async (path: string): Promise<StartedRequest> => {
    const form = { scope: 'openid', login_hint: user.login, binding_message: 'B1' };
    const raw = new URLSearchParams(form).toString();
    const basic = Buffer.from(`${app.id}:${app.secret ?? ''}`).toString('base64');
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${basic}` };
    const told = await ask('POST', path, undefined, { client: use.org.anonymous, raw, headers });
    return { authReqId: told.auth_req_id };
  };
  for (const oauth of ['/oauth2', server.oauth]) {
    const path = `${oauth}/v1/bc/authorize`;
    const allowed = await begin(path);
    await answerRequest(user);
    await begin(path);
    await answerRequest(user, 'deny');
    const token = await pollRequest(use.org, app, allowed, { path: `${oauth}/v1/token` });
    if (token.status !== 200) throw new Error(`${BACKCHANNEL} answered ${token.status}: ${token.text}`);
  }
  await user.browser.get(REQUEST_ALLOWED);
}
