import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inBrowser, viewProblems } from './rig.ts';

const opened = (name: string) => async (page: Page) =>
  page.getByRole('button', { name, exact: true }).click();

const seeAll = (page: Page): Promise<void> =>
  page.getByRole('link', { name: /^All of / }).waitFor();

const seeConditions = (page: Page): Promise<void> => page.getByText('Conditions').click();

/** Opens the first list of related entities, which says how many of what there are. */
async function seeRelated(page: Page): Promise<void> {
  await page.locator('.related-lists summary').first().click();
  expect(await page.locator('.related-more').innerText()).toMatch(/^\d+ of \d+ \w+/);
}

/** Opens the attributes that a report is made of, and points at its first chart. */
async function seeMembers(page: Page): Promise<void> {
  await page.getByText('Group by…').click();
  await page.getByText('shipTo: of Company').first().click();
  await page.getByText('Show…').click();
  await page.locator('.chart svg').first().hover();
  await page.locator('.chart-tip').waitFor();
}

/** The views: an address, a text that is there when it is, and what is done before it is looked at. */
const VIEWS: readonly [string, string, ((page: Page) => Promise<unknown>)?][] = [
  ['#/model', 'Model'],
  ['#/model/Employee', 'Open the entities'],
  ['#/model/Nope', 'There is no dataclass'],
  ['#/Employee?totals=ID:sum,lastName:count', '400 entities'],
  ['#/Employee?filter=ID%3D-1', 'No entity matches'],
  ['#/Nope', 'There is no dataclass'],
  ['#/Employee?filter=emaill%3D1', 'Did you mean'],
  ['#/Employee?filter=ID<9 AND lastName begin "A"', 'Conditions', seeConditions],
  ['#/report/Nope', 'There is no dataclass'],
  ['#/Employee?of=Company(1)/employees', '11 entities', seeAll],
  ['#/report/Order', 'Group by something'],
  ['#/report/Order?groupby=date:year,status&aggregate=avg(total),count', '12 groups', seeMembers],
  ['#/report/Order?groupby=ID&of=Company(1)/billedOrders', '37 groups', seeAll],
  ['#/report/Order?groupby=note:month', 'month is for dates'],
  ['#/Employee?filter=ID<3', '2 entities', opened('Columns')],
  ['#/Employee?filter=ID<3', '2 entities', opened('Sets')],
  ['#/Employee/5', 'Not locked', seeRelated],
  ['#/Employee/5', 'Not locked', opened('Delete…')],
  ['#/Employee/new', 'Create'],
  ['#/Employee/99999', 'There is no Employee 99999'],
  ['#/report/Order?groupby=shipTo.country.name,status&chart=stacked', '68 groups', seeMembers],
  ['#/CompanyTurnover', 'entities'],
  ['#/Ticket/new', 'Create'],
  ["#/Ticket/''", 'Not locked'],
  ['#/functions', 'gross'],
  ['#/functions/gross', 'Call'],
  ['#/plan', 'Give the URL'],
  ['#/plan?url=%2Frest%2FEmployee%3F%24filter%3DID%3D5', 'SQL'],
];

inBrowser('every view', (rig) => {
  test.each(VIEWS)(
    '%s (%s) suits screen readers, fingers, narrow windows, light and dark',
    async (fragment, text, act) => {
      const page = await rig().show(fragment);
      await page.getByText(text).first().waitFor();
      await act?.(page);
      expect(await viewProblems(page)).toEqual([]);
    },
  );

  test('a function is called by a form', async () => {
    const page = await rig().show('#/functions');
    await page.getByRole('link', { name: 'gross' }).click();
    const net = page.getByLabel('net number', { exact: true });
    const called = async (): Promise<void> => page.getByRole('button', { name: 'Call' }).click();
    await net.fill('1OO');
    await called();
    await page.getByText('“1OO” is not a number.').waitFor();
    await net.fill('100');
    await called();
    const answer = page.getByLabel('The answer as JSON');
    await expect.poll(() => answer.innerText()).toMatch(/^120(\.0+)?$/);
    await page.getByLabel('rate number, optional', { exact: true }).fill('10');
    await page.getByLabel('asked date, optional', { exact: true }).fill('2024-02-29');
    await page.getByLabel('rounded bool, optional', { exact: true }).selectOption('true');
    await called();
    await expect.poll(() => answer.innerText()).toMatch(/^110$/);
  });

  test.each([
    ['#/Employee?filter=employer.name+begin+%22A%22', 'Company.name begin A'],
    ['#/report/Order?groupby=status', 'the groups of Order'],
  ])('the query plan of %s is drawn', async (fragment, text) => {
    const page = await rig().show(fragment);
    await page.getByRole('link', { name: 'Plan' }).click();
    await page.getByText(text).waitFor();
  });
});
