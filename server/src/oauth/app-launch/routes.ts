import { Type } from '@sinclair/typebox';
import { type AnyRoute, route } from '../../platform/http/index.ts';
import { SHOWN, UI_LOCALES_FIELD } from '../../sign-in/index.ts';
import { type LaunchPagePorts, showLaunch } from './launch-page.ts';

export const appLaunchRoutes = (ports: LaunchPagePorts): AnyRoute[] => [
  route({
    ...SHOWN,
    operationId: 'launchApplication',
    url: '/home/:appName/:appId/:linkId',
    summary: 'Start an app of the signed-in user',
    bucket: 'authorize',
    errors: ['E0000006', 'E0000060'],
    writes: true,
    params: Type.Object({ appName: Type.String(), appId: Type.String(), linkId: Type.String() }),
    query: UI_LOCALES_FIELD,
    handler: async ({ params, ...request }) => showLaunch(ports, request, params),
  }),
];
