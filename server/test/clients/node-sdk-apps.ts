import { startTestService, type TestOrg, type TestService } from '../support/service.ts';
import { type NewServiceApp, newServiceApp, type TestKey } from '../support/service-apps.ts';
import { type NodeSdk, type SdkClient, startNodeSdk } from './node-sdk.ts';

export interface NodeSdkApps {
  readonly service: TestService;
  readonly org: TestOrg;
  readonly connectAs: (client: string | SdkClient) => Promise<NodeSdk>;
  /** The SDK requests the granted scopes unless `configured` contains others. */
  readonly connect: (
    options: NewServiceApp & { readonly scopes: readonly string[] },
    configured?: Partial<SdkClient>,
  ) => Promise<NodeSdk>;
  readonly close: () => Promise<void>;
}

export const pem = ({ privateKey }: TestKey): string => privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

export async function startNodeSdkApps(): Promise<NodeSdkApps> {
  const service = await startTestService({ namespace: 'okta' });
  const admin = service.org.client({ authorization: `SSWS ${service.org.adminToken}` }, 'localhost');
  const org = { ...service.org, baseUrl: `https://localhost:${service.port}`, admin, seeds: admin };
  const open: NodeSdk[] = [];
  const connectAs: NodeSdkApps['connectAs'] = async (token) => {
    const sdk = await startNodeSdk({ orgUrl: org.baseUrl, caFile: service.caFile, token });
    open.push(sdk);
    return sdk;
  };
  return {
    service,
    org,
    connectAs,
    connect: async (options, configured = {}) => {
      const app = await newServiceApp(org, options);
      const scopes = options.scopes.join(' ');
      return connectAs({ clientId: app.id, privateKey: pem(app.key), scopes, ...configured });
    },
    close: async () => {
      for (const sdk of open) await sdk.close();
      await service.close();
    },
  };
}

export const FORBIDDEN = { name: 'OktaApiError', status: 403, errorCode: 'E0000006' };
export const UNAUTHORIZED = { name: 'OktaApiError', status: 401, errorCode: 'E0000011' };
