import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { inBrowser } from './rig.ts';

/** The texts of the drawn rows' cells. */
function cells(page: Page): Promise<string[][]> {
  return page
    .locator('.grid-rows [role=row]')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
}

function urlShown(page: Page): Promise<string> {
  return page.locator('.request-bar code').innerText();
}

const fragment = (query: Record<string, string>, dataclass = 'Employee'): string =>
  `#/${dataclass}?${new URLSearchParams(query).toString()}`;

inBrowser('collections', (rig) => {
  test('a link opens columns over relations, filter and order, and the request says all of it', async () => {
    const page = await rig().show(
      fragment({ columns: 'ID,employer.name,projects.name', filter: 'ID < 4', order: 'ID DESC' }),
    );
    await page.getByText('3 entities').waitFor();
    await expect.poll(() => cells(page)).toHaveLength(3);
    expect((await cells(page)).map(([id]) => id)).toEqual(['3', '2', '1']);
    expect(await urlShown(page)).toBe(
      'GET /rest/Employee?$filter="ID%20<%204"&$orderby="ID%20DESC"&$attributes=ID,employer.name,projects.name',
    );
  });

  test('clicks on a header order by it, ascending, descending and not at all', async () => {
    const page = await rig().show(fragment({ columns: 'ID,lastName', filter: 'ID < 4' }));
    const header = page.getByRole('columnheader', { name: 'lastName' });
    const ids = async (): Promise<unknown[]> => (await cells(page)).map(([id]) => id);
    await header.getByRole('button').click();
    await expect.poll(ids).toEqual(['1', '3', '2']);
    expect(await header.getAttribute('aria-sort')).toBe('ascending');
    await header.getByRole('button').click();
    await expect.poll(ids).toEqual(['2', '3', '1']);
    await header.getByRole('button').click();
    await expect.poll(ids).toEqual(['1', '2', '3']);
  });

  test('columns are chosen along relations', async () => {
    const page = await rig().show(fragment({ columns: 'ID', filter: 'ID = 1' }));
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByText('of Company', { exact: true }).click();
    const company = page.locator('.column-tree details').first();
    await company.getByRole('checkbox', { name: 'name string' }).check();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect.poll(() => cells(page)).toEqual([['1', 'Acme Freight & Co.']]);
  });

  test('an error of the filter stands at its position, with what helps', async () => {
    const page = await rig().show('#/Employee');
    const line = page.getByRole('textbox', { name: 'Filter' });
    await line.fill('ID > 3 AND lastNam = Dubois');
    await line.press('Enter');
    await page.getByRole('alert').getByText('(at position 12 of $filter)').waitFor();
    expect(await page.locator('.marked mark').textContent()).toBe('lastNam');
    expect(await line.evaluate((input: HTMLInputElement) => input.selectionStart)).toBe(11);
    await page.getByRole('button', { name: 'Use lastName' }).click();
    expect(await line.inputValue()).toBe('ID > 3 AND lastName = Dubois');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No entity matches the filter.').waitFor();
  });

  test('conditions know the comparators of a type, and the values that there are', async () => {
    const page = await rig().show(fragment({ columns: 'ID,lastName' }));
    await page.getByText('Conditions').click();
    await page.getByRole('button', { name: 'Condition', exact: true }).click();
    await page.getByRole('combobox', { name: 'Attribute' }).fill('employer.country.code');
    await page.getByLabel('Comparator for employer.country.code').selectOption('IN');
    await page.getByText('Choose').click();
    await page.getByRole('checkbox', { name: 'FR' }).check();
    const line = page.getByRole('textbox', { name: 'Filter' });
    expect(await line.inputValue()).toBe('employer.country.code IN ["FR"]');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('30 entities').waitFor();
    await page.getByRole('combobox', { name: 'Attribute' }).fill('grade');
    const comparator = page.getByLabel('Comparator for grade');
    expect(
      await comparator
        .locator('option')
        .evaluateAll((all) => all.map((one) => one.getAttribute('value'))),
    ).toEqual(['=', '!=', '<', '<=', '>', '>=', 'IN', '= null', '!= null']);
  });

  test('the footer computes of what the filter finds', async () => {
    const page = await rig().show(
      fragment({ columns: 'ID,lastName', filter: 'ID < 4', totals: 'ID:sum' }),
    );
    await expect.poll(() => page.locator('.grid-footer output').allInnerTexts()).toEqual(['6']);
    const total = page.getByLabel('Total of lastName');
    expect(await total.locator('option').allInnerTexts()).toEqual([
      'No total',
      'count of lastName',
      'min of lastName',
      'max of lastName',
    ]);
    await total.selectOption('max');
    await expect
      .poll(() => page.locator('.grid-footer output').allInnerTexts())
      .toEqual(['6', "O'Reilly"]);
    expect(await page.getByLabel('sum of ID', { exact: true }).innerText()).toBe('6');
    expect(await page.getByLabel('max of lastName', { exact: true }).getAttribute('title')).toBe(
      "max of lastName: O'Reilly",
    );
    expect(page.url()).toContain('totals=ID%3Asum%2ClastName%3Amax');
  });

  test('numbers are not cut, in rows and totals', async () => {
    const page = await rig().open();
    const long = '12376622951987654321.4844';
    await page.route(/\/rest\/Employee(?:\?|\/)/, (route) =>
      route.fulfill({
        contentType: 'application/json',
        body: route.request().url().includes('$compute')
          ? `9${long}`
          : `{"__COUNT":1,"__ENTITIES":[{"__KEY":"1","__STAMP":1,"ID":1,"grade":${long}}]}`,
      }),
    );
    const query = { columns: 'ID,grade', totals: 'grade:sum' };
    await page.goto(`${rig().address}/explore/${fragment(query)}`);
    await page.locator('.grid-footer output', { hasText: `9${long}` }).waitFor();
    const cut = await page
      .locator('.grid .numeric :is(span, output)')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
    expect(cut).toBe(0);
  });

  test('kept sets are combined, and a link to them opens again when they are gone', async () => {
    const page = await rig().open(fragment({ columns: 'ID', filter: 'ID < 5' }));
    const keep = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Sets', exact: true }).click();
      await page.getByLabel('Name of the set').fill(name);
      await page.getByRole('button', { name: 'Keep', exact: true }).click();
      await page.getByRole('button', { name, exact: true }).waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
    };
    await page.getByText('4 entities').waitFor();
    await keep('low');
    await page.goto(
      `${rig().address}/explore/${fragment({ columns: 'ID', filter: 'ID > 2 AND ID < 8' })}`,
    );
    await page.getByText('5 entities').waitFor();
    await keep('middle');
    await page.getByRole('button', { name: 'Sets', exact: true }).click();
    await page.getByLabel('Combined by').selectOption('EXCEPT');
    await page.getByLabel('Second set').selectOption({ label: 'middle' });
    await page.getByRole('button', { name: 'Combine' }).click();
    await expect.poll(() => cells(page)).toEqual([['1'], ['2']]);
    const [start = '', query = ''] = page.url().split('#/Employee?');
    const of = new URLSearchParams(query).get('of') ?? '';
    const gone = of.replaceAll(/[0-9A-F]{40,}/g, '0'.repeat(46));
    expect(gone).not.toBe(of);
    await page.goto('about:blank');
    await page.goto(start + fragment({ columns: 'ID', of: gone }));
    await expect.poll(() => cells(page)).toEqual([['1'], ['2']]);
    await page.getByText('The entity set had expired.').waitFor();
  });

  test('a set that expires while it is scrolled is made anew', async () => {
    const page = await rig().open(fragment({ columns: 'ID' }));
    await page.getByText('400 entities').waitFor();
    const answers: number[] = [];
    await page.route(/\$entityset\/.*\$skip=300/, async (route) => {
      answers.push(answers.length);
      if (answers.length > 1) return route.continue();
      const body = { __ERROR: [{ message: 'Gone.', componentSignature: 'dbmg', errCode: 1802 }] };
      return route.fulfill({ status: 404, json: body });
    });
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+End');
    await page.getByText('The entity set had expired.').waitFor();
    await expect.poll(async () => (await cells(page)).at(-1)).toEqual(['400']);
  });

  test('a deleted entity keeps its slot, and looks deleted', async () => {
    const page = await rig().open();
    const made = await page.request.post(`${rig().address}/rest/Country?$method=update`, {
      data: { code: 'XX', name: 'Nowhere', isoNumber: 999, inEU: false, currency: 'XXX' },
    });
    expect(await made.json()).toMatchObject({ __KEY: 'XX' });
    await page.goto(
      `${rig().address}/explore/${fragment({ columns: 'code,name', filter: 'code >= XX' }, 'Country')}`,
    );
    await page.getByRole('button', { name: 'Sets', exact: true }).click();
    await page.getByLabel('Name of the set').fill('last');
    await page.getByRole('button', { name: 'Keep', exact: true }).click();
    const deleted = await page.request.post(`${rig().address}/rest/Country(XX)?$method=delete`);
    expect(await deleted.json()).toEqual({ ok: true });
    await page.getByRole('button', { name: 'last', exact: true }).click();
    const slot = page.getByRole('row').filter({ hasText: 'deleted' });
    await slot.waitFor();
    expect(await slot.getByRole('gridcell').allTextContents()).toEqual(['deleted', '']);
    await page.getByText('1 entity').waitFor();
    expect(await slot.getByRole('link').count()).toBe(0);
    const struck = slot.locator('.gone');
    expect(await struck.evaluate((one) => getComputedStyle(one).textDecorationLine)).toBe(
      'line-through',
    );
    await slot.dblclick();
    expect(new URL(page.url()).hash).toMatch(/^#\/Country\?/);
  });

  test('numbers of a list that do not fit a cell are left out whole', async () => {
    const page = await rig().show(
      fragment({ columns: 'ID,billedOrders.total', filter: 'ID < 20' }, 'Company'),
    );
    const lists = page.locator('.grid .numbers');
    await lists.first().waitFor();
    // The dots take the place of boxes as a whole, but for the first one of a line, which therefore has to fit.
    const facts = await lists.evaluateAll((all) =>
      all.map((list) => {
        const [first] = list.children;
        const end = first?.getBoundingClientRect().right ?? Infinity;
        return [
          getComputedStyle(list).textOverflow,
          first === undefined ? '' : getComputedStyle(first).display,
          end <= list.getBoundingClientRect().right,
        ];
      }),
    );
    expect(facts).toEqual(facts.map(() => ['ellipsis', 'inline-block', true]));
    const isCut = await lists.evaluateAll((all) =>
      all.some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth),
    );
    expect(isCut).toBe(true);
  });

  test('arrows, pages and ends move the cell, and Enter opens the entity', async () => {
    const page = await rig().show(fragment({ columns: 'ID,lastName' }));
    const grid = page.getByRole('grid');
    await page.locator('.grid-rows a').first().waitFor();
    await grid.focus();
    const active = async (): Promise<string | null> => {
      const id = await grid.getAttribute('aria-activedescendant');
      return page.locator(`[id="${id ?? ''}"]`).textContent();
    };
    await page.keyboard.press('ArrowDown');
    await expect.poll(active).toBe('2');
    await page.keyboard.press('End');
    await expect.poll(active).toBe("O'Reilly");
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Home');
    await expect.poll(active).toBe('400');
    await page.keyboard.press('PageUp');
    await expect.poll(async () => Number(await active())).toBeLessThan(400);
    await page.keyboard.press('Control+Home');
    await expect.poll(active).toBe('1');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/Employee\/1$/);
  });

  test('Back from an entity returns to its row, and the menu to the first one', async () => {
    const page = await rig().show(fragment({ columns: 'ID,lastName' }));
    const grid = page.getByRole('grid');
    await page.locator('.grid-rows a').first().waitFor();
    await grid.focus();
    await page.keyboard.press('Control+End');
    await expect.poll(async () => (await cells(page)).at(-1)?.[0]).toBe('400');
    for (let row = 0; row < 5; row++) await page.keyboard.press('ArrowUp');
    const scrolled = await grid.evaluate((element) => element.scrollTop);
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/Employee\/395$/);
    await page.getByText('Discard changes').waitFor();
    await page.goBack();
    const current = page.locator('.grid-rows .current [role=gridcell]').first();
    await expect.poll(() => current.textContent()).toBe('395');
    expect(await grid.evaluate((element) => element.scrollTop)).toBe(scrolled);
    expect(await grid.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.locator('.dataclasses').getByRole('link', { name: 'Employee', exact: true }).click();
    await expect.poll(() => current.textContent()).toBe('1');
    expect(await grid.evaluate((element) => element.scrollTop)).toBe(0);
  });

  test('CSV is downloaded whole: for spreadsheets with a mark and no formulas, which is remembered', async () => {
    const page = await rig().show(
      fragment({ columns: 'ID,photo,lastName,phone', filter: 'ID < 3' }),
    );
    const box = page.getByLabel('for spreadsheets');
    const csv = async (): Promise<[string, string]> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'CSV' }).click(),
      ]);
      return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')];
    };
    expect(await box.isChecked()).toBe(false);
    expect(await csv()).toEqual([
      'Employee.csv',
      "ID,lastName,phone\r\n1,Dubois,+33 4 72 00 00 01\r\n2,O'Reilly,\r\n",
    ]);
    await box.check();
    await page.reload();
    await page.getByText('2 entities').waitFor();
    expect(await box.isChecked()).toBe(true);
    expect(await csv()).toEqual([
      'Employee.csv',
      "\uFEFFID,lastName,phone\r\n1,Dubois,'+33 4 72 00 00 01\r\n2,O'Reilly,\r\n",
    ]);
  });

  test('a failure says so, and can be tried again', async () => {
    const page = await rig().open();
    await page.route(/\/rest\/Employee\?/, (route) =>
      route.fulfill({
        status: 503,
        json: { __ERROR: [{ message: 'The database is not available.', errCode: 9013 }] },
      }),
    );
    await page.goto(`${rig().address}/explore/#/Employee`);
    await page.getByRole('alert').getByText('The database is not available.').waitFor();
    await page.unroute(/\/rest\/Employee\?/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('400 entities').waitFor();
  });

  describe('of ten million entities', () => {
    const COUNT = 10_000_000;

    async function openMillions(): Promise<Page> {
      const page = await rig().open();
      await page.route(/\/rest\/Employee(?:\?|\/\$entityset)/, (route) => {
        const { searchParams } = new URL(route.request().url());
        const skip = Number(searchParams.get('$skip') ?? 0);
        const size = Math.min(Number(searchParams.get('$top')), COUNT - skip);
        const entities = Array.from({ length: size }, (_, index) => {
          const ID = skip + index + 1;
          return { __KEY: String(ID), __STAMP: 1, ID };
        });
        return route.fulfill({
          json: {
            __ENTITYSET: '/rest/Employee/$entityset/ABC',
            __COUNT: COUNT,
            __FIRST: skip,
            __ENTITIES: entities,
            __SENT: size,
          },
        });
      });
      await page.goto(`${rig().address}/explore/${fragment({ columns: 'ID' })}`);
      await page.getByText('10,000,000 entities').waitFor();
      return page;
    }

    const firstSeen = (page: Page): Promise<number> =>
      page.getByRole('grid').evaluate((grid) => {
        const top = grid.getBoundingClientRect().top + 34;
        const rows = [...grid.querySelectorAll('.grid-rows [role=row]')];
        const seen = rows.find((row) => row.getBoundingClientRect().bottom > top);
        return Number(seen?.getAttribute('aria-rowindex')) - 1;
      });

    test('the scroll bar reaches the middle, from where the wheel goes on row by row', async () => {
      const page = await openMillions();
      const grid = page.getByRole('grid');
      await grid.evaluate((element) => {
        element.scrollTop = (element.scrollHeight - element.clientHeight) / 2;
      });
      await expect.poll(() => firstSeen(page)).toBeGreaterThan(4_990_000);
      const before = await firstSeen(page);
      expect(before).toBeLessThan(5_010_000);
      await expect.poll(async () => (await cells(page))[0]?.[0]).toMatch(/^\d{7}$/);
      await grid.hover();
      // A busy browser now and then loses a turn, or shows it late.
      let turns = 0;
      const turned = async (): Promise<number> => {
        const rows = (await firstSeen(page)) - before;
        if (rows === 0) {
          turns += 1;
          await page.mouse.wheel(0, 280);
        }
        return rows;
      };
      await expect.poll(turned, { interval: 1000 }).toBeGreaterThan(0);
      // The scroll bar follows when it rests; the rows stay.
      await page.waitForTimeout(500);
      const rows = (await firstSeen(page)) - before;
      expect([rows % 10, Math.sign(rows), rows <= turns * 10]).toEqual([0, 1, true]);
    });
  });
});
