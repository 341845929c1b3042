import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { parseMultipart } from './multipart.ts';

const TYPE = 'multipart/form-data; boundary=XX';
const bodyOf = (...lines: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(lines.map((line) => (typeof line === 'string' ? Buffer.from(line, 'latin1') : line)));
const part = (head: string, content: string | Buffer) => bodyOf('--XX\r\n', head, '\r\n\r\n', content, '\r\n');
const FILE = 'Content-Disposition: form-data; name="file"; filename="a \\"b\\".png"\r\nContent-Type: image/png';

const causeOf = (run: () => unknown): string | null => {
  try {
    run();
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.causes[0]?.errorSummary ?? '';
  }
};

describe('multipart/form-data', () => {
  test('parts by name, with their bytes', () => {
    const bytes = Buffer.from([0, 13, 10, 45, 45, 88, 255]);
    const body = bodyOf(part(FILE, bytes), part('content-disposition: form-data; name=note', ''), '--XX--\r\n');
    const form = parseMultipart(body, TYPE);
    expect([...form.keys()]).toEqual(['file', 'note']);
    expect(form.get('file')).toMatchObject({ fileName: 'a "b".png', mediaType: 'image/png' });
    expect(form.get('file')?.content.equals(bytes)).toBe(true);
    expect(form.get('note')).toMatchObject({ fileName: null, mediaType: null });
    expect(form.get('note')?.content).toHaveLength(0);
  });

  test('what stands before the first boundary and after the last is not read', () => {
    const body = bodyOf('preamble\r\n', part(FILE, 'a'), '--XX--\r\nepilogue --XX');
    expect(parseMultipart(body, TYPE).get('file')?.content.toString()).toBe('a');
    expect(parseMultipart(body, 'multipart/form-data; charset=utf-8; boundary="XX"').size).toBe(1);
  });

  test.each<[string, Buffer, string]>([
    ['no boundary', part(FILE, 'a'), 'multipart/form-data'],
    ['a boundary that is none', part(FILE, 'a'), 'multipart/form-data; boundary="a\u0001"'],
    ['nothing', Buffer.alloc(0), TYPE],
    ['another boundary', bodyOf('--YY\r\n\r\n--YY--'), TYPE],
    ['no end', part(FILE, 'a'), TYPE],
    ['a boundary in the middle of a line', bodyOf('x', part(FILE, 'a'), '--XX--'), TYPE],
    ['a part without headers', bodyOf('--XX\r\na\r\n--XX--'), TYPE],
    ['a part without a name', bodyOf(part('Content-Disposition: form-data', 'a'), '--XX--'), TYPE],
    ['a part that is no form data', bodyOf(part('Content-Disposition: attachment; name="a"', 'a'), '--XX--'), TYPE],
    ['a header twice', bodyOf(part(`${FILE}\r\nContent-Type: a/b`, 'a'), '--XX--'), TYPE],
    ['a disposition twice', bodyOf(part(`${FILE}\r\nContent-Disposition: form-data; name="b"`, 'a'), '--XX--'), TYPE],
    ['a header without a colon', bodyOf(part(`${FILE}\r\nnonsense`, 'a'), '--XX--'), TYPE],
    ['a boundary with more behind it', bodyOf('--XXjunk\r\n', FILE, '\r\n\r\na\r\n--XX--'), TYPE],
    [
      'a part that is no form data beside one that is',
      bodyOf(part(FILE, 'a'), part('Content-Disposition: attachment; name="b"', 'b'), '--XX--'),
      TYPE,
    ],
    ['an encoded part', bodyOf(part(`${FILE}\r\nContent-Transfer-Encoding: base64`, 'YQ=='), '--XX--'), TYPE],
    ['a name twice', bodyOf(part(FILE, 'a'), part(FILE, 'b'), '--XX--'), TYPE],
    ['long headers', bodyOf(part(`${FILE}\r\nX: ${'x'.repeat(3_000)}`, 'a'), '--XX--'), TYPE],
    [
      'many parts',
      bodyOf(
        ...Array.from({ length: 21 }, (_, index) => part(`Content-Disposition: form-data; name="p${index}"`, 'a')),
        '--XX--',
      ),
      TYPE,
    ],
  ])('refuses %s', (_, body, type) => expect(causeOf(() => parseMultipart(body, type))).toMatch(/^body: /));

  test('gives back any content that was framed, and never faults', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (content) => {
        const bytes = Buffer.from(content);
        fc.pre(!bytes.includes('\r\n--XX'));
        expect(
          parseMultipart(bodyOf(part(FILE, bytes), '--XX--'), TYPE)
            .get('file')
            ?.content.equals(bytes),
        ).toBe(true);
        expect(causeOf(() => parseMultipart(bytes, TYPE))).not.toBeNull();
      }),
    );
  });
});
