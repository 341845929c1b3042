import { randomUUID } from 'node:crypto';
import type { TestClient, TestResponse } from './client.ts';
import type { PausedWorld } from './paused-model-world.ts';
import { newProfile } from './service.ts';
import { userPath } from './users.ts';

/** A request of a kind, and what it does in the serial model. */
export interface ModelRequest {
  readonly send: (client: TestClient) => Promise<TestResponse>;
  /** Does the request to the model, and returns the status of its response. */
  readonly apply: () => number;
}

type Kind = (world: PausedWorld, index: number) => ModelRequest;

const setSuspended =
  (isSuspended: boolean): Kind =>
  (world, index) => {
    const person = world.person(index);
    return {
      send: (client) => client.post(`${userPath(person.id)}/lifecycle/${isSuspended ? 'suspend' : 'unsuspend'}`),
      apply: () => {
        if (person.isSuspended === isSuspended) return 400;
        person.isSuspended = isSuspended;
        return 200;
      },
    };
  };

const rename =
  (verb: 'post' | 'put'): Kind =>
  (world, index) => {
    const person = world.person(index);
    const nickName = randomUUID();
    return {
      send: (client) =>
        verb === 'post'
          ? client.post(userPath(person.id), { body: { profile: { nickName } } })
          : client.put(userPath(person.id), { body: { profile: { ...person.profile, nickName } } }),
      apply: () => {
        person.nickName = nickName;
        return 200;
      },
    };
  };

const create: Kind = () => ({
  send: (client) => client.post('/api/v1/users?activate=false', { body: { profile: newProfile() } }),
  apply: () => 200,
});

const createGroup: Kind = () => ({
  send: (client) => client.post('/api/v1/groups', { body: { profile: { name: randomUUID() } } }),
  apply: () => 200,
});

const assignRole: Kind = (world, index) => {
  const { id } = world.person(index);
  const path = `${userPath(id)}/roles`;
  return {
    // Each of these roles can be assigned once, and the model does not count them.
    send: async (client) => client.post(path, { body: { type: 'READ_ONLY_ADMIN' } }),
    apply: () => 0,
  };
};

const endSessions: Kind = (world, index) => ({
  send: (client) => client.del(`${userPath(world.person(index).id)}/sessions?oauthTokens=true`),
  apply: () => 204,
});

export const REQUESTS = {
  rename: rename('post'),
  replace: rename('put'),
  suspend: setSuspended(true),
  unsuspend: setSuspended(false),
  create,
  createGroup,
  assignRole,
  endSessions,
} as const satisfies Readonly<Record<string, Kind>>;

export type RequestName = keyof typeof REQUESTS;
