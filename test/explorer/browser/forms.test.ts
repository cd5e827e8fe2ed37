import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inBrowser } from './rig.ts';

/** The labels of a form's fields, with their stars. */
function labels(page: Page): Promise<string[]> {
  return page
    .locator('.field > label')
    .evaluateAll((all) =>
      all.map((label) => (label as HTMLElement).innerText.split('\n')[0] ?? ''),
    );
}

/** The texts of the options of a select. */
function options(page: Page, field: string): Promise<string[]> {
  return page.locator(`#field-${field} option`).allInnerTexts();
}

/** What another client sees of an entity, without its head. */
async function saved(address: string, path: string): Promise<string> {
  const response = await fetch(`${address}/rest/${path}`);
  return (await response.text()).replace(/.*?"__STAMP":\d+,/, '{');
}

inBrowser('forms', (rig) => {
  test('an entity whose key is empty text is opened from the list, by its address, again, and left', async () => {
    const page = await rig().show('#/Ticket');
    await page.getByRole('link', { name: '""', exact: true }).click();
    await page.getByRole('heading', { name: 'Without a code' }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/Ticket/''");
    expect(await page.locator('.entity-facts code').innerText()).toBe('""');
    await page.reload();
    await page.getByRole('heading', { name: 'Without a code' }).waitFor();
    await page.locator('#field-title').fill('Still without one');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    await page.evaluate(() => (location.hash = '#/Ticket/new'));
    await page.getByRole('heading', { name: 'New Ticket' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Still without one' }).waitFor();
    await page.goBack();
    await page.getByText('3 entities').waitFor();
  });

  test('stars, choices and placeholders say what a new entity needs, and what it takes', async () => {
    const page = await rig().show('#/Ticket/new');
    await page.getByRole('button', { name: 'Create' }).waitFor();
    expect(await labels(page)).toEqual([
      'code*',
      'title*',
      'mood',
      'state',
      'grade',
      'due',
      'doneAt',
      'extra',
      'company*',
    ]);
    const required = await page
      .locator('.field [required]')
      .evaluateAll((all) => all.map((one) => one.id));
    expect(required).toEqual(['field-code', 'field-title', 'field-company']);
    expect(await options(page, 'mood')).toEqual(['not set', 'calm', 'angry']);
    expect(await options(page, 'state')).toEqual(['not set', 'new', 'done']);
    expect(await options(page, 'grade')).toEqual(['not set', '1', '2', '3']);
    const placeholders = await page
      .locator('.field :is(input, textarea)')
      .evaluateAll((all) => all.map((one) => [one.id, one.getAttribute('placeholder')]));
    expect(placeholders).toEqual([
      ['field-code', 'not set'],
      ['field-title', 'not set'],
      ['field-due', null],
      ['field-doneAt', null],
      ['field-extra', 'not set – or JSON: {"a": 1}'],
      ['field-company', 'Search Company'],
    ]);
    expect(await page.locator('.field-control .unit').allInnerTexts()).toEqual([
      'not set',
      'not set',
      'UTC',
    ]);
    await page.locator('#field-code').fill('A');
    await page.locator('#field-title').fill('First');
    await page.getByRole('button', { name: 'Create' }).click();
    // The column of the reference has no field of its own.
    await page.locator('.field', { hasText: 'company' }).locator('.field-error').waitFor();
    await page.locator('#field-company').fill('Bolt Optics');
    const suggestion = page.locator('#field-company-suggestions option');
    await expect.poll(() => suggestion.count()).toBe(1);
    await page.locator('#field-company').press('Enter');
    await page.locator('#field-mood').selectOption('angry');
    await page.locator('#field-state').selectOption('done');
    await page.locator('#field-state').selectOption('not set');
    await page.locator('#field-grade').selectOption('2');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'First' }).waitFor();
    expect(await saved(rig().address, 'Ticket(A)?$attributes=mood,state,grade,extra')).toBe(
      '{"mood":"angry","state":"new","grade":2,"extra":null}',
    );
    expect(await options(page, 'mood')).toEqual(['null', 'calm', 'angry']);
    expect(await options(page, 'state')).toEqual(['new', 'done']);
    await page.locator('#field-mood').selectOption('null');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    expect(await saved(rig().address, 'Ticket(A)?$attributes=mood')).toBe('{"mood":null}');
  });

  test('a label that is the key stands once, and the breadcrumb is that of the address', async () => {
    const page = await rig().show('#/Ticket/Lamp');
    await page.getByRole('heading', { name: 'Lamp' }).waitFor();
    expect(await page.locator('.entity-facts').innerText()).toMatch(/^Ticket\s+stamp \d+/);
    const breadcrumb = async (): Promise<string[]> =>
      page.locator('.breadcrumb li').allInnerTexts();
    expect(await breadcrumb()).toEqual(['Ticket', 'Lamp']);
    await page.locator('.related').click();
    await page.getByRole('heading', { name: 'Zoë' }).waitFor();
    const [first, here = ''] = await breadcrumb();
    expect([first, here]).toEqual(['Company', 'Pâtisserie "Chez Zoë"']);
    await page.reload();
    await expect.poll(breadcrumb).toEqual([first, here]);
    await page.goBack();
    await expect.poll(breadcrumb).toEqual(['Ticket', 'Lamp']);
    await page.evaluate(() => (location.hash = '#/Employee/5'));
    await expect.poll(breadcrumb).toEqual(['Employee', 'Linh Nguyễn']);
    await page.locator('.breadcrumb a').click();
    await page.waitForURL(/#\/Employee$/);
  });

  test('what is read-only has no grip and no arrow', async () => {
    const page = await rig().show('#/ClosedTicket/Lamp');
    await page.locator('#field-extra').waitFor();
    const looks = await page.locator('.field :is(textarea, select)').evaluateAll((all) =>
      all.map((one) => {
        const { resize, appearance } = getComputedStyle(one);
        return [one.id, one instanceof HTMLSelectElement ? appearance : resize];
      }),
    );
    expect(looks).toEqual(
      ['mood', 'state', 'grade', 'extra'].map((name) => [`field-${name}`, 'none']),
    );
  });
});
