import { Type } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { DEFAULT_NAMESPACE_WORD, namespaceOf } from '../../kernel/words/namespace.ts';
import { type AnyRoute, route } from '../../platform/http/index.ts';
import { allRoutes } from '../declared-routes.ts';
import { API_TITLE, API_VERSION, openApiDocument } from './document.ts';
import { isRecord, itemOf, NAMED_SCHEMAS, schemaAt } from './named-schemas.ts';
import { OPERATION_TEXTS } from './operation-texts.ts';
import { OTHER_RESPONSES, WITHOUT_DECLARED_SUCCESS } from './texts/operations/other-responses.ts';
import { DESCRIBED_PUBLIC_OPERATIONS } from './texts/operations/public-access.ts';
import { PATH_PARAMETERS } from './texts/path-parameters.ts';
import { describeScope } from './texts/scopes.ts';
import { TAGS } from './texts/tags.ts';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly example?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: unknown }>> }>
  >;
  readonly security: unknown;
}
interface Document {
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly description?: string }>> };
}

const documentOf = (routes: readonly AnyRoute[], word = DEFAULT_NAMESPACE_WORD): Document => {
  const options = { title: API_TITLE, version: API_VERSION, servers: [{ url: 'https://acme.example.com' }] };
  const document: unknown = openApiDocument(routes, { ...options, namespace: namespaceOf(word) });
  return document as Document;
};

const Door = Type.Object({ id: Type.String(), open: Type.Boolean() }, { $id: 'Door' });

const getDoor = route({
  operationId: 'getDoor',
  method: 'GET',
  url: '/api/v1/doors/:doorId',
  summary: 'Retrieve a door',
  tag: 'Door',
  access: 'authenticated',
  scopes: ['doors.read'],
  permission: 'doors.read',
  params: Type.Object({ doorId: Type.String() }),
  response: { status: 200, schema: Door },
  errors: ['E0000007'],
  bucket: 'management',
  cors: true,
  handler: () => Promise.reject(new Error('never called')),
});
const knock: AnyRoute = { ...getDoor, operationId: 'knock', method: 'POST', access: 'public', scopes: [] };

describe('a document', () => {
  const document = documentOf([knock, getDoor], 'acme');
  const methods = document.paths['/api/v1/doors/{doorId}'];

  test('describes every method of a path, its parameters and who may call it', () => {
    expect(Object.keys(methods ?? {})).toEqual(['get', 'post']);
    expect(methods?.['get']?.parameters).toMatchObject([{ name: 'doorId', in: 'path', required: true }]);
    expect(methods?.['get']?.security).toEqual([{ apiToken: [] }, { session: [] }, { oauth2: ['acme.doors.read'] }]);
    expect(methods?.['post']?.security).toEqual([]);
  });

  test('says what an operation does, who may call it and how it refuses', () => {
    expect(methods?.['get']?.description).toBe(
      [
        'The request needs an API token, a session, or an access token with the scope `acme.doors.read`. The ' +
          'caller’s roles must grant `doors.read` for the whole org.',
      ].join('\n\n'),
    );
    expect(Object.keys(methods?.['get']?.responses ?? {})).toEqual(['200', '401', '403', '404', '429', 'default']);
    expect(Object.keys(methods?.['post']?.responses ?? {})).toEqual(['200', '404', '429', 'default']);
  });

  test('keeps a named schema in one place', () => {
    const reference = { $ref: '#/components/schemas/Door' };
    expect(methods?.['get']?.responses['200']).toMatchObject({
      content: { 'application/json': { schema: reference } },
    });
    expect(document.components.schemas['Door']).toMatchObject({ type: 'object', required: ['id', 'open'] });
  });

  test('describes what a scope allows', () => {
    expect(describeScope('clients.register')).toBe('Registers OAuth clients.');
    expect(describeScope('networkZones.read')).toBe('Reads network zones.');
    expect(describeScope('networkZones.manage')).toBe('Reads and manages network zones.');
  });

  test('refuses one operation declared twice', () => {
    expect(() => documentOf([getDoor, getDoor])).toThrow('declared twice');
  });
});

describe('the document of this service', () => {
  const document = documentOf(allRoutes);
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

  test('has every operation', () => {
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
      allRoutes.map(({ operationId }) => operationId).toSorted(),
    );
  });

  test('describes every operation, parameter, tag and named schema', () => {
    const isBare = ({ description = '' }: { readonly description?: string }): boolean =>
      !/^\S.*[.:`]/s.test(description);
    const parameters = operations.flatMap(({ operationId, parameters: all }) =>
      all
        .filter((one) => one.$ref === undefined)
        .filter((one) => isBare(one) || (one.in === 'path' && one.example === undefined))
        .map(({ name }) => `${operationId} ${name}`),
    );
    const schemas = Object.entries(document.components.schemas);
    expect({
      operations: operations.filter(isBare).map(({ operationId }) => operationId),
      parameters,
      tags: document.tags.filter(isBare).map(({ name }) => name),
      schemas: schemas.filter(([, schema]) => isBare(schema)).map(([name]) => name),
    }).toEqual({ operations: [], parameters: [], tags: [], schemas: [] });
  });

  test('says of every public operation how its callers show who they are', () => {
    const open = allRoutes.filter(({ access }) => access === 'public').map(({ operationId }) => operationId);
    expect(DESCRIBED_PUBLIC_OPERATIONS.toSorted()).toEqual(open.toSorted());
  });

  test('is written in whole sentences of at most 25 words', () => {
    const descriptionsIn = (value: unknown): string[] => {
      if (Array.isArray(value)) return value.flatMap(descriptionsIn);
      if (!isRecord(value)) return [];
      const { description, example: _example, examples: _examples, ...rest } = value;
      const own = typeof description === 'string' ? [description] : descriptionsIn(description);
      return [...own, ...Object.values(rest).flatMap(descriptionsIn)];
    };
    const isSentence = (text: string): boolean => /^[A-Z`]\S*(?: \S+)+\.$/.test(text) && text.split(' ').length <= 25;
    const faulty = descriptionsIn(document).filter((text) => !text.split(/(?<=\.)\s+(?=[A-Z`])/).every(isSentence));
    expect(faulty).toEqual([]);
  });

  test('sends no reader to a file of the repository', () => {
    expect(JSON.stringify(document)).not.toMatch(/\bdocs\/|\.md\b/);
  });

  test('shows pages of missing features, redirects and deprecated operations', () => {
    const statusesOf = (id: string): string[] =>
      Object.keys(operations.find(({ operationId }) => operationId === id)?.responses ?? {});
    expect(statusesOf('signOutOfSamlApp')).toEqual(['429', '501', 'default']);
    expect(statusesOf('startAtIdentityProvider')).toEqual(['303', '404', '429', '501', 'default']);
    expect(statusesOf('getIdentityProviderMetadata')).toContain('501');
    expect(statusesOf('logout')).toEqual(['200', '302', '429', 'default']);
    expect(statusesOf('logoutCustomASWithPost')).toEqual(['200', '303', '429', 'default']);
    expect(statusesOf('authnUnlockAccount')).toContain('401');
    expect(operations.filter(({ deprecated }) => deprecated).map(({ operationId }) => operationId)).toEqual([
      'extendSession',
    ]);
  });

  test('names every schema of a body and of an answer that is more than text', () => {
    const places = operations.flatMap(({ operationId, requestBody, responses }) => [
      ...Object.values(requestBody?.content ?? {}).map(({ schema }) => [`body ${operationId}`, schema] as const),
      ...Object.entries(responses)
        .filter(([status]) => /^2\d\d$/.test(status))
        .flatMap(([, { content = {} }]) => Object.values(content))
        .map(({ schema }) => [`answer ${operationId}`, schema] as const),
    ]);
    const unnamed = places.filter(([, schema]) => {
      const item = itemOf(schema);
      return isRecord(item) && item['$ref'] === undefined && item['type'] !== 'string';
    });
    expect(unnamed.map(([place]) => place)).toEqual([]);
  });

  test('has no text for what is not there, and no two names for one schema', () => {
    const operationIds = new Set(allRoutes.map(({ operationId }) => operationId));
    const params = new Set(allRoutes.flatMap(({ params: declared }) => Object.keys(declared?.properties ?? {})));
    const tags = new Set(allRoutes.map(({ tag }) => tag));
    expect(Object.keys(OPERATION_TEXTS).filter((id) => !operationIds.has(id))).toEqual([]);
    const withResponses = [...Object.keys(OTHER_RESPONSES), ...WITHOUT_DECLARED_SUCCESS];
    expect(withResponses.filter((id) => !operationIds.has(id))).toEqual([]);
    expect(Object.keys(PATH_PARAMETERS).filter((name) => !params.has(name))).toEqual([]);
    expect(Object.keys(TAGS).filter((name) => !tags.has(name))).toEqual([]);
    const written = Object.values(NAMED_SCHEMAS).map(({ place }) => JSON.stringify(schemaAt(allRoutes, place)));
    expect(written).not.toContain(undefined);
    expect(new Set(written).size).toBe(written.length);
  });

  test('has examples that its schemas allow', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const refused = Object.entries(NAMED_SCHEMAS)
      .filter(([, { example }]) => example !== undefined)
      .filter(([, { example, place }]) => {
        const schema = schemaAt(allRoutes, place);
        return !isRecord(schema) || !ajv.validate(schema, example);
      });
    expect(refused.map(([name]) => name)).toEqual([]);
  });

  test('says the word of the installation', () => {
    const text = JSON.stringify(documentOf(allRoutes, 'acme'));
    expect(text).toContain('acme.users.read');
    expect(text.match(/\bsvc[.:]\w+/gi) ?? []).toEqual([]);
  });
});
