import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inBrowser, viewProblems } from './rig.ts';

/** A window in which a form does not fit. */
const viewport = { width: 390, height: 600 };

/** What hides a part of an element: that it is out of the window, or what covers it. */
function hiddenBy(element: Locator): Promise<string[]> {
  return element.evaluate((shown) => {
    const { left, right, top, bottom } = shown.getBoundingClientRect();
    return [top + 2, (top + bottom) / 2, bottom - 2].flatMap((y) => {
      const found = document.elementFromPoint((left + right) / 2, y);
      if (found !== null && shown.contains(found)) return [];
      return [`${Math.round(y)}: ${found?.outerHTML.slice(0, 80) ?? 'out of the window'}`];
    });
  });
}

/** The focused element, by its id or its class. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { id = '', className = '' } = document.activeElement ?? {};
    return id === '' ? className : id;
  });
}

/** Expects an alert with a text in view, with the focus. */
async function expectAlert(page: Page, text: string): Promise<void> {
  const alert = page.locator('main').getByRole('alert').filter({ hasText: text });
  await alert.waitFor();
  await expect.poll(() => focused(page)).toMatch(/^(?:entity-errors|error-box)$/);
  expect(await hiddenBy(alert)).toEqual([]);
}

/** Fills in a new ticket. */
async function fillTicket(page: Page, code: string): Promise<void> {
  await page.locator('#field-code').fill(code);
  await page.locator('#field-title').fill('New');
  await page.locator('#field-company').fill('Bolt Optics');
  await expect.poll(() => page.locator('#field-company-suggestions option').count()).toBe(1);
  await page.locator('#field-company').press('Enter');
}

inBrowser('refusals', (rig) => {
  test('a refused create is in view', async () => {
    const page = await rig().open('#/Guarded/new', { viewport });
    await page.getByRole('button', { name: 'Create' }).waitFor();
    await fillTicket(page, 'Ghost');
    await page.getByRole('button', { name: 'Create' }).click();
    await expectAlert(page, 'Guarded');
    const ghost = page.getByRole('alert').filter({ hasText: 'did not keep' });
    expect(await ghost.count()).toBe(1);
    await page.locator('#field-code').fill('Lamp');
    await page.locator('#field-code').press('Control+s');
    await ghost.waitFor({ state: 'hidden' });
    await expectAlert(page, 'Guarded');
    // What the user types next is not disturbed.
    await page.locator('#field-title').pressSequentially(' and bright');
    expect(await focused(page)).toBe('field-title');
    await page.getByRole('button', { name: 'Create' }).click();
    await expectAlert(page, 'Guarded');
  });

  test('a refused delete is in view', async () => {
    const page = await rig().open('#/Company/1', { viewport });
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expectAlert(page, 'refer');
    expect(await viewProblems(page)).toEqual([]);
  });

  test('a conflict that is put off stays in view', async () => {
    const page = await rig().open('#/Ticket/Chair', { viewport });
    await page.locator('#field-title').fill('Mine');
    const url = `${rig().address}/rest/Ticket(Chair)`;
    const { __STAMP } = (await (await fetch(url)).json()) as { __STAMP: number };
    const theirs = JSON.stringify({ __STAMP, title: 'Theirs' });
    await fetch(`${url}?$method=update`, { method: 'POST', body: theirs });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Go on editing' }).click();
    await expectAlert(page, 'has changed since it was read');
  });

  test('the first wrong field is in view, with the focus', async () => {
    const page = await rig().open('#/Employee/13', { viewport });
    const error = page.locator('#field-grade-error');
    await page.locator('#field-grade').fill('3,5');
    await error.waitFor();
    await page.locator('#field-lastName').focus();
    for (const press of [
      () => page.getByRole('button', { name: 'Save', exact: true }).click(),
      () => page.locator('#field-lastName').press('Control+s'),
    ]) {
      await press();
      await expect.poll(() => focused(page)).toBe('field-grade');
      expect(await hiddenBy(error)).toEqual([]);
      expect(await hiddenBy(page.locator('#field-grade'))).toEqual([]);
      expect(await hiddenBy(page.getByRole('alert'))).toEqual([]);
    }
    expect(await page.getByRole('alert').innerText()).toBe('Not saved: see the marked field.');
    await page.locator('#field-grade').fill('4');
    await page.getByRole('alert').waitFor({ state: 'hidden' });
    await page.goto(`${rig().address}/explore/#/Ticket/new`);
    await page.getByRole('button', { name: 'Discard and leave' }).click();
    await page.locator('#field-code').fill('New');
    await page.locator('#field-title').fill('New');
    await page.getByRole('button', { name: 'Create' }).click();
    await expect.poll(() => focused(page)).toBe('field-company');
    expect(await hiddenBy(page.locator('#field-company-error'))).toEqual([]);
  });

  test('a refused call is in view', async () => {
    const page = await rig().open('#/functions/share', { viewport });
    await page.locator('#parameter-1').fill('x');
    await page.getByRole('button', { name: 'Call' }).click();
    await expect.poll(() => focused(page)).toBe('parameter-1');
    expect(await hiddenBy(page.locator('#parameter-1-error'))).toEqual([]);
    await page.locator('#parameter-1').fill('2');
    for (let round = 0; round < 2; round += 1) {
      await page.getByRole('button', { name: 'Call' }).click();
      await page.locator('.error-box').waitFor();
      await expectAlert(page, 'Nothing is left to share.');
    }
  });
});
