import { expect, test } from 'vitest';
import { onEngines } from './shapes/engines.ts';
import { shape } from './shapes/ordered-types.ts';

onEngines('types with an order of their own', shape, (served) => {
  test('a token of $changes with a key that the type does not read is refused', async () => {
    const [, page] = await served.get('Host/$changes?$limit=2');
    const { __TOKEN: token } = page as { readonly __TOKEN: string };
    const text = Buffer.from(token, 'base64url').toString();
    expect(text).toContain('["10.0.0.9"]');
    const forged = Buffer.from(text.replace('["10.0.0.9"]', '["here"]')).toString('base64url');
    expect(await served.get(`Host/$changes?since=${forged}`)).toMatchObject([
      400,
      { __ERROR: [{ errCode: 9067 }] },
    ]);
  });
});
