import type { Answer } from '../../platform/http/index.ts';
import { problemPage, seeOther, type View } from '../../platform/pages/index.ts';
import {
  type AccountPorts,
  findSignedInUser,
  openPageSession,
  type PageRequest,
  signInAddress,
} from '../../sign-in/index.ts';
import { type Launch, type LaunchParams, type LaunchPorts, launchApp } from './launch-app.ts';

export type LaunchPagePorts = LaunchPorts & AccountPorts;

const pathOf = ({ appId, appName, linkId }: LaunchParams): string =>
  `/home/${[appName, appId, linkId].map(encodeURIComponent).join('/')}`;

function missingPage(view: View, { address, label }: Extract<Launch, { to: 'missing' }>): Answer {
  const { t } = view;
  const title = t('launch.title');
  if (address === null) return problemPage(view, { status: 501, title, text: t('launch.missing', { app: label }) });
  const link = { href: address, text: t('launch.open', { app: label }) };
  return problemPage(view, { status: 501, title, text: t('launch.byHand', { app: label }), link });
}

/** Handles `GET /home/:appName/:appId/:linkId`: starts an app for a user, who signs in first if necessary. */
export async function showLaunch(ports: LaunchPagePorts, request: PageRequest, params: LaunchParams): Promise<Answer> {
  const signedIn = await findSignedInUser(ports, request);
  if (signedIn === null) return seeOther(signInAddress(pathOf(params)));
  const launch = await launchApp(ports, signedIn, params);
  if (launch.to === 'address') return seeOther(launch.address);
  if (launch.to === 'signIn') {
    return seeOther(signInAddress(pathOf(params), launch.reauthenticate ? { reauthenticate: 'true' } : {}));
  }
  const { view } = await openPageSession(ports, request, signedIn);
  if (launch.to === 'missing') return missingPage(view, launch);
  const text = view.t(launch.because === 'denied' ? 'launch.denied' : 'launch.notHeld');
  return problemPage(view, { status: 403, title: view.t('launch.title'), text });
}
