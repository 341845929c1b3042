import { newCustomServer } from '../support/custom-servers.ts';
import {
  answerDevice,
  DEVICE,
  DEVICE_GRANT,
  ENTER,
  newDeviceApp,
  newDeviceUser,
  poll,
  type StartedDevice,
} from '../support/devices.ts';
import type { Use } from './asking.ts';
import { asking } from './use-page-routes.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

export async function useDeviceRoutes(use: Use): Promise<void> {
  const { ask, service } = use;
  const org = asking(use);
  const app = await newDeviceApp(use.org);
  const user = await newDeviceUser(service, org, app);
  const server = await newCustomServer(use.org, { grantTypes: [DEVICE_GRANT] });
  const begin = async (path: string): Promise<StartedDevice> => {
    const raw = new URLSearchParams({ client_id: app.id, scope: 'openid' }).toString();
    const told = await ask('POST', path, undefined, { client: use.org.anonymous, raw, headers: FORM });
    return { deviceCode: told.device_code, userCode: told.user_code };
  };
  for (const oauth of ['/oauth2', server.oauth]) {
    const [allowed, denied] = [
      await begin(`${oauth}/v1/device/authorize`),
      await begin(`${oauth}/v1/device/authorize`),
    ];
    await answerDevice(user, allowed);
    await answerDevice(user, denied, 'deny');
    const token = await poll(use.org, app, allowed, { path: `${oauth}/v1/token` });
    if (token.status !== 200) throw new Error(`${DEVICE} answered ${token.status}: ${token.text}`);
  }
  await user.browser.get(`${ENTER}?done=allowed`);
}
