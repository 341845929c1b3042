import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const IGNORED_FOLDERS = new Set(['node_modules', 'dist', 'data', 'coverage', '.git']);
const MAXIMUM_FILE_BYTES = 200_000;

/** Tracked files and new ones that are not ignored; a source archive without git is walked. */
function listFiles(): string[] {
  try {
    const options: ExecFileSyncOptionsWithStringEncoding = {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    };
    const top = execFileSync('git', ['rev-parse', '--show-prefix'], options).trim();
    const output = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], options);
    const files = output.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path)));
    if (top === '' && files.length > 0) return [...new Set(files)];
  } catch {
    // No git, or a checkout that belongs to another user.
  }
  const entries = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      if (IGNORED_FOLDERS.has(entry.name)) return [];
      const path = join(folder, entry.name);
      return entry.isDirectory() ? entries(path) : [relative(ROOT, path).split(sep).join('/')];
    });
  return entries(ROOT);
}

const FILES = listFiles();
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const isGenerated = (path: string) => path.includes('.generated.') || /^(openapi|docs\/generated)\//.test(path);
const TYPESCRIPT = FILES.filter((path) => /\.(ts|tsx)$/.test(path) && !isGenerated(path));
const MIGRATIONS = FILES.filter((path) => /^server\/migrations\/.+\.sql$/.test(path));
/** This file spells out what it forbids. */
const OWN_PATH = 'tools/tidy.test.ts';

/** `path:line: text` of every line that `find` objects to. */
function linesWith(paths: readonly string[], find: (line: string, path: string) => boolean): string[] {
  return paths
    .filter((path) => path !== OWN_PATH)
    .flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, index) => (find(line, path) ? [`${path}:${index + 1}: ${line.trim().slice(0, 120)}`] : [])),
    );
}

/**
 * Whether `path:line: ...` lies in a statement whose columns are kept as they were written, where the budget is off.
 */
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

  test('package.json has at most eight scripts', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(Object.keys(scripts).length).toBeLessThanOrEqual(8);
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

// npm leaves out of the lock what its registry did not have when the lock was written, and `npm ci` then refuses the
// lock everywhere: a fresh clone could neither start nor be tested.
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
    // What is generated grows with the tables it is generated from.
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
    // `-- reason` behind a disabled rule is what the linter itself takes as its reason.
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

  test('only the kernel normalises text: it asks for the length first, and counts marks', () => {
    const normalises = (line: string) => /\.normalize\b|\[['"`]normalize['"`]\]/.test(line);
    // Seen to find what it looks for, however it is written.
    expect(["text.normalize('NFC')", "text?.normalize('NFKD')", "text['normalize']()"].every(normalises)).toBe(true);
    const sources = TYPESCRIPT.filter(
      (path) => /^(server\/src|tools|bench)\//.test(path) && !path.endsWith('.test.ts'),
    );
    const found = linesWith(sources, normalises);
    const elsewhere = found.filter((line) => !line.startsWith('server/src/kernel/texts/text.ts:'));
    expect({ elsewhere, inKernel: found.length > 0 }).toEqual({ elsewhere: [], inKernel: true });
  });

  test('who checks a password waits with the refusal as long as the dearest of the org takes', () => {
    const users = 'server/src/management/users';
    const known: Readonly<Record<string, string>> = {
      // Whatever is checked here,
      [`${users}/prove-password.ts`]: `${users}/prove-password.ts`,
      'server/src/sign-in/authn/passwords/verify-password.ts':
        'server/src/sign-in/authn/passwords/sign-in-with-password.ts',
      // is refused there. Who sees what follows has proved the password already where others are only compared.
      [`${users}/own-account.ts`]: 'server/src/sign-in/authn/recovery/answer-recovery-question.ts',
      [`${users}/password-changes.ts`]: `${users}/prove-password.ts`,
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
    // Seen to find what it looks for.
    expect(['clientId: string', 'appId?: string,', 'clientId: readonly string[]'].every(loose)).toBe(true);
    expect(['a.id = t.client_id', 't.client_id = a.id', 'a.id as "clientId"'].every(joined)).toBe(true);
    const sources = TYPESCRIPT.filter((path) => path.startsWith('server/src/') && !path.endsWith('.test.ts'));
    expect(linesWith(sources, (line) => loose(line) || joined(line))).toEqual([]);
    // Before that one they were the same.
    const chosen = MIGRATIONS.toSorted().findIndex((path) => path.endsWith('_chosen_client_ids.sql'));
    expect(chosen).toBeGreaterThan(0);
    expect(linesWith(MIGRATIONS.toSorted().slice(chosen), joined)).toEqual([]);
  });

  test('only config.ts reads the environment', () => {
    const sources = TYPESCRIPT.filter((path) => path.startsWith('server/src/') && !path.endsWith('.test.ts'));
    const reads = linesWith(sources, (line) => /\bprocess\.env\b/.test(line));
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
    // Folders that every machine has are no trace of this one.
    const here = [`${dirname(ROOT)}/`, `${homedir()}/`].filter(
      (path) => !/^\/(tmp\/|var\/|opt\/|usr\/|srv\/)?$/.test(path),
    );
    // Links of apps that people launch lie there too: `/home/<app>/`.
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

describe('documents', () => {
  const source = join(ROOT, 'server', 'src');
  const folders = (path: string) =>
    existsSync(path)
      ? readdirSync(path, { withFileTypes: true })
          .filter((entry) => entry.isDirectory() && FILES.some((file) => file.startsWith(prefix(path, entry.name))))
          .map((entry) => join(path, entry.name))
      : [];
  const prefix = (...parts: string[]) =>
    `${relative(ROOT, join(...parts))
      .split(sep)
      .join('/')}/`;

  test('every area says in at most 30 lines what it owns', () => {
    const areas = folders(source).flatMap((path) =>
      basename(path) === 'management' ? [path, ...folders(path)] : [path],
    );
    const problems = areas.flatMap((path) => {
      const readme = join(path, 'README.md');
      if (!existsSync(readme)) return [`${relative(ROOT, path)} has no README.md`];
      const lines = readFileSync(readme, 'utf8').trimEnd().split('\n').length;
      return lines > 30 ? [`${relative(ROOT, readme)} has ${lines} lines`] : [];
    });
    expect(problems).toEqual([]);
  });

  test('every decision has a number of its own, a status and at most a page', () => {
    const decisions = FILES.filter((path) => path.startsWith('docs/decisions/'));
    const problems = decisions.flatMap((path) => {
      const text = read(path);
      const found = [];
      if (!/^docs\/decisions\/\d{4}-[a-z0-9-]+\.md$/.test(path)) found.push(`${path}: not NNNN-title.md`);
      if (!/^Status: (Proposed|Accepted|Superseded by \d{4})/m.test(text)) found.push(`${path}: no status`);
      if (text.split('\n').length > 60) found.push(`${path}: longer than a page`);
      return found;
    });
    const numbers = decisions.map((path) => basename(path).slice(0, 4)).sort();
    expect(problems).toEqual([]);
    expect(numbers).toEqual(numbers.map((_, index) => String(index + 1).padStart(4, '0')));
  });

  test('links between documents lead somewhere', () => {
    const documents = FILES.filter((path) => path.endsWith('.md'));
    const broken = documents.flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)]
        .map(([, target]) => target ?? '')
        .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });
});
