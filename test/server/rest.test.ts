import { expect, test } from 'vitest';
import { refuseRepeated } from '../../src/server/rest.ts';

test.each(['Authorization', 'username-4D', 'PASSWORD-4D'])(
  'credentials in two headers are refused: %s',
  (name) => {
    const once = ['Host', 'a', name, 'x', 'Accept', 'y', 'Accept', 'z'];
    expect(() => refuseRepeated(once)).not.toThrow();
    expect(() => refuseRepeated([...once, name.toLowerCase(), 'x'])).toThrow(
      expect.objectContaining({
        errorName: 'badRequest',
        message: `There are two ${name.toLowerCase()} headers.`,
      }) as Error,
    );
  },
);
