import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import type { ChannelInput } from '../contract.ts';
import { type HookChannel, readChannel, refuseSecretElsewhere } from './channel-rules.ts';

function refusedField(run: () => unknown): string | null {
  try {
    run();
    return null;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'E0000001') throw error;
    const [cause] = error.causes;
    return cause?.errorSummary.split(': ')[0] ?? '';
  }
}

const channel = (config: Partial<ChannelInput['config']> = {}, given: Partial<ChannelInput> = {}): ChannelInput => ({
  type: 'HTTP',
  version: '1.0.0',
  config: { uri: 'https://hooks.example/in', ...config },
  ...given,
});
const read = (input: ChannelInput) => readChannel(input, 'svc');

describe('a channel', () => {
  test('is the address, the headers and the name of the header of the secret', () => {
    const headers = [{ key: 'x-one', value: 'two  words' }];
    expect(
      read(channel({ headers, authScheme: { type: 'HEADER', key: 'Authorization', value: 'Basic x==' } })),
    ).toEqual({
      channel: { uri: 'https://hooks.example/in', headers, authKey: 'Authorization' },
      secret: 'Basic x==',
    });
    expect(read(channel({ headers: null, authScheme: null }))).toEqual({
      channel: { uri: 'https://hooks.example/in', headers: [], authKey: null },
      secret: null,
    });
    expect(read(channel({ method: 'POST', authScheme: { value: 'x' } })).channel.authKey).toBe('Authorization');
  });

  test.each([
    'https://hooks.example',
    'https://hooks.example:8443/a/b?c=d&e=%20',
    'https://xn--bcher-kva.example/',
    `https://hooks.example/${'a'.repeat(1_002)}`,
  ])('goes to %s', (uri) => expect(read(channel({ uri })).channel.uri).toBe(uri));

  test.each([
    '',
    'hooks.example',
    'http://hooks.example/',
    'https:hooks.example',
    'https:///hooks.example',
    'ftp://hooks.example/',
    'javascript:alert(1)',
    'https://ada@hooks.example/',
    'https://ada:secret@hooks.example/',
    'https://hooks.example/#part',
    'https://hooks.example/a b',
    'https://hooks.example\\@other.example/',
    'https://hooks.example/\r\nHost: other.example',
    'https://bücher.example/',
    'https://hooks.example:99999/',
    `https://hooks.example/${'a'.repeat(1_003)}`,
  ])('does not go to %j', (uri) => {
    expect(refusedField(() => read(channel({ uri })))).toBe('channel.config.uri');
  });

  test.each<[string, ChannelInput]>([
    ['channel.type', channel({}, { type: 'http' })],
    ['channel.version', channel({}, { version: '2.0.0' })],
    ['channel.config.method', channel({ method: 'PUT' })],
    ['channel.config.authScheme.type', channel({ authScheme: { type: 'BASIC', key: 'a', value: 'b' } })],
    ['channel.config.authScheme.key', channel({ authScheme: { key: 'Host', value: 'b' } })],
    ['channel.config.authScheme.key', channel({ authScheme: { key: 'a b', value: 'b' } })],
    ['channel.config.authScheme.value', channel({ authScheme: { value: '' } })],
    ['channel.config.authScheme.value', channel({ authScheme: { value: 'a\r\nb: c' } })],
    ['channel.config.authScheme.value', channel({ authScheme: { value: 'a'.repeat(4_097) } })],
  ])('is refused by its field %s', (field, input) => expect(refusedField(() => read(input))).toBe(field));

  test.each([
    'Host',
    'content-length',
    'Content-Type',
    'Transfer-Encoding',
    'connection',
    'TE',
    'Upgrade',
    'Proxy-Authorization',
    'User-Agent',
    'X-Svc-Hook-Signature',
    'x-svc-verification-challenge',
    '',
    'a:b',
    'a\r\nb',
    'ä',
    'a'.repeat(129),
  ])('has no header %j of its own', (key) => {
    const headers = [
      { key: 'x-fine', value: 'a' },
      { key, value: 'a' },
    ];
    expect(refusedField(() => read(channel({ headers })))).toBe('channel.config.headers[1].key');
  });

  test.each(['', ' ', 'a\nb', 'a\r\nSet-Cookie: b', 'a\0', 'ä', ' a', 'a\t', 'a'.repeat(1_025)])(
    'has no header with the value %j',
    (value) => {
      const headers = [{ key: 'x-one', value }];
      expect(refusedField(() => read(channel({ headers })))).toBe('channel.config.headers[0].value');
    },
  );

  test('has at most 20 headers, each of them once, however it is spelled', () => {
    const many = Array.from({ length: 21 }, (_, index) => ({ key: `x-${index}`, value: 'a' }));
    expect(refusedField(() => read(channel({ headers: many })))).toBe('channel.config.headers');
    expect(refusedField(() => read(channel({ headers: many.slice(1) })))).toBeNull();
    const twice = [
      { key: 'X-One', value: 'a' },
      { key: 'x-one', value: 'b' },
    ];
    expect(refusedField(() => read(channel({ headers: twice })))).toBe('channel.config.headers');
    const headers = [{ key: 'authorization', value: 'a' }];
    expect(refusedField(() => read(channel({ headers, authScheme: { value: 'b' } })))).toBe('channel.config.headers');
  });
});

describe('a stored secret', () => {
  const stored: HookChannel = { uri: 'https://hooks.example/in', headers: [], authKey: 'Authorization' };

  test.each([
    { uri: 'https://hooks.example/other?a' },
    { uri: 'https://HOOKS.example:443/' },
    { authKey: 'authorization' },
  ])('stays where it was given for: %j', (given) =>
    expect(refusedField(() => refuseSecretElsewhere(stored, { ...stored, ...given }))).toBeNull(),
  );

  test.each([
    { uri: 'https://evil.example/in' },
    { uri: 'https://hooks.example:8443/in' },
    { uri: 'https://hooks.example.evil.example/in' },
    { authKey: 'X-Other' },
  ])('goes nowhere else: %j', (given) => {
    const field = refusedField(() => refuseSecretElsewhere(stored, { ...stored, ...given }));
    expect(field).toBe('channel.config.authScheme.value');
  });
});
