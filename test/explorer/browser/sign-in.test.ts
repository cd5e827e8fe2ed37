import { afterAll, expect, test } from 'vitest';
import {
  gatewayClient,
  oidcSettings,
  startOpenIdProvider,
} from '../../integration/sign-in/provider.ts';
import { inBrowser, viewProblems } from './rig.ts';

const provider = await startOpenIdProvider();
provider.users.set('ada', { name: 'Ada Lovelace', roles: ['reader'] });
afterAll(() => provider.close());

/** What the pages of the provider would like to have. */
const FONTS = 'https://fonts.googleapis.com';

const SETTINGS = `authentication:
  oidc: ${JSON.stringify(oidcSettings(provider.issuer))}
roles:
  reader: { dataclasses: { '*': { read: true } } }
`;

inBrowser(
  'sign-in',
  (rig) => {
    test('a user signs in with the company’s login, comes back to the same place, and signs out', async () => {
      provider.register([gatewayClient(rig().address)]);
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
      provider.register([gatewayClient(rig().address)]);
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
  SETTINGS,
  {},
  [provider.issuer, FONTS],
);
