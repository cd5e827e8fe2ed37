import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inBrowser } from './rig.ts';

/** The texts of the table's rows. */
function rows(page: Page): Promise<string[][]> {
  return page
    .locator('.report-table tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
}

const fragment = (query: Record<string, string>, dataclass = 'Order'): string =>
  `#/report/${dataclass}?${new URLSearchParams(query).toString()}`;

const hash = (page: Page): string => decodeURIComponent(new URL(page.url()).hash);

/** What the bars say of themselves when they are pointed at. */
async function tip(page: Page): Promise<string> {
  return (await page.locator('.chart-tip').innerText()).replace(/\s+/g, ' ');
}

inBrowser('reports', (rig) => {
  test('groups and figures are picked by name, drawn at once, and a bar opens its entities', async () => {
    const page = await rig().show('#/Order?filter=ID+%3C%3D+100');
    await page.getByText('100 entities').waitFor();
    await page.getByRole('link', { name: 'Report', exact: true }).click();
    await page.getByText('Group by something to see a chart.').waitFor();
    await page.getByText('Group by…').click();
    const groups = page.getByRole('region', { name: 'Groups' });
    await groups.getByRole('checkbox', { name: 'status string' }).check();
    await page.getByText('4 groups').waitFor();
    await page.getByText('Show…').click();
    const figures = page.getByRole('region', { name: 'Figures' });
    await figures.getByRole('checkbox', { name: 'lines OrderLineSelection' }).check();
    await page.getByText('of OrderLine (many)').click();
    await figures.getByRole('checkbox', { name: 'quantity long' }).check();
    await figures.getByLabel('Aggregate of lines.quantity').selectOption('max');
    await figures.getByLabel('Name of max(lines.quantity)').fill('most');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.chart').count()).toBe(3);
    await page.getByRole('button', { name: 'most', exact: true }).waitFor();
    expect(hash(page)).toBe(
      '#/report/Order?filter=ID+<=+100&groupby=status&aggregate=count,count(lines),max(lines.quantity)+as+most',
    );
    const found = await rows(page);
    expect(found.map((row) => row.length)).toEqual([4, 4, 4, 4]);
    const [status = '', count = ''] = found[0] ?? [];
    const bars = page.getByRole('img', { name: 'count by status' }).locator('.opens');
    expect(await bars.count()).toBe(4);
    await bars.first().hover();
    expect(await tip(page)).toBe(`${status} ${count}`);
    await bars.first().click();
    await page.getByText(`${count} entities`).waitFor();
    expect(hash(page)).toBe(`#/Order?filter=(ID+<=+100)+AND+status+===+:1&params=["${status}"]`);
    await page.goBack();
    await expect.poll(() => rows(page)).toEqual(found);
  });

  test('relations to one open like folders, those to many only for figures', async () => {
    const page = await rig().show(fragment({}));
    await page.getByText('Group by…').click();
    const groups = page.getByRole('region', { name: 'Groups' });
    expect(await groups.getByText('lines').count()).toBe(0);
    await groups.getByText('salesRep: of Employee').click();
    await groups.getByText('employer: of Company').click();
    await groups.getByRole('checkbox', { name: 'isCustomer bool' }).check();
    await expect
      .poll(async () => (await rows(page)).map(([value]) => value))
      .toEqual(['–', 'false', 'true']);
    await page.getByText('Show…').click();
    const figures = page.getByRole('region', { name: 'Figures' });
    await figures.getByText('of OrderLine (many)').click();
    await figures.getByText('product: of Product').click();
    expect(await figures.getByText('of Order (many)').count()).toBe(0);
  });

  test('dates by their parts are lines over time, whose gaps stay open', async () => {
    const page = await rig().show(
      fragment({ groupby: 'date:month', filter: 'date < 2022-04-01 OR date >= 2022-06-01' }),
    );
    await page.getByText('34 groups').waitFor();
    await expect.poll(() => page.locator('.chart polyline').count()).toBe(2);
    const points = (at: number): Promise<number | undefined> =>
      page
        .locator('.chart polyline')
        .nth(at)
        .evaluate((line) => line.getAttribute('points')?.split(' ').length);
    expect([await points(0), await points(1)]).toEqual([3, 31]);
    await page.getByLabel('Part of date').selectOption('by year');
    await expect
      .poll(async () => (await rows(page)).map(([year]) => year))
      .toEqual(['2022', '2023', '2024']);
    await page.getByRole('combobox', { name: 'Chart' }).selectOption('Bars');
    await expect.poll(() => page.locator('.chart rect').count()).toBe(3);
    await page.getByRole('combobox', { name: 'Chart' }).selectOption('Table only');
    await expect.poll(() => page.locator('.chart').count()).toBe(0);
    expect(hash(page)).toContain('&groupby=date:year&aggregate=count&chart=table');
  });

  test('bars are stacked by a second group, unless their figure does not add up', async () => {
    const page = await rig().show(
      fragment({ groupby: 'date:year,status', aggregate: 'count,avg(total)', chart: 'stacked' }),
    );
    await page.getByText('avg(total) does not add up').waitFor();
    const lefts = (at: number): Promise<number> =>
      page
        .locator('.chart')
        .nth(at)
        .locator('rect.opens')
        .evaluateAll((bars) => new Set(bars.map((bar) => bar.getAttribute('x'))).size);
    expect([await lefts(0), await lefts(1)]).toEqual([3, 12]);
    await page.locator('.chart svg').first().hover();
    expect(await tip(page)).toMatch(/^2023 CL \d+ NW \d+ SH \d+ XX \d+$/);
  });

  test('by keyboard, a header orders, and a row opens its entities', async () => {
    const page = await rig().show(
      fragment({ groupby: 'status', aggregate: 'sum(total) as turnover' }),
    );
    await page.getByText('4 groups').waitFor();
    const header = page.getByRole('columnheader', { name: 'turnover' });
    await header.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => header.getAttribute('aria-sort')).toBe('ascending');
    await page.keyboard.press('Enter');
    await expect.poll(() => header.getAttribute('aria-sort')).toBe('descending');
    const sums = (await rows(page)).map(([, sum = '']) => Number(sum.replaceAll(',', '')));
    expect(sums).toEqual(sums.toSorted((a, b) => b - a));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('820 entities').waitFor();
    expect(hash(page)).toBe('#/Order?filter=status+===+:1&params=["CL"]');
    await page.goBack();
    await page.getByRole('cell', { name: '41,883,130.6411' }).click();
    await page.getByText('820 entities').waitFor();
  });

  test('a limit that is wrong is told in the words of the gateway, and a filter at its line', async () => {
    const page = await rig().show(fragment({ groupby: 'status' }));
    const having = page.getByLabel('Only groups with');
    await having.fill('turnover > 3');
    await having.press('Enter');
    await page.getByRole('alert').getByText('turnover').waitFor();
    await having.fill('count > 300');
    await having.press('Enter');
    await page.getByText('2 groups').waitFor();
    const most = page.getByLabel('At most');
    await most.fill('1');
    await most.press('Enter');
    await page.getByText('1 of 2 groups').waitFor();
    const line = page.getByRole('textbox', { name: 'Filter' });
    await line.fill('pajd = true');
    await line.press('Enter');
    await page.getByText('The filter cannot be read; see above.').waitFor();
    await page.getByRole('button', { name: 'Use paid' }).click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('cell', { name: '529' }).waitFor();
  });

  test('the table is downloaded as CSV, a chart as a drawing of its own', async () => {
    const page = await rig().show(fragment({ groupby: 'paid', aggregate: 'count' }));
    const saved = async (click: Promise<void>): Promise<[string, string]> => {
      const [download] = await Promise.all([page.waitForEvent('download'), click]);
      return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')];
    };
    await page.getByText('2 groups').waitFor();
    const csv = await saved(page.getByRole('link', { name: 'CSV' }).click());
    const counts = (await rows(page)).map(
      ([paid, count]) => `${paid},${count?.replace(',', '')}\r\n`,
    );
    expect(csv).toEqual(['Order.csv', `paid,count\r\n${counts.join('')}`]);
    const [name, svg] = await saved(page.getByRole('button', { name: 'Save the chart' }).click());
    expect(name).toBe('count.svg');
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg).toContain('fill="rgb(36, 86, 199)"');
    expect(svg).not.toMatch(/class=|var\(/);
  });

  test('reports of the gateway are in the side bar, and open as they are kept', async () => {
    const page = await rig().open();
    const report = {
      name: 'turnover',
      title: 'Turnover by month',
      description: 'Paid orders alone',
      dataclass: 'Order',
      groupby: 'date:month',
      aggregate: 'sum(total) as turnover',
      having: null,
      filter: 'paid = true',
      orderby: null,
      top: null,
      chart: 'bars',
    };
    await page.route('**/rest/$reports', (route) => route.fulfill({ json: { reports: [report] } }));
    await page.reload();
    const link = page.getByRole('navigation').getByRole('link', { name: 'Turnover by month' });
    await link.click();
    await page.getByRole('heading', { name: 'Turnover by month' }).waitFor();
    await page.getByText('Paid orders alone').waitFor();
    expect(await link.getAttribute('aria-current')).toBe('page');
    await page.getByText('36 groups').waitFor();
    expect(await page.locator('.chart rect').count()).toBe(36);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('heading', { name: 'Order', exact: true }).waitFor();
    expect(await link.getAttribute('aria-current')).toBe('false');
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole('button', { name: 'Dataclasses' }).click();
    await link.click();
    await page.getByRole('heading', { name: 'Turnover by month' }).waitFor();
    await link.waitFor({ state: 'hidden' });
  });
});
