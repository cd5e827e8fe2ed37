import axe from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import {
  afterAll,
  beforeAll,
  describe,
  expect,
  inject,
  onTestFailed,
  onTestFinished,
} from 'vitest';

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
  /** Shows a fragment in the page that the tests of a file share, as long as none has failed: it keeps its cookies and what is stored. */
  readonly show: (fragment: string) => Promise<Page>;
}

/** Each worker has one browser for all of its files, which ends with it. */
const worker = globalThis as { browser?: Promise<Browser> };

/**
 * Defines tests in a browser, which are skipped where none is installed (`CHROMIUM_PATH` names one elsewhere). After each file, no page may have
 * logged an error or asked another host.
 * @param own the address of a gateway of its own, instead of the one that all files ask, and the origins that pages may ask besides
 */
export function inBrowser(
  title: string,
  define: (rig: () => Rig) => void,
  own: () => readonly [address: string, ...others: readonly string[]] = () => [
    inject('explored') ?? '',
  ],
): void {
  const executablePath = inject('chromium');
  if (executablePath === null) {
    console.warn(`${title}: skipped, as no Chromium is installed. Name one by CHROMIUM_PATH.`);
  }
  describe.skipIf(executablePath === null)(title, () => {
    const problems: string[] = [];
    let rig: Rig;
    let shared: Page | null = null;
    beforeAll(async () => {
      const browser = await (worker.browser ??= chromium.launch({
        executablePath: executablePath ?? '',
        args: FLAGS,
      }));
      const [address, ...others] = own();
      const openPage = async (options: BrowserContextOptions): Promise<Page> => {
        const context = await browser.newContext({
          viewport: { width: 1280, height: 800 },
          ...options,
        });
        const page = await context.newPage();
        page.setDefaultTimeout(PATIENCE);
        watch(page, [address, ...others], problems);
        return page;
      };
      rig = {
        address,
        open: async (fragment = '', options = {}) => {
          const page = await openPage(options);
          // A page that is left open goes on asking and drawing.
          onTestFinished(() => page.context().close());
          await page.goto(`${address}/explore/${fragment}`);
          return page;
        },
        show: async (fragment) => {
          const page = (shared ??= await openPage({}));
          onTestFailed(async () => {
            shared = null;
            await page.context().close();
          });
          // A view that stays would keep what is open in it.
          await page.goto(`${address}/explore/#/plan`);
          await page.getByText('Give the URL').waitFor();
          await page.goto(`${address}/explore/${fragment}`);
          return page;
        },
      };
    });
    afterAll(async () => {
      await shared?.context().close();
      expect(problems).toEqual([]);
    });
    define(() => rig);
  });
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

/** What axe finds wrong with a page: the rule, and the elements. @param only the rules that are tried https://github.com/dequelabs/axe-core/blob/develop/doc/API.md */
async function axeProblems(page: Page, only?: readonly string[]): Promise<string[]> {
  // It stays as long as the page goes to its own fragments.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const options: axe.RunOptions = {
    ...{ resultTypes: ['violations'], preload: false },
    ...(only && { runOnly: [...only] }),
  };
  return page.evaluate(async (given) => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(given);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, options);
}

/** What is wrong with a view, in narrow and wide windows, in light and dark colours: what axe finds, small targets, and whether it scrolls sideways. */
export async function viewProblems(page: Page): Promise<string[]> {
  const problems: string[] = [];
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    // What measures itself does so once the frame is drawn.
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))),
    );
    await page.emulateMedia({ colorScheme: 'dark' });
    // All else is as in light colours.
    const dark = await axeProblems(page, ['color-contrast']);
    await page.emulateMedia({ colorScheme: 'light' });
    const found = [
      ...dark.map((problem) => `dark: ${problem}`),
      ...(await axeProblems(page)),
      ...(await smallTargets(page)),
      ...((await isTooWide(page)) ? ['scrolls sideways'] : []),
    ];
    problems.push(...found.map((problem) => `${width} ${problem}`));
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
