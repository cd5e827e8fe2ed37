import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import axe from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { runGateway } from '../../integration/gateway-process.ts';

/** The shell first, which has nothing to draw windows with, and takes half the time. */
const CHROMIUM = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== '' && existsSync(path));

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** How long a page may take to show what is waited for, in milliseconds. */
const PATIENCE = 20_000;

/** A gateway with the sample, and a browser. */
export interface Rig {
  readonly address: string;
  /** Opens a page of its own, with cookies of its own, at a fragment of the explorer. */
  readonly open: (fragment?: string, options?: BrowserContextOptions) => Promise<Page>;
}

/**
 * Defines tests in a browser, which are skipped where none is installed (`CHROMIUM_PATH` names one elsewhere). After each file, no page may have
 * logged an error or asked another host.
 * @param settings lines of `config.yaml` beside those of the sample
 * @param files files beside it, those below `mappings/` beside the sample's; `more.sql` runs after the sample's script
 * @param others the origins that pages may ask besides
 */
export function inBrowser(
  title: string,
  define: (rig: () => Rig) => void,
  settings = '',
  files: Readonly<Record<string, string>> = {},
  others: readonly string[] = [],
): void {
  if (CHROMIUM === undefined) {
    console.warn(`${title}: skipped, as no Chromium is installed. Name one by CHROMIUM_PATH.`);
  }
  describe.skipIf(CHROMIUM === undefined)(title, () => {
    const problems: string[] = [];
    let browser: Browser;
    let folder: string;
    let gateway: ReturnType<typeof runGateway>;
    let rig: Rig;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'explorer-'));
      await cp('mappings', join(folder, 'mappings'), { recursive: true });
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
      await writeFile(join(folder, 'seed.sql'), (await sampleScript()) + (files['more.sql'] ?? ''));
      await writeFile(join(folder, 'config.yaml'), `${CONFIGURATION}${settings}`);
      gateway = runGateway(['serve', '--config', join(folder, 'config.yaml')]);
      [browser] = await Promise.all([
        chromium.launch({ executablePath: CHROMIUM ?? '', args: FLAGS }),
        gateway.serving,
      ]);
      const address = await gateway.serving;
      rig = {
        address,
        open: async (fragment = '', options = {}) => {
          const context = await browser.newContext({
            viewport: { width: 1280, height: 800 },
            ...options,
          });
          // A page that is left open goes on asking and drawing.
          onTestFinished(() => context.close());
          const page = await context.newPage();
          page.setDefaultTimeout(PATIENCE);
          watch(page, [address, ...others], problems);
          await page.goto(`${address}/explore/${fragment}`);
          return page;
        },
      };
    });
    afterAll(async () => {
      await browser.close();
      gateway.child.kill('SIGTERM');
      await gateway.ended;
      await rm(folder, { recursive: true, force: true });
      expect(problems).toEqual([]);
    });
    define(() => rig);
  });
}

const CONFIGURATION = `application: Legacy ERP
server: { port: 0 }
database: { engine: pglite, directory: 'memory:', seed: seed.sql }
ignoreCase: true
log: { level: warn }
`;

async function sampleScript(): Promise<string> {
  return gunzipSync(await readFile('sample.sql.gz')).toString('utf8');
}

function watch(page: Page, origins: readonly string[], problems: string[]): void {
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => {
    // An answer with an error is one of the things that views show.
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isAnswer) problems.push(message.text());
  });
  page.on('request', (request) => {
    const url = request.url();
    if (/^(?:blob|data):/.test(url) || origins.some((origin) => url.startsWith(`${origin}/`)))
      return;
    problems.push(`asked ${url}`);
  });
}

/** What axe finds wrong with a page: the rule, and the elements. https://github.com/dequelabs/axe-core/blob/develop/doc/API.md */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
}

/** The windows and colours in which views are looked at. */
const LOOKS = [390, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

/** What is wrong with a view, in narrow and wide windows, in light and dark colours: what axe finds, small targets, and whether it scrolls sideways. */
export async function viewProblems(page: Page): Promise<string[]> {
  const problems: string[] = [];
  for (const { width, colorScheme } of LOOKS) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    const found = [
      ...(await accessibilityProblems(page)),
      ...(await smallTargets(page)),
      ...((await isTooWide(page)) ? ['scrolls sideways'] : []),
    ];
    problems.push(...found.map((problem) => `${width} ${colorScheme}: ${problem}`));
  }
  return problems;
}

/**
 * The controls that are less than 24 pixels wide or high (WCAG 2.2, 2.5.8). A checkbox counts with its label. Links within a sentence may be as high as its
 * lines, and the boxes of the drawn model are as large as it is drawn: the list beside it has the same links.
 */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isShown = (element: Element): boolean =>
      element.checkVisibility() && element.closest('svg, .visually-hidden, .skip') === null;
    const isInSentence = (element: Element): boolean =>
      element instanceof HTMLAnchorElement &&
      getComputedStyle(element).display === 'inline' &&
      [...(element.parentElement?.childNodes ?? [])].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '',
      );
    const dialog = document.querySelector('dialog[open]');
    return [
      ...(dialog ?? document).querySelectorAll('a[href], button, input, select, textarea, summary'),
    ]
      .filter((element) => isShown(element) && !isInSentence(element))
      .flatMap((element) => {
        const isTicked = element.matches('[type=checkbox], [type=radio]');
        const { width, height } = (
          (isTicked ? element.closest('label') : null) ?? element
        ).getBoundingClientRect();
        const size = `${width.toFixed(1)} × ${height.toFixed(1)}`;
        return width < 23.95 || height < 23.95
          ? [`${size}: ${element.outerHTML.slice(0, 160)}`]
          : [];
      });
  });
}

/** Whether a page is wider than its window, so that it scrolls sideways. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
}
