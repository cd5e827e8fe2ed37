import { expect, test } from 'vitest';
import { inBrowser, isTooWide } from './rig.ts';

inBrowser('the model', (rig) => {
  test('/ leads to the model, drawn with a box for each dataclass', async () => {
    const page = await rig().open();
    await page.goto(rig().address);
    await page.getByRole('link', { name: 'Model' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/explore/');
    const boxes = page.locator('.graph .box');
    await boxes.first().waitFor();
    const names = await page.locator('.dataclasses a').allInnerTexts();
    expect((await boxes.allTextContents()).sort()).toEqual(names.map((name) => name.trim()).sort());
    expect(names).toContain('Employee');
    // Nobody is asked who they are.
    await page.getByRole('button', { name: 'Use dark colours' }).waitFor();
    expect(await page.getByRole('button', { name: 'Log in' }).count()).toBe(0);
  });

  test('a click on a box shows its attributes, and those lead on', async () => {
    const page = await rig().show('#/model');
    await page.locator('.graph').getByRole('link', { name: 'Employee', exact: true }).click();
    const panel = page.locator('.dataclass-panel');
    await panel.getByRole('heading', { name: 'Employee' }).waitFor();
    const row = panel.getByRole('row').filter({ hasText: 'email' });
    expect(await row.innerText()).toContain('never null, unique, indexed');
    await panel.getByRole('link', { name: 'Department' }).click();
    await panel.getByRole('heading', { name: 'Department' }).waitFor();
    await page.goBack();
    await panel.getByRole('heading', { name: 'Employee' }).waitFor();
    await page.getByRole('link', { name: 'Open the entities' }).click();
    await page.getByText('400 entities').waitFor();
  });

  test('the drawing zooms by keys and buttons, moves by arrows and by dragging', async () => {
    const page = await rig().show('#/model');
    const group = page.locator('.graph svg[role=group] > g');
    await page.locator('.graph .box').first().focus();
    const place = async (): Promise<number[]> => {
      const transform = (await group.getAttribute('transform')) ?? '';
      return [...transform.matchAll(/-?[\d.]+/g)].map(([number]) => Number(number));
    };
    const [left = 0, top = 0, scale = 0] = await place();
    await page.keyboard.press('ArrowRight');
    expect(await place()).toEqual([left - 60, top, scale]);
    await page.keyboard.press('+');
    expect((await place())[2]).toBeCloseTo(scale * 1.25);
    await page.getByRole('button', { name: 'Show all' }).click();
    expect(await place()).toEqual([left, top, scale]);
    const frame = await page.locator('.graph').boundingBox();
    const from = { x: (frame?.x ?? 0) + 20, y: (frame?.y ?? 0) + 20 };
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 50, from.y + 30, { steps: 3 });
    await page.mouse.up();
    expect(await place()).toEqual([left + 50, top + 30, scale]);
    await page.mouse.wheel(0, -200);
    await expect.poll(async () => (await place())[2]).toBeGreaterThan(scale);
  });

  test('the search finds dataclasses by the names of their attributes, and says where there are none', async () => {
    const page = await rig().show('#/model');
    await page.getByRole('searchbox', { name: 'Search dataclasses' }).fill('birthDate');
    await expect.poll(() => page.locator('.dataclasses a').allInnerTexts()).toEqual(['Employee']);
    await page.getByRole('searchbox', { name: 'Search dataclasses' }).fill('nowhere');
    await page.getByText('No dataclass has that in its names.').waitFor();
  });

  test('a narrow window has the dataclasses behind a button, and does not scroll sideways', async () => {
    const page = await rig().open('#/model/Employee', { viewport: { width: 360, height: 740 } });
    await page.getByRole('heading', { name: 'Employee' }).waitFor();
    expect(await isTooWide(page)).toBe(false);
    expect(await page.locator('#sidebar').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Dataclasses' }).click();
    await page.locator('.dataclasses').getByRole('link', { name: 'Company', exact: true }).click();
    await expect.poll(() => page.locator('#sidebar').isVisible()).toBe(false);
    expect(new URL(page.url()).hash).toBe('#/Company');
  });
});
