import { expect, test } from 'vitest';
import { markup } from './markup.ts';

const EVIL = `"><script>alert('1')</script>&`;
const HARMLESS = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;';

test('what is filled in is text, between tags and in attributes', () => {
  expect(markup`<p title="${EVIL}">${EVIL}</p>`.html).toBe(`<p title="${HARMLESS}">${HARMLESS}</p>`);
});

test('markup in markup stands as it is, also in lists; what is not there is left out', () => {
  const items = ['a', '<b>'].map((text) => markup`<li>${text}</li>`);
  expect(markup`<ul>${items}${null}${false}${3}</ul>`.html).toBe('<ul><li>a</li><li>&lt;b&gt;</li>3</ul>');
});

test('an object that only looks like markup can come from no text', () => {
  expect(markup`${JSON.stringify({ html: '<i>' })}`.html).not.toContain('<i>');
});
