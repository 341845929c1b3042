import type { Use } from './asking.ts';

const CLIENTS = '/oauth2/v1/clients';

export async function useRegistrationRoutes({ ask }: Use): Promise<void> {
  const metadata = {
    client_name: 'Registered',
    application_type: 'web',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_basic',
    redirect_uris: ['https://app.example.com/cb'],
  };
  const { client_id: id } = await ask('POST', CLIENTS, metadata);
  const single = `${CLIENTS}/${id}`;
  await ask('GET', `${CLIENTS}?q=Registered&limit=1`);
  await ask('GET', single);
  await ask('PUT', single, { ...metadata, client_id: id, client_name: 'Renamed' });
  await ask('POST', `${single}/lifecycle/newSecret`);
  await ask('DELETE', single);
}
