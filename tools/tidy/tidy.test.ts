import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FILES, ROOT, read, TYPESCRIPT } from './repository-files.ts';

const MAXIMUM_FILE_BYTES = 200_000;
const MIGRATIONS = FILES.filter((path) => /^server\/migrations\/.+\.sql$/.test(path));
/** This file is exempt, because it contains the patterns that it forbids. */
const OWN_PATH = 'tools/tidy/tidy.test.ts';

function linesWith(paths: readonly string[], find: (line: string, path: string) => boolean): string[] {
  return paths
    .filter((path) => path !== OWN_PATH)
    .flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, index) => (find(line, path) ? [`${path}:${index + 1}: ${line.trim().slice(0, 120)}`] : [])),
    );
}

/** Tells whether the line `path:line: ...` is in a statement that the formatter ignores, such as an aligned table. */
function inAlignedTable(found: string): boolean {
  const [path = '', number = '0'] = found.split(':');
  const above = read(path)
    .split('\n')
    .slice(0, Number(number) - 1);
  const start = above.findLastIndex((line) => line.includes('biome-ignore format:'));
  return start >= 0 && !above.slice(start + 1).some((line) => /^[}\])`]/.test(line));
}

describe('the tree', () => {
  test('the scan sees the repository', () => {
    expect(FILES).toContain('package.json');
    expect(TYPESCRIPT.length).toBeGreaterThan(20);
    expect(MIGRATIONS.length).toBeGreaterThan(0);
  });

  test('no folder is a drawer for whatever has no place', () => {
    expect(FILES.filter((path) => /(^|\/)(utils?|helpers?|common|services|misc|lib)\//.test(path))).toEqual([]);
  });

  test('no file is too large to review', () => {
    const large = FILES.filter((path) => statSync(join(ROOT, path)).size > MAXIMUM_FILE_BYTES);
    expect(large.filter((path) => path !== 'package-lock.json' && !path.startsWith('openapi/'))).toEqual([]);
  });

  test('package.json has at most ten scripts', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(Object.keys(scripts).length).toBeLessThanOrEqual(10);
  });

  test('every dependency is pinned exactly', () => {
    const sections = ['dependencies', 'devDependencies', 'optionalDependencies'];
    const loose = FILES.filter((path) => basename(path) === 'package.json').flatMap((path) => {
      const manifest = JSON.parse(read(path)) as Record<string, Record<string, string> | undefined>;
      return sections
        .flatMap((section) => Object.entries(manifest[section] ?? {}))
        .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        .map(([name, version]) => `${path}: ${name} ${version}`);
    });
    expect(loose).toEqual([]);
  });
});

// npm can leave optional packages out of the lock file, and `npm ci` then refuses the file.
test('the lock names every optional package', () => {
  type Entry = { optionalDependencies?: Record<string, string> };
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Entry> };
  const missing = Object.entries(packages).flatMap(([path, entry]) =>
    Object.keys(entry.optionalDependencies ?? {})
      .filter((name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages))
      .map((name) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

describe('TypeScript', () => {
  test('a file has at most 300 lines', () => {
    // Generated files may be longer, because their length depends on the data from which they are generated.
    const written = TYPESCRIPT.filter((path) => !path.endsWith('.generated.ts'));
    const lengths = written.map((path) => ({ path, lines: read(path).trimEnd().split('\n').length }));
    expect(lengths.filter(({ lines }) => lines > 300)).toEqual([]);
  });

  test('a line has at most 120 characters', () => {
    const long = linesWith(TYPESCRIPT, (line) => line.length > 120);
    expect(long.filter((line) => !inAlignedTable(line))).toEqual([]);
  });

  test('nothing escapes the type checker or the linter', () => {
    const escapes = [
      /\bas any\b/,
      /[:<,|&]\s*any\b(?!\w)(?=\s*[;,)>=[\]|&{]|\s*$)/,
      /\bas (?:never|unknown as)\b/,
      /@ts-(ignore|expect-error|nocheck)/,
      /(biome-ignore(?! format:)|(oxlint|eslint)-disable)/,
    ];
    const isComment = (line: string) => /^\s*(\*|\/\/)/.test(line) && !/@ts-|disable|ignore/.test(line);
    // A rule may be disabled with a reason, in the linter's own form: `-- reason`.
    const hasReason = (line: string) => /(oxlint|eslint)-disable.* -- \S/.test(line);
    const escaping = (line: string) => !isComment(line) && !hasReason(line) && escapes.some((one) => one.test(line));
    expect(linesWith(TYPESCRIPT, escaping)).toEqual([]);
  });

  test('no test is left out without a reason', () => {
    const tests = TYPESCRIPT.filter((path) => path.endsWith('.test.ts'));
    const isLeftOut = (line: string) =>
      /\b(it|test|describe)(\.\w+)*\.only\b/.test(line) ||
      /\b(it|test|describe)\.(skip|todo)\((?!.*\/\/ because )/.test(line);
    expect(linesWith(tests, isLeftOut)).toEqual([]);
  });

  test('no signal is used that may be collected before it fires', () => {
    expect(linesWith(TYPESCRIPT, (line) => /\bAbortSignal\.(any|timeout)\(/.test(line))).toEqual([]);
  });

  test('no weak map has keys that live as long as a request, because its values would outlive it (ADR 0086)', () => {
    const isShort = (line: string) =>
      /\bWeakMap<(?:Tx|Db|Context|HandlerInput|FastifyRequest|IncomingMessage)\b/.test(line);
    expect(isShort('const sessions = new WeakMap<Tx, Session>();')).toBe(true);
    expect(linesWith(TYPESCRIPT, isShort).filter((line) => !line.startsWith('tools/tidy/'))).toEqual([]);
  });

  test('a pool sends packets alone, which have a time-out (ADR 0086)', () => {
    const elsewhere =
      /^server\/src\/(?:platform\/postgres\/(?:migrate|citus\/distribute|servers\/primary-client)|installation\/installation-store)\.ts$/;
    const sources = TYPESCRIPT.filter(
      (path) => path.startsWith('server/src/') && !path.endsWith('.test.ts') && !elsewhere.test(path),
    );
    expect(linesWith(sources, (line) => /\b\w*(?:[pP]ool|[cC]lient)\.query\(/.test(line))).toEqual([]);
  });

  test('only the kernel normalises text: it asks for the length first, and counts marks', () => {
    const normalises = (line: string) => /\.normalize\b|\[['"`]normalize['"`]\]/.test(line);
    expect(["text.normalize('NFC')", "text?.normalize('NFKD')", "text['normalize']()"].every(normalises)).toBe(true);
    const sources = TYPESCRIPT.filter(
      (path) => /^(server\/src|tools|bench)\//.test(path) && !path.endsWith('.test.ts'),
    );
    const found = linesWith(sources, normalises);
    const elsewhere = found.filter((line) => !line.startsWith('server/src/kernel/texts/text.ts:'));
    expect({ elsewhere, inKernel: found.length > 0 }).toEqual({ elsewhere: [], inKernel: true });
  });

  test('who checks a password waits with the refusal as long as the dearest of the org takes', () => {
    const passwords = 'server/src/management/users/passwords';
    const known: Readonly<Record<string, string>> = {
      // The file on the left verifies a password or an answer. The file on the right waits before it refuses a wrong
      // one.
      [`${passwords}/prove-password.ts`]: `${passwords}/prove-password.ts`,
      'server/src/sign-in/authn/passwords/verify-password.ts':
        'server/src/sign-in/authn/passwords/sign-in-with-password.ts',
      'server/src/management/users/account/self-service.ts':
        'server/src/sign-in/authn/recovery/answer-recovery-question.ts',
      // The file on the left only compares a new password with earlier ones. When users change their passwords, the
      // file on the right has already verified the current one.
      [`${passwords}/password-changes.ts`]: `${passwords}/prove-password.ts`,
    };
    const sources = TYPESCRIPT.filter((path) => path.startsWith('server/src/') && !path.endsWith('.test.ts'));
    const checking = sources.filter((path) => /\bpasswords\.verify\(/.test(read(path)));
    expect(checking.toSorted()).toEqual(Object.keys(known).toSorted());
    for (const path of checking) expect(read(known[path] ?? path)).toMatch(/\.passed\(\)/);
  });

  test('what a client is called is never taken for the id of its app', () => {
    const loose = (line: string) => /\b(clientId|appId)\??: (readonly )?string\b/.test(line);
    const joined = (line: string) =>
      /\b(?:app_)?id = \w+\.client_id\b|\bclient_id = \w+\.(?:app_)?id\b|\bclient_id as "appId"|\bid as "clientId"/.test(
        line,
      );
    expect(['clientId: string', 'appId?: string,', 'clientId: readonly string[]'].every(loose)).toBe(true);
    expect(['a.id = t.client_id', 't.client_id = a.id', 'a.id as "clientId"'].every(joined)).toBe(true);
    const sources = TYPESCRIPT.filter((path) => path.startsWith('server/src/') && !path.endsWith('.test.ts'));
    expect(linesWith(sources, (line) => loose(line) || joined(line))).toEqual([]);
    // Older migrations may mix client ids and app ids, which were the same then.
    const chosen = MIGRATIONS.toSorted().findIndex((path) => path.endsWith('_chosen_client_ids.sql'));
    expect(chosen).toBeGreaterThan(0);
    expect(linesWith(MIGRATIONS.toSorted().slice(chosen), joined)).toEqual([]);
  });

  test('only config.ts reads the environment', () => {
    const sources = TYPESCRIPT.filter((path) => path.startsWith('server/src/') && !path.endsWith('.test.ts'));
    const reads = linesWith(sources, (line) => /\bprocess\.env\b(?!\['\w+'\] (?:\?\?)?= )/.test(line));
    expect(reads.filter((line) => !line.startsWith('server/src/settings/config.ts:'))).toEqual([]);
  });
});

describe('text', () => {
  const texts = FILES.filter((path) => /\.(ts|tsx|mjs|cjs|js|sql|md|json|yaml|yml)$|^\.ci\/|^\.npmrc$/.test(path));

  test('what is left to do names its issue', () => {
    const leftovers = linesWith(texts, (line) => /\b(TODO|FIXME|XXX)\b(?!\(#\d+\)| #\d+)/.test(line));
    expect(leftovers.filter((line) => !line.startsWith('package-lock.json:'))).toEqual([]);
  });

  test('no path of a machine and no registry host', () => {
    // Folders that exist on every machine reveal nothing about this one.
    const here = [`${dirname(ROOT)}/`, `${homedir()}/`].filter(
      (path) => !/^\/(tmp\/|var\/|opt\/|usr\/|srv\/)?$/.test(path),
    );
    // Launch links of apps may contain `/home/<app>/` after an example host or `baseUrl`.
    const patterns = [
      /(?<!\.example|baseUrl\})\/home\/[a-z]/,
      /\/Users\/[A-Z]\w*\//,
      /https?:\/\/registry\./,
      /"resolved": "http/,
    ];
    const isBound = (line: string) =>
      here.some((path) => line.includes(path)) || patterns.some((one) => one.test(line));
    expect(linesWith(texts, isBound)).toEqual([]);
  });
});

describe('SQL', () => {
  const KEYWORDS =
    /\b(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|TABLE|INDEX|CONSTRAINT|PRIMARY|FOREIGN|REFERENCES|FROM|WHERE)\b/;
  const code = (line: string) => line.replace(/--.*$/, '').replace(/'[^']*'/g, "''");

  test('keywords are lower case', () => {
    expect(linesWith(MIGRATIONS, (line) => KEYWORDS.test(code(line)))).toEqual([]);
  });

  test('every constraint has a name', () => {
    const isUnnamed = (line: string) =>
      /\b(primary key|unique\s*\(|references\b|check\s*\(|foreign key)/.test(code(line)) &&
      !/\bconstraint \w+|^\s+references\b/.test(code(line));
    expect(linesWith(MIGRATIONS, isUnnamed)).toEqual([]);
  });
});
