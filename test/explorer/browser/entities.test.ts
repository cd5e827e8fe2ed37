import { expect, test } from 'vitest';
import { inBrowser, viewProblems, type Rig } from './rig.ts';

/** Asks the gateway as another client. */
async function ask(
  rig: Rig,
  path: string,
  body?: object,
): Promise<{ status: number; text: string }> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${rig.address}/rest/${path}`, init);
  return { status: response.status, text: await response.text() };
}

/** What another client sees of an entity, without its head. */
async function values(rig: Rig, path: string): Promise<string> {
  return (await ask(rig, path)).text.replace(/.*?"__STAMP":\d+,/, '{');
}

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

inBrowser('entities', (rig) => {
  test('the lock is seen, taken and given up', async () => {
    const page = await rig().open('#/Employee/305');
    await page.getByText('Not locked').waitFor();
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByText('Locked by you').waitFor();
    expect((await ask(rig(), 'Employee(305)?$lock=status')).text).toContain('"status":3');
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByText('Not locked').waitFor();
    expect((await ask(rig(), 'Employee(305)?$lock=true')).status).toBe(200);
    await page.reload();
    await page.getByText(/^Locked by node at 127/).waitFor();
    await page.getByLabel('lastName').fill('Zed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Employee(305) is locked by another session.').waitFor();
  });

  test('a lock ends with the form that has taken it: by a link, and with its page', async () => {
    const page = await rig().open('#/Employee/6');
    const lock = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Lock', exact: true }).click();
      await page.getByText('Locked by you').waitFor();
    };
    const state = async (): Promise<string> => (await ask(rig(), 'Employee(6)?$lock=status')).text;
    const free = '{"result":true,"__STATUS":{"success":true,"own":false,"lost":false}}';
    await lock();
    expect(await state()).toContain('"status":3');
    await page.locator('.breadcrumb a').first().click();
    await expect.poll(state).toBe(free);
    await page.goBack();
    await lock();
    expect(await state()).toContain('"status":3');
    await page.close();
    await expect.poll(state).toBe(free);
  });

  test('a relation to many opens as a collection of just the related entities', async () => {
    const page = await rig().show('#/Employee/4');
    await page.getByText('projects Project', { exact: true }).click();
    await page.getByRole('link', { name: 'Open as a collection' }).click();
    await page.getByText(/^Of Employee\(4\)\/projects/).waitFor();
    const related = JSON.parse((await ask(rig(), 'Employee(4)/projects')).text) as {
      __COUNT: number;
      __ENTITIES: { __KEY: string }[];
    };
    expect(related.__COUNT).toBeGreaterThan(0);
    await page.getByText(`${related.__COUNT} entities`).waitFor();
    await page.locator('.grid-rows a').first().waitFor();
    const links = await page
      .locator('.grid-rows [role=gridcell]:first-child a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links).toEqual(related.__ENTITIES.map(({ __KEY: key }) => `#/Project/${key}`));
  });

  test('values are saved digit for digit, and null is not the empty text', async () => {
    const page = await rig().show('#/Employee/7');
    await page.locator('#field-badgeNo').fill('9007199254740997');
    await page.getByRole('button', { name: 'null for phone' }).click();
    await page.getByRole('button', { name: 'null for note', pressed: true }).click();
    await page.locator('#field-birthDate').fill('1999-12-31');
    await page.locator('#field-grade').fill('3,5');
    await page.getByText('Decimals stand behind a point').waitFor();
    await page.locator('#field-grade').fill('4');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await values(rig(), 'Employee(7)?$attributes=birthDate,badgeNo,grade,phone,note')).toBe(
      '{"birthDate":"1999-12-31","badgeNo":9007199254740997,"grade":4,"phone":null,"note":""}',
    );
  });

  test('what somebody else has saved stands beside what the user wants', async () => {
    const page = await rig().show('#/Employee/8');
    await page.locator('#field-lastName').fill('Mine');
    const { __STAMP } = JSON.parse((await ask(rig(), 'Employee(8)')).text) as { __STAMP: number };
    const theirs = { __STAMP, lastName: 'Theirs', firstName: 'Other' };
    expect((await ask(rig(), 'Employee(8)?$method=update', theirs)).status).toBe(200);
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 to choose').waitFor();
    expect(await page.locator('.conflict-table tbody th').allInnerTexts()).toEqual([
      ...['firstName', 'lastName', 'fullName'],
    ]);
    expect(await viewProblems(page)).toEqual([]);
    const gap = await page.locator('.conflict-table').evaluate((table) => {
      const above = table.previousElementSibling?.getBoundingClientRect().bottom ?? 0;
      return table.getBoundingClientRect().top - above;
    });
    expect(gap).toBeGreaterThanOrEqual(12);
    await dialog.getByRole('radio', { name: /mine for lastName/ }).check();
    await dialog.getByRole('button', { name: 'Save the choice' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await values(rig(), 'Employee(8)?$attributes=firstName,lastName')).toBe(
      '{"firstName":"Other","lastName":"Mine"}',
    );
  });

  test('who leaves with changes is asked', async () => {
    const page = await rig().show('#/Employee/9');
    await page.locator('#field-lastName').fill('Unsaved');
    const elsewhere = page.locator('.breadcrumb a').first();
    await elsewhere.click();
    await page.getByRole('button', { name: 'Stay' }).click();
    expect(page.url()).toMatch(/#\/Employee\/9$/);
    expect(await page.locator('#field-lastName').inputValue()).toBe('Unsaved');
    await elsewhere.click();
    await page.getByRole('button', { name: 'Discard and leave' }).click();
    await page.waitForURL(/#\/Employee$/);
  });

  test('another related entity is searched for, and followed there and back', async () => {
    const page = await rig().show('#/Employee/28');
    await page.getByRole('button', { name: 'Change employer' }).click();
    const search = page.locator('#field-employer');
    await search.fill('Bolt Optics');
    const suggestion = page.locator('#field-employer-suggestions option');
    // Until then, those of the empty text may be there.
    await expect.poll(() => suggestion.count()).toBe(1);
    await search.fill((await suggestion.getAttribute('value')) ?? '');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', { name: /^Bolt Optics GmbH/ }).click();
    await page.getByRole('heading', { name: /^Bolt Optics/ }).waitFor();
    await page.goBack();
    await page.waitForURL(/#\/Employee\/28$/);
  });

  test('an image is uploaded, and a BLOB downloaded', async () => {
    const page = await rig().show('#/Employee/11');
    await page
      .locator('#field-photo')
      .setInputFiles({ name: 'n.txt', mimeType: 'text/plain', buffer: Buffer.from('no image') });
    await page.locator('.field-error', { hasText: 'n.txt is not an image.' }).waitFor();
    await page
      .locator('#field-photo')
      .setInputFiles({ name: 'p.png', mimeType: 'image/png', buffer: PIXEL });
    await page.getByText('is uploaded when you save').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('figcaption', { hasText: 'image/png' }).waitFor();
    await page.goto(`${rig().address}/explore/#/Document/013c9017-6b86-4390-a6c3-c39cddaeb59e`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(
      'Document-013c9017-6b86-4390-a6c3-c39cddaeb59e-content',
    );
  });

  test('an entity is created with what it needs, and deleted after a question', async () => {
    const page = await rig().show('#/Category/new');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('#field-position-error').waitFor();
    expect(await page.locator('.field-error').allTextContents()).toEqual([
      'Category.code is mandatory: it needs a value.',
      'Category.position is mandatory: it needs a value.',
    ]);
    await page.locator('#field-code').fill('A/"x" new');
    await page.locator('#field-position').fill('77');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'A/"x" new' }).waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('is deleted').waitFor();
    expect((await ask(rig(), `Category(${encodeURIComponent(`'A/"x" new'`)})`)).status).toBe(404);
  });
});
