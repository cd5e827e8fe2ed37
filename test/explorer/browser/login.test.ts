import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/app.ts';
import { type Config, configSchema } from '../../../src/config/config.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { Database } from '../../../src/database/database.ts';
import {
  gatewayClient,
  oidcSettings,
  type OpenIdProvider,
  startOpenIdProvider,
} from '../../integration/sign-in/provider.ts';
import { startGateway, type Gateway } from '../../targets/gateway.ts';
import { exploredFolder } from './explored.ts';
import { inBrowser, viewProblems } from './rig.ts';

/** The user ada with the password "secret word", who may read two dataclasses, and bob, who may change some. */
const USERS = `users:
  ada:
    password: $scrypt$ln=17,r=8,p=1$RDzoX9Flp7unAsRjIlkLlw$E7mPShGWl3jf5g4RGqwCfDjgxPWJ5VghugyINvFjk5o
    roles: [reader]
  bob:
    password: $scrypt$ln=17,r=8,p=1$RDzoX9Flp7unAsRjIlkLlw$E7mPShGWl3jf5g4RGqwCfDjgxPWJ5VghugyINvFjk5o
    roles: [clerk]
`;

/** The key of the user report, and its hash as `entitygate key` prints it. */
const KEY = 'egk_CWu6AzspUqFUcptYIpr61a3rqmk_6OrhT4nKiKqXTDjPZuGI';

const SETTINGS = `authentication:
  users: users.yaml
  apiKeys:
    - { name: report, hash: 'sha256:ab44c5d8addaf80b5e652b88d7fe736061a94c6d8188a9c0df3dc7b62c056823', roles: [reader] }
roles:
  reader:
    dataclasses:
      Employee: { read: true, attributes: { email: hidden } }
      Country: { read: true }
  clerk:
    dataclasses:
      Ticket: { read: true, update: grade = 2 }
      Company: { read: ID > 1 }
`;

/** What the pages of the provider would like to have. */
const FONTS = 'https://fonts.googleapis.com';

let folder: Awaited<ReturnType<typeof exploredFolder>>;
let database: Database;
let provider: OpenIdProvider;
/** Two gateways with one database: one has users of its own, the other those of a provider. */
let gateway: Gateway;
let signingIn: Gateway;
beforeAll(async () => {
  folder = await exploredFolder(SETTINGS);
  await folder.write('users.yaml', USERS);
  const config: Config = { ...(await loadConfig(folder.config, {})), log: { level: 'silent' } };
  database = await openDatabase(config);
  gateway = await startGateway(config.database, config, database);
  provider = await startOpenIdProvider();
  provider.users.set('ada', { name: 'Ada Lovelace', roles: ['reader'] });
  const { authentication, roles } = configSchema.parse({
    authentication: { oidc: oidcSettings(provider.issuer) },
    roles: { reader: { dataclasses: { '*': { read: true } } } },
  });
  signingIn = await startGateway(config.database, { ...config, authentication, roles }, database);
  provider.register([gatewayClient(addressOf(signingIn))]);
});
afterAll(async () => {
  for (const one of [gateway, signingIn, database, provider]) await one.close();
  await folder.remove();
});

const addressOf = ({ port }: Gateway): string => `http://127.0.0.1:${port}`;

/** Logs in by the dialog, which closes. */
async function logIn(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Log in' });
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByLabel('Password', { exact: true }).fill('secret word');
  await dialog.getByRole('button', { name: 'Log in' }).click();
  await dialog.waitFor({ state: 'detached' });
}

inBrowser(
  'login',
  (rig) => {
    test('who is not known is asked, and sees what their role may see', async () => {
      const page = await rig().open('#/model/Employee');
      const dialog = page.getByRole('dialog', { name: 'Log in' });
      await dialog.waitFor();
      expect(await viewProblems(page)).toEqual([]);
      await dialog.getByLabel('Name', { exact: true }).fill('ada');
      await dialog.getByLabel('Password', { exact: true }).fill('wrong');
      await dialog.getByRole('button', { name: 'Log in' }).click();
      await dialog.getByText('The name or the password is wrong.').waitFor();
      await dialog.getByLabel('Password', { exact: true }).fill('secret word');
      await dialog.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('heading', { name: 'Employee' }).waitFor();
      expect(await page.locator('.dataclasses a').allInnerTexts()).toEqual(['Country', 'Employee']);
      expect(await page.locator('.dataclass-panel tbody th').allInnerTexts()).not.toContain(
        'email',
      );
      expect(await page.locator('.who .name').innerText()).toBe('ada');

      await page.reload();
      await page.getByRole('heading', { name: 'Employee' }).waitFor();
      await page.getByRole('button', { name: 'Log out' }).click();
      await dialog.waitFor();
      await page.getByText('Log in to see the data.').waitFor();
    });

    test('the browser’s console has no error before the login, and none after a session is over', async () => {
      const page = await rig().open('about:blank');
      const errors: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      const dialog = page.getByRole('dialog', { name: 'Log in' });
      await page.goto(`${rig().address}/explore/#/Employee`);
      await dialog.waitFor();
      await page.getByText('Log in to see the data.').waitFor();
      const cookie = { name: 'ENTITYGATE_SID', value: '0'.repeat(32), url: rig().address };
      await page.context().addCookies([cookie]);
      await page.reload();
      await dialog.waitFor();
      expect(errors).toEqual([]);
    });

    test('what a role may not change is read-only, and says why', async () => {
      const page = await rig().open('#/Employee/5');
      const dialog = page.getByRole('dialog', { name: 'Log in' });
      const editable = page.locator(
        '.field :is(input, textarea):not([readonly]), .field select:enabled',
      );
      await logIn(page, 'ada');
      await page
        .getByText('You may not update entities of Employee: your roles do not allow it.')
        .waitFor();
      expect(await editable.count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
      expect(await viewProblems(page)).toEqual([]);

      await page.getByRole('button', { name: 'Log out' }).click();
      await dialog.waitFor();
      await page.evaluate(() => (location.hash = '#/Ticket/Lamp'));
      await logIn(page, 'bob');
      await page.getByText('Not locked').waitFor();
      expect(await editable.count()).toBeGreaterThan(0);
      await page.evaluate(() => (location.hash = "#/Ticket/''"));
      await page.getByText('You may not update Ticket("").').waitFor();
      expect(await editable.count()).toBe(0);
      await page
        .locator('.field', { hasText: 'company' })
        .getByText('Company 1, which you may not see')
        .waitFor();
      expect(await viewProblems(page)).toEqual([]);
    });

    test('what a user has kept and come by is gone when they log out', async () => {
      const page = await rig().open('#/Employee');
      const dialog = page.getByRole('dialog', { name: 'Log in' });
      await logIn(page, 'ada');
      await page.getByText('400 entities').waitFor();
      await page.getByRole('button', { name: 'Sets', exact: true }).click();
      await page.getByLabel('Name of the set').fill('secret');
      await page.getByRole('button', { name: 'Keep', exact: true }).click();
      await page.getByRole('button', { name: 'secret', exact: true }).waitFor();
      await page.reload();
      await page.getByText('400 entities').waitFor();
      expect(await page.getByRole('link', { name: 'New', exact: true }).count()).toBe(0);
      await page.getByRole('button', { name: 'Sets', exact: true }).click();
      await page.getByRole('button', { name: 'secret', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Log out' }).click();
      await dialog.waitFor();
      const kept = await page.evaluate(() =>
        JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
      );
      expect(kept).not.toContain('secret');
      await logIn(page, 'ada');
      await page.getByText('400 entities').waitFor();
      await page.getByRole('button', { name: 'Sets', exact: true }).click();
      await page.getByText('No set is kept yet.').waitFor();
    });

    test('an API key does as well, until the tab is closed', async () => {
      const page = await rig().open('#/model/Country');
      const dialog = page.getByRole('dialog', { name: 'Log in' });
      await dialog.getByLabel('API key', { exact: true }).check();
      const field = dialog.locator('input[name=key]');
      await field.fill('egk_unknown');
      await dialog.getByRole('button', { name: 'Log in' }).click();
      await dialog.getByRole('alert').waitFor();
      await expect
        .poll(() => field.evaluate((input) => input === document.activeElement))
        .toBe(true);
      await field.fill(KEY);
      await dialog.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('heading', { name: 'Country' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Country' }).waitFor();
      expect(await page.locator('.who .name').innerText()).toBe('report');
    });

    test('a session that ends is noticed where it is needed, over what is shown', async () => {
      const page = await rig().open('#/model');
      const dialog = page.getByRole('dialog', { name: 'Log in' });
      await logIn(page, 'ada');
      await page.locator('.graph .box').first().waitFor();
      await page.context().clearCookies();
      await page.evaluate(() => (location.hash = '#/Employee/5'));
      await dialog.getByText('Your session has ended. Log in again.').waitFor();
    });
  },
  () => [addressOf(gateway)],
);

inBrowser(
  'sign-in',
  (rig) => {
    test('a user signs in with the company’s login, comes back to the same place, and signs out', async () => {
      const page = await rig().open('#/Employee/5');
      await page.route(`${FONTS}/**`, (route) => route.abort());
      const dialog = page.getByRole('dialog', { name: 'Log in' });
      const button = dialog.getByRole('button', { name: 'Sign in with Acme' });
      await button.waitFor();
      expect(await dialog.getByRole('textbox').count()).toBe(0);
      expect(await viewProblems(page)).toEqual([]);
      await button.click();
      await page.getByPlaceholder('Enter any login').fill('ada');
      await page.getByPlaceholder('and password').fill('any');
      await page.getByRole('button', { name: 'Sign-in' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.locator('.who .name', { hasText: 'Ada Lovelace' }).waitFor();
      expect(page.url()).toBe(`${rig().address}/explore/#/Employee/5`);
      const kept = await page.evaluate(() =>
        JSON.stringify([
          document.cookie,
          Object.entries(localStorage),
          Object.entries(sessionStorage),
        ]),
      );
      expect(kept).not.toMatch(/ENTITYGATE_SID|eyJ|token/);

      // When the session has ended meanwhile, the page offers the same again.
      await page.context().clearCookies({ name: 'ENTITYGATE_SID' });
      await page.evaluate(() => (location.hash = '#/Company'));
      await dialog.getByText('Your session has ended. Log in again.').waitFor();
      await button.click();
      await page.locator('.who .name', { hasText: 'Ada Lovelace' }).waitFor();

      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('button', { name: 'Yes, sign me out' }).click();
      await button.waitFor();
      expect(page.url()).toBe(`${rig().address}/explore/`);
    });

    test('who is refused reads why, and may try again', async () => {
      const page = await rig().open('#/Employee');
      await page.route(`${FONTS}/**`, (route) => route.abort());
      await page.getByRole('button', { name: 'Sign in with Acme' }).click();
      await page.getByText('[ Cancel ]').click();
      await page.getByRole('heading', { name: 'Not signed in' }).waitFor();
      const why =
        'The identity provider did not sign you in: the sign-in was cancelled, or is not allowed.';
      await page.getByText(why).waitFor();
      expect(await viewProblems(page)).toEqual([]);
      await page.getByRole('link', { name: 'Sign in again' }).click();
      await page.getByPlaceholder('Enter any login').waitFor();
    });
  },
  () => [addressOf(signingIn), provider.issuer, FONTS],
);
