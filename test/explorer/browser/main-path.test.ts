import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessibilityProblems, inBrowser } from './rig.ts';

const ROUTINES = `
CREATE FUNCTION "HR"."F_GROSS"(net numeric, rate numeric DEFAULT 20, asked date DEFAULT NULL, rounded boolean DEFAULT false)
RETURNS numeric LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN rounded THEN round(net * (100 + rate) / 100) ELSE net * (100 + rate) / 100 END $$;
`;

const FUNCTIONS = `functions:
  gross:
    routine: HR.F_GROSS
    parameters: [net, rate, asked, rounded]
`;

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
}

inBrowser(
  'the way from the model to an entity and back',
  (rig) => {
    test('a dataclass leads to its entities, one of those to its form, and a relation on', async () => {
      const page = await rig().open('#/model/Employee');
      await page.getByRole('link', { name: 'Open the entities' }).click();
      await page.getByText('400 entities').waitFor();
      await page.getByRole('link', { name: '5', exact: true }).click();
      await page.getByRole('heading', { name: 'Linh Nguyễn' }).waitFor();
      expect(new URL(page.url()).hash).toBe('#/Employee/5');
      await page.getByRole('link', { name: /Séamus O'Reilly/ }).click();
      await page.getByRole('heading', { name: "Séamus O'Reilly" }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Linh Nguyễn' }).waitFor();
    });

    test('a change is saved, and is there after a reload', async () => {
      const page = await rig().open('#/Employee/7');
      const phone = page.getByLabel(/^phone/);
      await phone.fill('+33 1 23 45 67 89');
      await save(page);
      await expect
        .poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled())
        .toBe(true);
      await page.reload();
      await expect.poll(() => phone.inputValue()).toBe('+33 1 23 45 67 89');
    });

    test('a refused value is told at its field', async () => {
      const page = await rig().open('#/Employee/8');
      await page.getByLabel(/^email/).fill('linh.nguyen@acme.example');
      await save(page);
      const field = page.getByLabel(/^email/);
      await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
      expect(await accessibilityProblems(page)).toEqual([]);
    });

    test('of two who save the same entity, the later one is asked whose values shall count', async () => {
      const [mine, theirs] = [await rig().open('#/Employee/9'), await rig().open('#/Employee/9')];
      await mine.getByLabel(/^phone/).fill('mine');
      await theirs.getByLabel(/^phone/).fill('theirs');
      await save(theirs);
      await expect
        .poll(() => theirs.getByRole('button', { name: 'Save', exact: true }).isDisabled())
        .toBe(true);
      await save(mine);
      const dialog = mine.getByRole('dialog', { name: 'Somebody else has saved this entity' });
      await dialog
        .getByRole('row', { name: /phone/ })
        .getByText('theirs', { exact: true })
        .waitFor();
      expect(await accessibilityProblems(mine)).toEqual([]);
      await dialog.getByRole('button', { name: 'All mine' }).click();
      await dialog.getByRole('button', { name: 'Save the choice' }).click();
      await dialog.waitFor({ state: 'detached' });
      await theirs.reload();
      await expect.poll(() => theirs.getByLabel(/^phone/).inputValue()).toBe('mine');
    });

    test('a new entity is created, and deleted when the user is sure', async () => {
      const page = await rig().open('#/Country/new');
      await page.getByLabel(/^code/).fill('ZZ');
      await page.getByLabel(/^name/).fill('Nowhere');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('Country.isoNumber is mandatory').waitFor();
      await page.getByLabel(/^isoNumber/).fill('999');
      await page.getByLabel(/^inEU/).selectOption('false');
      await page.getByLabel(/^currency/).fill('XXX');
      await page.getByRole('button', { name: 'Create' }).click();
      await expect.poll(() => new URL(page.url()).hash).toBe('#/Country/ZZ');
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page
        .getByText(/deleted/)
        .first()
        .waitFor();
      await page.goto(`${rig().address}/rest/Country("ZZ")`);
      expect(await page.locator('body').innerText()).toContain('1543');
    });

    test('a form with changes is not left unasked', async () => {
      const page = await rig().open('#/Employee/10');
      await page.getByLabel(/^phone/).fill('changed');
      await page.locator('.dataclasses').getByRole('link', { name: 'Country' }).click();
      const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
      await dialog.getByRole('button', { name: 'Stay' }).click();
      expect(await page.getByLabel(/^phone/).inputValue()).toBe('changed');
      await page.locator('.dataclasses').getByRole('link', { name: 'Country' }).click();
      await dialog.getByRole('button', { name: 'Discard and leave' }).click();
      await page.getByRole('heading', { name: 'Country' }).waitFor();
    });

    test('a function is called by a form', async () => {
      const page = await rig().open('#/model');
      await page.getByRole('link', { name: 'Functions' }).click();
      await page.getByRole('link', { name: 'gross' }).click();
      await page.getByRole('button', { name: 'Call' }).waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByLabel('net number', { exact: true }).fill('1OO');
      await page.getByRole('button', { name: 'Call' }).click();
      await page.getByText('“1OO” is not a number.').waitFor();
      await page.getByLabel('net number', { exact: true }).fill('100');
      await page.getByRole('button', { name: 'Call' }).click();
      const answer = page.getByLabel('The answer as JSON');
      await expect.poll(() => answer.innerText()).toMatch(/^120(\.0+)?$/);
      await page.getByLabel('rate number, optional', { exact: true }).fill('10');
      await page.getByLabel('asked date, optional', { exact: true }).fill('2024-02-29');
      await page.getByLabel('rounded bool, optional', { exact: true }).selectOption('true');
      await page.getByRole('button', { name: 'Call' }).click();
      await expect.poll(() => answer.innerText()).toMatch(/^110$/);
    });

    test('a request’s query plan is drawn', async () => {
      const page = await rig().open('#/Employee?filter=employer.name+begin+%22A%22');
      await page.getByRole('link', { name: 'Plan' }).click();
      await page.getByText('Company.name begin A').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
    });
  },
  '',
  { 'more.sql': ROUTINES, 'mappings/functions.yaml': FUNCTIONS },
);
